import type { Logger } from '#logging'
import type { Clock } from '#schema'

/** One JMS TextMessage. */
export interface JmsMessage {
  /** Becomes JMSCorrelationID, by which consumers recognise a message that was sent again. */
  readonly id: string
  readonly text: string
  /** Both in UTF-8, where they are encoded already. */
  readonly encoded?: EncodedMessage
}

/** Ranges of bytes. */
interface EncodedMessage {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  readonly idStart: number
  readonly idEnd: number
  /** Whether all are ASCII, without U+0000. */
  readonly isAscii: boolean
}

/** Sends text messages to one topic or queue, in order. `send` is called once at a time. */
export interface JmsProducer {
  /**
   * Resolves when the broker has accepted the messages. Rejects with JmsError where it has not, within its own
   * deadlines or at once when the signal aborts; with MessageRefused for a message that it never will.
   * Connects when necessary.
   */
  send(messages: readonly JmsMessage[], signal: AbortSignal): Promise<void>
  /** Closes the connection within a bounded time; idempotent. */
  close(): Promise<void>
}

/** Services for producers. */
export interface ProducerEnv {
  readonly logger: Logger
  readonly clock: Clock
}
