import type { AccessAuditor } from '#http'
import type { JsonObject } from '#json'
import { kind } from '#schema'

/** Publishes audit events; no request waits for it, unless a handler has `onFull: block`. */
export interface AuditService {
  /** `_id`, `timestamp` and `transactionId` are filled in where they are missing. */
  publish(topic: string, event: JsonObject): void
  /** Records requests; null where no handler accepts the topic `access`. */
  readonly access: AccessAuditor | null
  /** Whether a request has to wait for room in a queue (`onFull: block`). */
  readonly isFull: boolean
  waitForRoom(): Promise<void>
  /** Serves the queries of `/api/audit/<topic>`. */
  serveQueries(): void
}

export const AuditServiceKind = kind<AuditService>('AuditService')
