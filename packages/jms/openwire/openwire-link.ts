import { randomUUID } from 'node:crypto'
import type { BrokerLink, OpenLink } from '../failover-producer.ts'
import { JmsError, MessageRefused, reasonOf } from '../jms-error.ts'
import type { JmsMessage, ProducerEnv } from '../producer.ts'
import type { Endpoint, ProducerPlan } from '../producer-plan.ts'
import { openSocket } from '../socket.ts'
import { MessageSender } from './message-sender.ts'
import { describe, OpenWireConnection } from './openwire-connection.ts'
import {
  type ClientIds,
  encodeConnectionInfo,
  encodeProducerInfo,
  encodeRemoveConnection,
  encodeSessionInfo,
  encodeShutdownInfo,
} from './outbound-command.ts'
import { Responses } from './responses.ts'
import { TextMessageEncoder } from './text-message-encoder.ts'
import { TransactionSize } from './transaction-size.ts'

/** Timeout in milliseconds of the response to ShutdownInfo and RemoveInfo. */
const CLOSE_TIMEOUT = 1_000

/** Opens connections, each with one session and one producer. */
export function openWireLinks(plan: ProducerPlan, env: ProducerEnv): OpenLink {
  const transactionSize = new TransactionSize()
  return async (endpoint, signal) => {
    const socket = await openSocket(endpoint, plan.tls, env, signal)
    const responses = new Responses()
    const connection = new OpenWireConnection(socket, env.clock, endpoint.idleTimeout, responses)
    const link = new OpenWireLink(connection, responses, plan, env, transactionSize)
    await link.open(endpoint, signal)
    return link
  }
}

class OpenWireLink implements BrokerLink {
  readonly #connection: OpenWireConnection
  readonly #responses: Responses
  readonly #plan: ProducerPlan
  readonly #env: ProducerEnv
  #ids: ClientIds
  readonly #transactionSize: TransactionSize
  #sender: MessageSender | null = null

  constructor(
    connection: OpenWireConnection,
    responses: Responses,
    plan: ProducerPlan,
    env: ProducerEnv,
    transactionSize: TransactionSize,
  ) {
    this.#transactionSize = transactionSize
    this.#connection = connection
    this.#responses = responses
    this.#plan = plan
    this.#env = env
    const connectionId = `ID:identity-gateway-${randomUUID()}:1`
    this.#ids = { connectionId, clientId: plan.connection.clientId ?? connectionId, hasCache: false }
  }

  get isOpen(): boolean {
    return this.#connection.isOpen
  }

  open({ host, connectTimeout }: Endpoint, signal: AbortSignal): Promise<void> {
    return this.#guard(signal, async () => {
      const { connection, deliveryMode } = this.#plan
      const { destination, userName, password } = connection
      const { version, maxFrameSize, hasCache } = await this.#connection.negotiate(host, connectTimeout)
      this.#ids = { ...this.#ids, hasCache }
      await this.#request((id) => encodeConnectionInfo(id, this.#ids, { userName, password }), connectTimeout)
      this.#connection.write(encodeSessionInfo(this.#connection.nextCommandId(), this.#ids))
      const isPersistent = deliveryMode === 'PERSISTENT'
      const window = isPersistent ? 0 : connection.producerWindow
      await this.#request((id) => encodeProducerInfo(id, this.#ids, destination, window), connectTimeout)
      this.#sender = new MessageSender({
        connection: this.#connection,
        responses: this.#responses,
        ids: this.#ids,
        encoder: new TextMessageEncoder(version, this.#ids, destination, isPersistent),
        clock: this.#env.clock,
        maxFrameSize,
        isPersistent,
        transactionSize: this.#transactionSize,
        window,
        timeout: connection.sendTimeout,
      })
    })
  }

  async send(messages: readonly JmsMessage[], signal: AbortSignal): Promise<void> {
    const refused = await this.#guard(signal, async () => this.#sender?.send(messages))
    if (refused instanceof MessageRefused) throw refused
  }

  async close(): Promise<void> {
    if (!this.isOpen) return
    const connection = this.#connection
    try {
      await this.#request((id) => encodeRemoveConnection(id, this.#ids), CLOSE_TIMEOUT)
      connection.write(encodeShutdownInfo(connection.nextCommandId()))
    } catch {
      // The broker does not answer: the socket is closed all the same.
    }
    await connection.end(CLOSE_TIMEOUT)
  }

  /** Sends a command and waits for its response. */
  async #request(encode: (commandId: number) => Buffer, timeout: number): Promise<void> {
    const commandId = this.#connection.nextCommandId()
    this.#responses.expect(commandId, 0, 0)
    this.#connection.write(encode(commandId))
    await this.#connection.progress.until(() => this.#responses.isComplete, timeout, 'no response of the broker')
    const failed = this.#responses.takeException()
    if (failed !== null) throw new JmsError(describe(failed.exception))
  }

  /** Runs an exchange with the broker. It fails when the signal aborts, and a failure closes the connection. */
  async #guard<T>(signal: AbortSignal, exchange: () => Promise<T>): Promise<T> {
    const onAbort = (): void => this.#connection.fail('aborted')
    signal.addEventListener('abort', onAbort)
    try {
      if (signal.aborted) onAbort()
      return await exchange()
    } catch (error) {
      this.#connection.fail(reasonOf(error))
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }
}
