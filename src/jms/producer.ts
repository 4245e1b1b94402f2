import type { Logger } from '#logging'
import type { Clock } from '#schema'

/** One JMS TextMessage. */
export interface JmsMessage {
  /** Becomes JMSCorrelationID, by which consumers recognise a message that was sent again. */
  readonly id: string
  readonly text: string
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
