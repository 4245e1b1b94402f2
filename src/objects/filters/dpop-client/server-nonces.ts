/** Servers whose nonce is kept; the one that was set longest ago is dropped. */
const MAX_SERVERS = 1_000
/** RFC 9449 section 8.1: what may stand in a nonce. */
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/

/** The last nonce that each server has sent. */
export class ServerNonces {
  readonly #byOrigin = new Map<string, string>()

  get(origin: string): string | null {
    return this.#byOrigin.get(origin) ?? null
  }

  /** Whether the nonce is one that can be used. */
  set(origin: string, nonce: string): boolean {
    if (!NONCE.test(nonce)) return false
    this.#byOrigin.delete(origin)
    this.#byOrigin.set(origin, nonce)
    if (this.#byOrigin.size > MAX_SERVERS) this.#byOrigin.delete(this.#byOrigin.keys().next().value as string)
    return true
  }
}
