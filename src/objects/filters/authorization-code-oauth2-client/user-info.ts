import { createHash } from 'node:crypto'
import type { JsonObject } from '#json'
import { OpenIdError } from '#openid'
import type { Clock } from '#schema'

const MAX_USERS = 10_000
/** Milliseconds that a refusal is cached. */
const REFUSAL_LIFETIME = 60_000

/** Cache of user info by access token, single-flight. */
export class UserInfo {
  readonly #lifetime: number
  readonly #clock: Clock
  readonly #refused: (error: OpenIdError) => void
  readonly #entries = new Map<string, { readonly info: Promise<JsonObject | null>; until: number }>()

  /** `refused` is called where the server refuses the user info of a token. */
  constructor(lifetime: number, clock: Clock, refused: (error: OpenIdError) => void) {
    this.#lifetime = lifetime
    this.#clock = clock
    this.#refused = refused
  }

  /** The user info; null where the server refuses it. Rejects where the server is not available. */
  of(accessToken: string, load: () => Promise<JsonObject>): Promise<JsonObject | null> {
    const key = createHash('sha256').update(accessToken).digest('base64url')
    const known = this.#entries.get(key)
    if (known !== undefined && known.until > this.#clock.monotonic()) return known.info
    const entry = {
      info: load().catch((error: unknown) => this.#withoutInfo(key, error)),
      until: this.#end(this.#lifetime),
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    // A failure is not cached: the next request loads it again.
    entry.info.catch(() => this.#entries.delete(key))
    if (this.#entries.size > MAX_USERS) this.#entries.delete(this.#entries.keys().next().value as string)
    return entry.info
  }

  #withoutInfo(key: string, error: unknown): null {
    if (!(error instanceof OpenIdError) || error.unavailable) throw error
    const entry = this.#entries.get(key)
    if (entry !== undefined) entry.until = this.#end(Math.min(this.#lifetime, REFUSAL_LIFETIME))
    this.#refused(error)
    return null
  }

  #end(lifetime: number): number {
    return this.#clock.monotonic() + lifetime
  }
}
