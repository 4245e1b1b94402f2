import type { AccessAuditor, AuditPublisher } from '#http'
import type { JsonObject } from '#json'
import { kind } from '#schema'

/** Publishes audit events; no request waits for it, unless a handler has `onFull: block`. */
export interface AuditService extends AuditPublisher {
  /**
   * Publishes an event of the gateway itself, unless no handler accepts its topic. `_id`, `timestamp` and `transactionId` are filled in
   * where they are missing, also by `send`.
   */
  publish(topic: string, event: JsonObject): void
  /** Why events of a topic can not be sent by filters and scripts; null where they can. */
  topicProblem(topic: string): string | null
  /** Records requests; null where no handler accepts the topic `access`. */
  readonly access: AccessAuditor | null
  /** Whether requests may have to wait for room in a queue (`onFull: block`). */
  readonly mayBeFull: boolean
  /** Whether a request has to wait for it now. */
  readonly isFull: boolean
  waitForRoom(): Promise<void>
  /** Serves the queries of `/api/audit/<topic>`. */
  serveQueries(): void
}

export const AuditServiceKind = kind<AuditService>('AuditService')
