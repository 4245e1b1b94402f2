import type { JsonObject } from '#json'
import { kind } from '#schema'

/** Takes audit events and publishes them; never keeps a request waiting. */
export interface AuditService {
  publish(topic: string, event: JsonObject): void
}

/** The kind of audit services. */
export const AuditServiceKind = kind<AuditService>('AuditService')
