import { createHash } from 'node:crypto'
import type { JsonObject } from '#json'
import type { Clock } from '#schema'

const MAX_USERS = 10_000

/** What servers know of users, kept for a while, asked for once by many requests. */
export class UserInfo {
  readonly #lifetime: number
  readonly #clock: Clock
  readonly #known = new Map<string, { readonly info: Promise<JsonObject>; readonly until: number }>()

  constructor(lifetime: number, clock: Clock) {
    this.#lifetime = lifetime
    this.#clock = clock
  }

  of(accessToken: string, ask: () => Promise<JsonObject>): Promise<JsonObject> {
    const key = createHash('sha256').update(accessToken).digest('base64url')
    const known = this.#known.get(key)
    if (known !== undefined && known.until > this.#clock.monotonic()) return known.info
    const info = ask()
    this.#known.delete(key)
    this.#known.set(key, { info, until: this.#clock.monotonic() + this.#lifetime })
    // A failure is not kept: the next request asks again.
    info.catch(() => this.#known.delete(key))
    if (this.#known.size > MAX_USERS) this.#known.delete(this.#known.keys().next().value as string)
    return info
  }
}
