import { type Exposure, exposed } from '#expression'
import { jsonCopy } from './json-copy.ts'
import type { RequestAudit } from './request-audit.ts'

/** An exchange, as far as this file needs it: its record is replaced where a route has an audit service of its own. */
interface Recorded {
  readonly audit: RequestAudit | null
}

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
  readonly #exchange: Recorded

  constructor(exchange: Recorded) {
    this.#exchange = exchange
  }

  get audit(): RequestAudit | null {
    return this.#exchange.audit
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

function extendWith({ audit }: AccessAuditExtensionView, key: unknown, value: unknown): void {
  audit?.extendWith(String(key), jsonCopy(value))
}

const EXTENSION: Exposure<AccessAuditExtensionView> = {
  kind: 'accessAuditExtension',
  index: ({ audit }, key) => audit?.extension?.[key] ?? null,
  assignIndex: extendWith,
  keys: ({ audit }) => Object.keys(audit?.extension ?? {}),
  call: {
    extendWith: (self, key, value) => {
      extendWith(self, key, value)
      return self
    },
  },
}
