import { randomUUID } from 'node:crypto'
import type { BrokerLink } from '../failover-producer.ts'
import { JmsError, MessageRefused, reasonOf } from '../jms-error.ts'
import type { JmsMessage, ProducerEnv } from '../producer.ts'
import type { Endpoint, ProducerPlan } from '../producer-plan.ts'
import { openSocket } from '../socket.ts'
import { DataOutput } from './data-output.ts'
import type { BrokerException } from './inbound-command.ts'
import { type ConnectionEvents, describe, OpenWireConnection } from './openwire-connection.ts'
import {
  type ClientIds,
  encodeConnectionInfo,
  encodeProducerInfo,
  encodeRemoveConnection,
  encodeSessionInfo,
  encodeShutdownInfo,
  TextMessageEncoder,
} from './outbound-command.ts'
import type { Negotiated } from './wire-format.ts'

/** Bytes of messages that are written at once. */
const CHUNK = 64 * 1024
/** Bytes of PERSISTENT messages without response, which bounds the memory of a broker that does not answer. */
const MAX_UNANSWERED = 1024 * 1024
/** Milliseconds for the broker to answer that it has closed the connection. */
const CLOSE_TIMEOUT = 1_000
/** The broker counts at least this for a message, beside its content. */
const COUNTED_OVERHEAD = 1024

/** Exceptions about the message itself: the broker would refuse it again. */
const FOR_GOOD = /\.(?:MessageFormatException|MessageNotWriteableException)$/

/** Opens a connection with one session and one producer. */
export async function openOpenWireLink(
  plan: ProducerPlan,
  env: ProducerEnv,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<BrokerLink> {
  const socket = await openSocket(endpoint, plan.tls, signal)
  const link = new OpenWireLink(plan, env, (events) => {
    return new OpenWireConnection(socket, env.clock, endpoint.idleTimeout, events)
  })
  await link.open(endpoint, signal)
  return link
}

type Connect = (events: ConnectionEvents) => OpenWireConnection

class OpenWireLink implements BrokerLink {
  readonly #plan: ProducerPlan
  readonly #env: ProducerEnv
  readonly #connection: OpenWireConnection
  readonly #ids: ClientIds
  readonly #output = new DataOutput()
  #negotiated: Negotiated | null = null
  #encoder: TextMessageEncoder | null = null
  #sequence = 0
  /** Commands without response: the position of a message in its call, and its size. */
  readonly #unanswered = new Map<number, { readonly index: number; readonly size: number }>()
  #unansweredBytes = 0
  /** Bytes of messages that the broker has not acknowledged within the window of the producer. */
  #windowBytes = 0
  #exception: { readonly index: number; readonly exception: BrokerException } | null = null

  constructor(plan: ProducerPlan, env: ProducerEnv, connect: Connect) {
    this.#plan = plan
    this.#env = env
    const connectionId = `ID:identity-gateway-${randomUUID()}:1`
    this.#ids = { connectionId, clientId: plan.connection.clientId ?? connectionId }
    this.#connection = connect({
      response: (commandId, exception) => this.#onResponse(commandId, exception),
      producerAck: (size) => {
        this.#windowBytes = Math.max(0, this.#windowBytes - size)
      },
    })
  }

  get isOpen(): boolean {
    return this.#connection.isOpen
  }

  open({ host, connectTimeout }: Endpoint, signal: AbortSignal): Promise<void> {
    return this.#guard(signal, async () => {
      const { connection, deliveryMode } = this.#plan
      const { destination, userName, password } = connection
      this.#negotiated = await this.#connection.negotiate(host, connectTimeout)
      const isPersistent = deliveryMode === 'PERSISTENT'
      this.#encoder = new TextMessageEncoder(this.#negotiated.version, this.#ids, destination, isPersistent)
      await this.#request((id) => encodeConnectionInfo(id, this.#ids, { userName, password }), connectTimeout)
      this.#connection.write(encodeSessionInfo(this.#connection.nextCommandId(), this.#ids))
      const window = isPersistent ? 0 : connection.producerWindow
      await this.#request((id) => encodeProducerInfo(id, this.#ids, destination, window), connectTimeout)
    })
  }

  async send(messages: readonly JmsMessage[], signal: AbortSignal): Promise<void> {
    const refused = await this.#guard(signal, () => this.#sendAll(messages))
    if (refused !== null) throw refused
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

  /** Sends the messages and waits for the responses; nothing is sent after a message that is too large. */
  async #sendAll(messages: readonly JmsMessage[]): Promise<MessageRefused | null> {
    const tooLarge = this.#firstTooLarge(messages)
    const count = tooLarge?.index ?? messages.length
    const isPersistent = this.#plan.deliveryMode === 'PERSISTENT'
    const chunk = isPersistent ? CHUNK : Math.min(CHUNK, this.#plan.connection.producerWindow)
    for (let index = 0; index < count; index++) {
      // A broker handles the commands of a connection in order: the last response covers those before.
      this.#append(messages[index] as JmsMessage, index, isPersistent || index === count - 1)
      if (this.#output.length >= chunk) await this.#flush()
    }
    await this.#flush()
    await this.#until(() => this.#unanswered.size === 0, 'no acknowledgement of messages')
    this.#windowBytes = 0
    return this.#refusal() ?? tooLarge
  }

  #firstTooLarge(messages: readonly JmsMessage[]): MessageRefused | null {
    const [encoder, negotiated] = [this.#encoder, this.#negotiated]
    if (encoder === null || negotiated === null) return null
    const { maxFrameSize } = negotiated
    const index = messages.findIndex(({ id, text }) => encoder.exceeds(maxFrameSize, id, text))
    if (index === -1) return null
    // A larger frame would make the broker close the connection.
    return new MessageRefused(index, `the message exceeds the broker's limit of ${maxFrameSize} bytes (maxFrameSize)`)
  }

  #append({ id, text }: JmsMessage, index: number, responseRequired: boolean): void {
    const commandId = this.#connection.nextCommandId()
    const size = this.#encoder?.write(this.#output, {
      commandId,
      responseRequired,
      sequence: ++this.#sequence,
      correlationId: id,
      timestamp: this.#env.clock.now(),
      text,
    }) as number
    if (responseRequired) {
      this.#unanswered.set(commandId, { index, size })
      this.#unansweredBytes += size
    } else {
      this.#windowBytes += COUNTED_OVERHEAD + size
    }
  }

  /** Writes what is encoded, once the broker has taken enough of the earlier bytes. */
  async #flush(): Promise<void> {
    if (this.#output.length === 0) return
    this.#connection.write(this.#output.take())
    const { producerWindow } = this.#plan.connection
    await this.#until(
      () =>
        this.#connection.isWritable &&
        this.#unansweredBytes < MAX_UNANSWERED &&
        (this.#windowBytes < producerWindow || producerWindow === 0),
      'no progress of messages (the broker may limit producers)',
    )
  }

  #until(condition: () => boolean, expected: string): Promise<void> {
    return this.#connection.progress.until(condition, this.#plan.connection.sendTimeout, expected)
  }

  #onResponse(commandId: number, exception: BrokerException | null): void {
    const answered = this.#unanswered.get(commandId)
    if (answered === undefined) return
    this.#unanswered.delete(commandId)
    this.#unansweredBytes -= answered.size
    if (exception === null || (this.#exception !== null && this.#exception.index <= answered.index)) return
    this.#exception = { index: answered.index, exception }
  }

  /** The exception of the first message with one: returned where the message is to blame, else thrown. */
  #refusal(): MessageRefused | null {
    if (this.#exception === null) return null
    const { index, exception } = this.#exception
    this.#exception = null
    if (FOR_GOOD.test(exception.className)) return new MessageRefused(index, describe(exception))
    throw new JmsError(describe(exception))
  }

  /** Sends a command and waits for its response. */
  async #request(encode: (commandId: number) => Buffer, timeout: number): Promise<void> {
    const commandId = this.#connection.nextCommandId()
    this.#unanswered.set(commandId, { index: 0, size: 0 })
    this.#connection.write(encode(commandId))
    const isAnswered = (): boolean => !this.#unanswered.has(commandId)
    await this.#connection.progress.until(isAnswered, timeout, 'no response of the broker')
    this.#refusal()
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
