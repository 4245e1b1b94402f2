import { createHash, randomUUID } from 'node:crypto'
import type { JsonObject } from '#json'
import { type IssuedTokens, OpenIdError } from '#openid'
import type { KeptRecords } from '#schema'

/** How long the outcome of a refresh stays for requests that came with the old token. */
const OUTCOME_LIFETIME = 60_000
/** How long a request waits for another that refreshes, and how often it looks. */
const PATIENCE = 15_000
const PAUSE = 25

/**
 * One refresh for many requests: servers take a refresh token once, and may end the whole grant when it comes again. Over
 * all units, the first that asks refreshes; the others get what it got.
 */
export class SharedRefresh {
  readonly #records: KeptRecords
  readonly #running = new Map<string, Promise<IssuedTokens>>()

  constructor(records: KeptRecords) {
    this.#records = records
  }

  refresh(refreshToken: string, ask: () => Promise<IssuedTokens>): Promise<IssuedTokens> {
    const key = createHash('sha256').update(refreshToken).digest('base64url')
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const refreshing = this.#once(key, ask).finally(() => this.#running.delete(key))
    this.#running.set(key, refreshing)
    return refreshing
  }

  async #once(key: string, ask: () => Promise<IssuedTokens>): Promise<IssuedTokens> {
    const owner = randomUUID()
    const record = await this.#records.obtain(key, { owner }, OUTCOME_LIFETIME)
    if (record.owner !== owner) return this.#outcome(key)
    try {
      const tokens = await ask()
      await this.#records.change(key, { set: { tokens } }, OUTCOME_LIFETIME)
      return tokens
    } catch (error) {
      // The next request may try again where nobody could be asked; a refusal stays one.
      if (!(error instanceof OpenIdError) || error.unavailable) await this.#records.take(key)
      else await this.#records.change(key, { set: { refused: [error.error, error.description] } }, OUTCOME_LIFETIME)
      throw error
    }
  }

  async #outcome(key: string): Promise<IssuedTokens> {
    for (let waited = 0; waited < PATIENCE; waited += PAUSE) {
      const record = (await this.#records.read(key)) as JsonObject | null
      if (record?.['tokens'] !== undefined) return record['tokens'] as unknown as IssuedTokens
      const refused = record?.['refused'] as [string, string] | undefined
      if (refused !== undefined) throw new OpenIdError(refused[0], refused[1], false)
      if (record === null) break
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
    throw new OpenIdError('temporarily_unavailable', 'another request was to refresh the token and did not', true)
  }
}
