import { type Exposure, exposed } from '#expression'
import { AuditExtensions, type Recorded } from './audit-extensions.ts'
import type { RequestAudit } from './request-audit.ts'

/** The context `requestAudit`: lets scripts set the user of the access event. Without effect for a request that leaves none. */
export class RequestAuditView {
  readonly #exchange: Recorded

  constructor(exchange: Recorded) {
    this.#exchange = exchange
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

const REQUEST_AUDIT: Exposure<RequestAuditView> = {
  kind: 'requestAudit',
  get: { userId: ({ audit }) => audit?.userId ?? null, auditUserId: ({ audit }) => audit?.userId ?? null },
  set: { userId: setUserId },
  call: { setUserId },
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
