import type { Clock } from '../clock.ts'
import { JmsError, MessageRefused } from '../jms-error.ts'
import type { JmsMessage } from '../producer.ts'
import { DataOutput } from './data-output.ts'
import { describe, type OpenWireConnection } from './openwire-connection.ts'
import { type ClientIds, encodeTransaction } from './outbound-command.ts'
import type { Responses } from './responses.ts'
import type { TextMessageEncoder } from './text-message-encoder.ts'
import type { TransactionSize } from './transaction-size.ts'

/** Bytes that are written at once; more than those of a transaction. */
const CHUNK = 256 * 1024
/** Bytes of messages that wait for a response, at most. */
const MAX_UNANSWERED = 1024 * 1024
/** The broker counts at least this for a message, beside its content. */
const COUNTED_OVERHEAD = 1024

/** Exceptions about the message itself: the broker would refuse it again. */
const FOR_GOOD = /\.(?:MessageFormatException|MessageNotWriteableException)$/

interface SenderParts {
  readonly connection: OpenWireConnection
  readonly responses: Responses
  readonly ids: ClientIds
  readonly encoder: TextMessageEncoder
  readonly clock: Clock
  /** Of the frames that the broker reads. */
  readonly maxFrameSize: number
  readonly isPersistent: boolean
  readonly transactionSize: TransactionSize
  /** Bytes without acknowledgement where messages are not persistent; 0 for no limit. */
  readonly window: number
  /** Milliseconds without progress. */
  readonly timeout: number
}

/**
 * Sends the messages of one producer. PERSISTENT messages of a call are transactions, which a broker writes to its disk
 * at once instead of one by one; of NON_PERSISTENT ones the last requires a response, since a broker handles the
 * commands of a connection in order.
 */
export class MessageSender {
  readonly #parts: SenderParts
  readonly #output = new DataOutput()
  #sequence = 0
  #transaction = 0

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /** Resolves when the broker has accepted the messages, or with the first that it never will. */
  async send(messages: readonly JmsMessage[]): Promise<MessageRefused | null> {
    const tooLarge = this.#firstTooLarge(messages)
    const accepted = tooLarge === null ? messages : messages.slice(0, tooLarge.index)
    if (!this.#parts.isPersistent) await this.#sendInOrder(accepted)
    else await this.#sendPersistent(accepted)
    return this.#refusal() ?? tooLarge
  }

  /** A frame beyond the limit would make the broker close the connection. */
  #firstTooLarge(messages: readonly JmsMessage[]): MessageRefused | null {
    const { encoder, maxFrameSize } = this.#parts
    if (maxFrameSize === Number.POSITIVE_INFINITY) return null
    const index = messages.findIndex((message) => encoder.exceeds(maxFrameSize, message))
    if (index === -1) return null
    return new MessageRefused(index, `the message exceeds the broker's limit of ${maxFrameSize} bytes (maxFrameSize)`)
  }

  async #sendPersistent(messages: readonly JmsMessage[]): Promise<void> {
    const { responses, transactionSize } = this.#parts
    if (messages.length === 1 || transactionSize.bytes === 0) {
      await this.#sendEach(messages, 0)
      transactionSize.accepted()
      return
    }
    for (let start = 0; start < messages.length; ) {
      const end = await this.#sendTransaction(messages, start).catch((error: unknown) => {
        transactionSize.failed()
        throw error
      })
      if (responses.takeException() !== null) {
        // The transaction is rolled back as a whole: sent one by one, the responses name the message to blame.
        await this.#sendEach(messages.slice(start), start)
        return
      }
      transactionSize.accepted()
      start = end
    }
  }

  /** Sends messages from a position on in one transaction, and returns the position after them. */
  async #sendTransaction(messages: readonly JmsMessage[], start: number): Promise<number> {
    const { connection, responses, ids, transactionSize } = this.#parts
    const transaction = ++this.#transaction
    this.#output.bytes(encodeTransaction('BEGIN', connection.nextCommandId(), ids, transaction))
    let at = start
    for (let bytes = 0; at < messages.length && bytes < transactionSize.bytes; at++) {
      bytes += this.#append(messages[at] as JmsMessage, null, transaction)
      if (this.#output.length >= CHUNK) await this.#flush()
    }
    const commandId = connection.nextCommandId()
    responses.expect(commandId, start, 0)
    this.#output.bytes(encodeTransaction('COMMIT_ONE_PHASE', commandId, ids, transaction))
    await this.#complete()
    return at
  }

  /** A response for each message. */
  async #sendEach(messages: readonly JmsMessage[], offset: number): Promise<void> {
    for (const [index, message] of messages.entries()) {
      this.#append(message, offset + index)
      if (this.#output.length >= CHUNK) await this.#flush()
    }
    await this.#complete()
  }

  /** A response for the last message. */
  async #sendInOrder(messages: readonly JmsMessage[]): Promise<void> {
    const { window, responses } = this.#parts
    const chunk = window === 0 ? CHUNK : Math.min(CHUNK, window)
    for (const [index, message] of messages.entries()) {
      const isLast = index === messages.length - 1
      const size = this.#append(message, isLast ? index : null)
      if (!isLast) responses.windowBytes += COUNTED_OVERHEAD + size
      if (this.#output.length >= chunk) await this.#flush()
    }
    await this.#complete()
    responses.windowBytes = 0
  }

  /** Encodes a message and returns its size. It requires a response where it has a position. */
  #append(message: JmsMessage, position: number | null, transaction = 0): number {
    const { connection, encoder, responses, clock } = this.#parts
    const commandId = connection.nextCommandId()
    const size = encoder.write(this.#output, message, {
      commandId,
      responseRequired: position !== null,
      transaction,
      sequence: ++this.#sequence,
      timestamp: clock.now(),
    })
    if (position !== null) responses.expect(commandId, position, size)
    return size
  }

  /** Writes the encoded commands, and waits until the broker has taken enough of them. */
  async #flush(): Promise<void> {
    if (this.#output.length === 0) return
    const { connection, responses, window, timeout } = this.#parts
    connection.write(this.#output.take())
    const hasRoom = (): boolean =>
      connection.isWritable && responses.bytes < MAX_UNANSWERED && (window === 0 || responses.windowBytes < window)
    await connection.progress.until(hasRoom, timeout, 'no progress of messages (the broker may limit producers)')
  }

  async #complete(): Promise<void> {
    await this.#flush()
    const { connection, responses, timeout } = this.#parts
    await connection.progress.until(() => responses.isComplete, timeout, 'no acknowledgement of messages')
    // A broker that lies may have responded to bytes that it has not read.
    if (connection.isFlushed) this.#output.reuseTaken()
  }

  /** The exception of the first message with one: returned where the message is to blame, else thrown. */
  #refusal(): MessageRefused | null {
    const failed = this.#parts.responses.takeException()
    if (failed === null) return null
    const { index, exception } = failed
    if (FOR_GOOD.test(exception.className)) return new MessageRefused(index, describe(exception))
    throw new JmsError(describe(exception))
  }
}
