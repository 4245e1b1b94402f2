import { createHash, randomBytes } from 'node:crypto'
import type { SharedStore } from '#schema'

/**
 * The states of logins that came to an end, over all units of a gateway, for as long as a login may take. A browser keeps its
 * logins in cookies, of which it can hold a copy: only what is remembered here makes a login serve once.
 */
export class UsedStates {
  readonly #store: SharedStore
  readonly #lifetime: number

  /** The lifetime of a login in milliseconds. */
  constructor(store: SharedStore, lifetime: number) {
    this.#store = store
    this.#lifetime = lifetime
  }

  /** Whether this is the first use of a state; of several at the same moment one is the first. */
  async use(state: string): Promise<boolean> {
    const user = randomBytes(16).toString('base64url')
    return (await this.#store.getOrCreate(keyOf(state), { user }, this.#lifetime))['user'] === user
  }

  /** Makes a state usable again, where the login could not be completed and may be tried once more. */
  async release(state: string): Promise<void> {
    await this.#store.getAndDelete(keyOf(state))
  }
}

function keyOf(state: string): string {
  return createHash('sha256').update(state).digest('base64url')
}
