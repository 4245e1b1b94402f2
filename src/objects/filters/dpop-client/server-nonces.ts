/** Maximum of servers whose nonce is cached; the oldest is evicted. */
const MAX_SERVERS = 1_000
/** Characters of a nonce (RFC 9449 section 8.1). */
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/

/** The last nonce of each server. */
export class ServerNonces {
  readonly #byOrigin = new Map<string, string>()

  get(origin: string): string | null {
    return this.#byOrigin.get(origin) ?? null
  }

  /** Whether the nonce is valid. */
  set(origin: string, nonce: string): boolean {
    if (!NONCE.test(nonce)) return false
    this.#byOrigin.delete(origin)
    this.#byOrigin.set(origin, nonce)
    if (this.#byOrigin.size > MAX_SERVERS) this.#byOrigin.delete(this.#byOrigin.keys().next().value as string)
    return true
  }
}
