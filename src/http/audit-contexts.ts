import { type Exposure, exposed } from '#expression'
import { AuditExtensions, type Recorded } from './audit-extensions.ts'
import type { RequestAudit } from './request-audit.ts'

/** An exchange, as far as this file needs it. */
interface Received extends Recorded {
  readonly receivedAt: number
}

/**
 * The context `requestAudit`: when the request was received, and user and tracking ids of the access event, which scripts can set. That
 * has no effect for a request that leaves no event.
 */
export class RequestAuditView {
  readonly #exchange: Received

  constructor(exchange: Received) {
    this.#exchange = exchange
  }

  get receivedAt(): number {
    return this.#exchange.receivedAt
  }

  get audit(): RequestAudit | null {
    return this.#exchange.audit
  }

  get [exposed](): Exposure<RequestAuditView> {
    return REQUEST_AUDIT
  }
}

/** The context `accessAuditExtension`: custom entries of the access event. */
export class AccessAuditExtensionView {
  readonly extensions: AuditExtensions

  constructor(exchange: Recorded) {
    this.extensions = new AuditExtensions(exchange)
  }

  get [exposed](): Exposure<AccessAuditExtensionView> {
    return EXTENSION
  }
}

function setUserId({ audit }: RequestAuditView, userId: unknown): void {
  if (audit !== null) audit.userId = userId === null || userId === undefined ? null : String(userId)
}

function addTrackingId({ audit }: RequestAuditView, id: unknown): void {
  if (id !== null && id !== undefined) audit?.addTrackingId(String(id))
}

const REQUEST_AUDIT: Exposure<RequestAuditView> = {
  kind: 'requestAudit',
  get: {
    userId: ({ audit }) => audit?.userId ?? null,
    auditUserId: ({ audit }) => audit?.userId ?? null,
    requestReceivedTime: ({ receivedAt }) => receivedAt,
    trackingIds: ({ audit }) => [...(audit?.trackingIds ?? [])],
  },
  set: { userId: setUserId },
  call: { setUserId, addTrackingId },
}

const EXTENSION: Exposure<AccessAuditExtensionView> = {
  kind: 'accessAuditExtension',
  get: { extensions: ({ extensions }) => extensions },
  set: { extensions: ({ extensions }, entries) => extensions.replace(entries) },
  // Entries are members of the context too.
  index: ({ extensions }, key) => extensions.get(String(key)),
  assignIndex: ({ extensions }, key, value) => extensions.set(String(key), value),
  keys: ({ extensions }) => extensions.keys(),
  call: {
    extendWith: (self, key, value) => {
      self.extensions.set(String(key), value)
      return self
    },
  },
}
