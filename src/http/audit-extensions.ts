import { type Exposure, exposed } from '#expression'
import { isPlainObject } from '#json'
import { jsonCopy } from './json-copy.ts'
import type { RequestAudit } from './request-audit.ts'

/** An exchange, as far as this file needs it: its record is replaced where a route has an audit service of its own. */
export interface Recorded {
  readonly audit: RequestAudit | null
}

/** The custom entries of the access event, as a live map of JSON values; null removes. Without a record it stays empty. */
export class AuditExtensions {
  readonly #exchange: Recorded

  constructor(exchange: Recorded) {
    this.#exchange = exchange
  }

  get(key: string): unknown {
    return this.#exchange.audit?.extension?.[key] ?? null
  }

  set(key: string, value: unknown): void {
    this.#exchange.audit?.extendWith(key, jsonCopy(value))
  }

  delete(key: string): void {
    const { audit } = this.#exchange
    if (audit === null || audit.extension === null) return
    delete audit.extension[key]
    // An event without entries has no map of them.
    if (Object.keys(audit.extension).length === 0) audit.extension = null
  }

  keys(): string[] {
    return Object.keys(this.#exchange.audit?.extension ?? {})
  }

  /** The entries of another map in place of these; null for none. */
  replace(entries: unknown): void {
    const copy = jsonCopy(entries ?? {})
    if (!isPlainObject(copy)) throw new TypeError('the extensions of an access event are a map')
    for (const key of this.keys()) this.delete(key)
    for (const [key, value] of Object.entries(copy)) this.set(key, value)
  }

  get [exposed](): Exposure<AuditExtensions> {
    return EXPOSURE
  }
}

const EXPOSURE: Exposure<AuditExtensions> = {
  kind: 'extensions',
  index: (self, key) => self.get(String(key)),
  assignIndex: (self, key, value) => {
    if (value === null || value === undefined) self.delete(String(key))
    else self.set(String(key), value)
  },
  keys: (self) => self.keys(),
}
