import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecure, type TLSSocket } from 'node:tls'
import { DEFAULT_TLS_PLAN } from '#contracts'
import { serverIdentityProblem, tlsConnectOptions } from '../tls-plan.ts'
import { within } from '../within.ts'
import type { SyslogPlan } from './syslog-plan.ts'

/** Syslog receivers send nothing. */
const MAX_RECEIVED_BYTES = 4_096
/** Milliseconds for the receiver to read the end of the stream. */
const CLOSE_TIMEOUT = 2_000

/** An established connection to a syslog receiver. */
export class StreamConnection {
  readonly #socket: Socket
  readonly #onClosed: (connection: StreamConnection) => void
  #failure: Error | null = null
  #received = 0
  /** Rejects the call that is in progress. */
  #reject: ((error: Error) => void) | null = null

  /** `onClosed` is called once, when the connection has failed or the receiver has closed it. */
  constructor(socket: Socket, onClosed: (connection: StreamConnection) => void) {
    this.#socket = socket
    this.#onClosed = onClosed
    socket.on('error', (error) => this.#fail(error))
    socket.on('end', () => this.#fail(new Error('the receiver closed the connection')))
    socket.on('close', () => this.#fail(new Error('the connection closed')))
    socket.on('data', (data) => {
      this.#received += data.length
      if (this.#received > MAX_RECEIVED_BYTES) this.#fail(new Error('the peer sends data: it is no syslog receiver'))
    })
  }

  /** Resolves when the bytes are in the send buffer of the kernel. */
  write(bytes: Buffer): Promise<void> {
    return this.#unlessItFails((resolve) => {
      this.#socket.write(bytes, (error) => {
        if (!error) resolve()
      })
    })
  }

  /** Handles received packets first; rejects where they end or reset the connection. */
  checkOpen(): Promise<void> {
    // A reset that follows a write is reported one turn later.
    return this.#unlessItFails((resolve) => setImmediate(() => setImmediate(resolve)))
  }

  /** Resolves after `time` milliseconds in which the connection stayed open. */
  async staysOpen(time: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    try {
      await this.#unlessItFails((resolve) => {
        timer = setTimeout(resolve, time)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the stream, within a bounded time. */
  async end(): Promise<void> {
    if (this.#failure !== null) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, CLOSE_TIMEOUT)
    this.#socket.once('close', () => resolve())
    this.#socket.end(() => resolve())
    await promise
    clearTimeout(timer)
    this.destroy()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #unlessItFails(start: (resolve: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) {
        reject(this.#failure)
        return
      }
      this.#reject = reject
      start(resolve)
    })
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return
    this.#failure = error
    this.#reject?.(error)
    this.#socket.destroy()
    this.#onClosed(this)
  }
}

/** Connects to the receiver; a TLS certificate is verified before anything is sent. */
export async function openStream(
  plan: SyslogPlan,
  signal: AbortSignal,
  onClosed: (connection: StreamConnection) => void,
): Promise<StreamConnection> {
  const { host, port, protocol, connectTimeout } = plan
  const tls = protocol === 'TLS' ? (plan.tls ?? DEFAULT_TLS_PLAN) : null
  const socket =
    tls === null
      ? connect({ host, port })
      : connectSecure({ host, port, ...(isIP(host) === 0 && { servername: host }), ...tlsConnectOptions(tls) })
  socket.setNoDelay(true)
  socket.setKeepAlive(true, 30_000)
  const { promise, resolve, reject } = Promise.withResolvers<StreamConnection>()
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('the receiver closed the connection')))
  socket.once(tls === null ? 'connect' : 'secureConnect', () => {
    const problem = tls === null ? null : serverIdentityProblem(tls, host, socket as TLSSocket)
    if (problem === null) resolve(new StreamConnection(socket, onClosed))
    else reject(new Error(problem))
  })
  try {
    return await within(connectTimeout, signal, `no connection to ${host}:${port}`, promise)
  } catch (error) {
    socket.destroy()
    throw error
  }
}
