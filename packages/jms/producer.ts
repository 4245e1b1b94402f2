import type { X509Certificate } from 'node:crypto'
import type { Clock } from './clock.ts'

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

/** What a producer needs of its surroundings. */
export interface ProducerEnv {
  readonly clock: Clock
  /** A connection to a broker is ready; `host:port` of its address. */
  onConnected?(broker: string): void
  /** Why a certificate does not name a host; null where it does. Without it a host must be among the alternative names. */
  identityProblem?(host: string, certificate: X509Certificate | undefined): string | null
}
