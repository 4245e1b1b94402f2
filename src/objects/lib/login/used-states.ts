import { createHash, randomBytes } from 'node:crypto'
import type { SharedStore } from '#schema'

/**
 * States of completed logins, shared by all units, for the maximum duration of a login. Pending logins are in cookies, which can be
 * copied: this record makes each login usable once.
 */
export class UsedStates {
  readonly #store: SharedStore
  readonly #lifetime: number

  /** The lifetime of a login in milliseconds. */
  constructor(store: SharedStore, lifetime: number) {
    this.#store = store
    this.#lifetime = lifetime
  }

  /** Whether this is the first use of a state; true for one of several concurrent uses. */
  async use(state: string): Promise<boolean> {
    const user = randomBytes(16).toString('base64url')
    return (await this.#store.getOrCreate(keyOf(state), { user }, this.#lifetime))['user'] === user
  }

  /** Makes a state usable again after a login that could not be completed and may be retried. */
  async release(state: string): Promise<void> {
    await this.#store.getAndDelete(keyOf(state))
  }
}

function keyOf(state: string): string {
  return createHash('sha256').update(state).digest('base64url')
}
