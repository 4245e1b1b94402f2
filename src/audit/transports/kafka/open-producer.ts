import { isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Producer } from '@platformatic/kafka'
import { serverIdentityProblem, tlsConnectOptions } from '../tls-plan.ts'
import type { KafkaPlan } from './kafka-plan.ts'

/** Bytes that brokers may send for one request: the library buffers as many as the peer announces. */
const MAX_RECEIVED_BYTES = 16 * 1_024 * 1_024
/** Retries of the library inside of one call, with the same sequence numbers. */
const RETRIES = 3
const RETRY_DELAY = 200
const METADATA_MAX_AGE = 60_000
/** All in-sync replicas. */
const ACKS_ALL = -1

/** A producer with the sockets that it has opened. */
export interface OpenProducer {
  readonly producer: Producer<Buffer, Buffer, string, string>
  /** Why a connection failed since the last `onSend`: the library retries, and the call may time out. */
  readonly connectionError: Error | null
  /**
   * Called before each request: starts the count of received bytes. Rejects when the client fails outside of the call. It is a promise
   * for each request, since one of the producer would keep the outcomes of all requests in memory.
   */
  onSend(): Promise<never>
  /** Closes all connections. */
  destroy(): void
}

/** Loads the library and creates a producer; it connects with the first call. */
export async function openProducer(plan: KafkaPlan): Promise<OpenProducer> {
  const { Producer } = await import('@platformatic/kafka')
  const { tls, sasl, brokers } = plan
  const producer = new Producer<Buffer, Buffer, string, string>({
    clientId: plan.clientId,
    bootstrapBrokers: brokers.map(({ host, port }) => ({ host, port })),
    acks: ACKS_ALL,
    idempotent: plan.idempotent,
    compression: plan.compression,
    connectTimeout: plan.connectTimeout,
    requestTimeout: plan.requestTimeout,
    timeout: plan.requestTimeout,
    retries: RETRIES,
    retryDelay: RETRY_DELAY,
    metadataMaxAge: METADATA_MAX_AGE,
    autocreateTopics: true,
    ...(sasl !== null && { sasl: { ...sasl } }),
    ...(tls !== null && {
      tls: tlsConnectOptions(tls),
      // An address can not be the server name of a handshake.
      tlsServerName: brokers.every(({ host }) => isIP(host) === 0),
    }),
  })
  const guard = new SocketGuard(plan)
  producer.connections.on('connecting', ({ broker, connection }) => {
    // Without a listener, an error event would end the process; the library keeps one for the first error only.
    connection.on('error', () => {})
    // The socket is created in the same turn of the event loop, after this event.
    queueMicrotask(() => {
      if (connection.socket) guard.attach(connection.socket, broker.host)
    })
  })
  return {
    producer,
    get connectionError() {
      return guard.lastError
    },
    onSend: () => guard.onSend(),
    destroy: () => {
      producer.close(true, () => {})
      guard.destroy()
    },
  }
}

/** Keeps faults of the library and of its peers inside of the transport: sockets of a broken peer are closed, the call fails. */
class SocketGuard {
  readonly #plan: KafkaPlan
  readonly #sockets = new Set<Socket>()
  /** The last error of a connection since the last request. */
  lastError: Error | null = null
  #received = 0
  #fault: { readonly error: unknown } | null = null
  #rejectRequest: (error: unknown) => void = () => {}

  constructor(plan: KafkaPlan) {
    this.#plan = plan
  }

  onSend(): Promise<never> {
    this.#received = 0
    this.lastError = null
    const { promise, reject } = Promise.withResolvers<never>()
    // The request may have ended before.
    promise.catch(() => {})
    this.#rejectRequest = reject
    if (this.#fault !== null) reject(this.#fault.error)
    return promise
  }

  attach(socket: Socket, host: string): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', (error) => {
      this.lastError = error
    })
    if (socket instanceof TLSSocket) socket.prependOnceListener('secureConnect', () => this.#verify(socket, host))
    const emit = socket.emit as (...event: unknown[]) => boolean
    socket.emit = (...event: unknown[]): boolean => {
      if (event[0] === 'data' && !this.#admits(event[1] as Buffer)) {
        this.#fail(socket, new Error('a broker sent more than any response needs'))
        return true
      }
      try {
        return emit.apply(socket, event)
      } catch (error) {
        // The parsers of the library throw on some malformed responses, in the middle of an event of the socket.
        this.#fail(socket, error)
        return true
      }
    }
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #admits(data: Buffer): boolean {
    this.#received += data.length
    return this.#received <= MAX_RECEIVED_BYTES
  }

  #verify(socket: TLSSocket, host: string): void {
    const { tls } = this.#plan
    const problem = tls === null ? null : serverIdentityProblem(tls, host, socket)
    if (problem !== null) this.#fail(socket, new Error(problem))
  }

  #fail(socket: Socket, error: unknown): void {
    socket.destroy()
    this.#fault ??= { error }
    this.#rejectRequest(error)
  }
}
