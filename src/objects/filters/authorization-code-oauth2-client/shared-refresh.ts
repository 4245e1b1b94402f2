import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type IssuedTokens, OpenIdError } from '#openid'
import type { Clock, SharedRecord, SharedStore } from '#schema'

/** A claim lasts this long after the owner's last renewal; then another request takes over from an owner that died. */
const LEASE = 10_000
const LEASE_RENEWAL = 2_500
/** TTL of tokens, or of the server's refusal, for requests with the old token. */
const OUTCOME_LIFETIME = 60_000
/** TTL of the failure of a server that is unavailable. */
const FAILURE_LIFETIME = 1_000
/** Longest wait for the outcome of another request, and poll interval. */
const WAIT_LIMIT = 30_000
const POLL_INTERVAL = 25

/** Tokens of a refresh, with the moment their lifetime is counted from. */
interface RefreshedTokens {
  readonly tokens: IssuedTokens
  /** Time of the token request, in milliseconds since the epoch. */
  readonly askedAt: number
}

/** Outcome in the record of a refresh that has finished. */
type Outcome = RefreshedTokens | { readonly failure: { error: string; description: string; unavailable: boolean } }

/**
 * Single-flight of token refreshes over all units: servers take a refresh token once, and may end the whole grant when it
 * comes again. The first request that asks refreshes; the others get what it got.
 */
export class SharedRefresh {
  readonly #store: SharedStore
  readonly #clock: Clock
  readonly #running = new Map<string, Promise<RefreshedTokens>>()

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  refresh(refreshToken: string, ask: () => Promise<IssuedTokens>): Promise<RefreshedTokens> {
    const key = createHash('sha256').update(refreshToken).digest('base64url')
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const refreshing = this.#once(key, ask).finally(() => this.#running.delete(key))
    this.#running.set(key, refreshing)
    return refreshing
  }

  async #once(key: string, ask: () => Promise<IssuedTokens>): Promise<RefreshedTokens> {
    const owner = randomUUID()
    const deadline = performance.now() + WAIT_LIMIT
    for (;;) {
      const record = await this.#store.getOrCreate(key, { owner }, LEASE)
      if (record['owner'] === owner) return this.#own(key, ask)
      const outcome = outcomeOf(record) ?? (await this.#outcome(key, deadline))
      if (outcome === null) continue
      if ('tokens' in outcome) return outcome
      const { error, description, unavailable } = outcome.failure
      throw new OpenIdError(error, description, unavailable)
    }
  }

  /** Waits for the outcome of another request; null where its owner died, so that the claim ended. */
  async #outcome(key: string, deadline: number): Promise<Outcome | null> {
    while (performance.now() < deadline) {
      await pause(POLL_INTERVAL)
      const record = await this.#store.get(key)
      if (record === null) return null
      const outcome = outcomeOf(record)
      if (outcome !== null) return outcome
    }
    const description = 'another request refreshes the token and has not finished in time'
    throw new OpenIdError('temporarily_unavailable', description, true)
  }

  async #own(key: string, ask: () => Promise<IssuedTokens>): Promise<RefreshedTokens> {
    const askedAt = this.#clock.now()
    const renewal = setInterval(() => this.#store.updateIfPresent(key, {}, LEASE).catch(() => {}), LEASE_RENEWAL)
    try {
      const outcome = { tokens: await ask(), askedAt }
      await this.#keep(key, { outcome }, OUTCOME_LIFETIME)
      return outcome
    } catch (error) {
      const { error: code, description, unavailable } = refusalOf(error)
      const failure = { error: code, description, unavailable }
      await this.#keep(key, { outcome: { failure } }, unavailable ? FAILURE_LIFETIME : OUTCOME_LIFETIME)
      throw error
    } finally {
      clearInterval(renewal)
    }
  }

  /** A failure to store the outcome does not change that of this request. */
  async #keep(key: string, set: SharedRecord, lifetime: number): Promise<void> {
    await this.#store.update(key, { set }, lifetime).catch(() => {})
  }
}

function outcomeOf({ outcome }: SharedRecord): Outcome | null {
  return (outcome as Outcome | undefined) ?? null
}

/** Another fault than one of the protocol says nothing about the refresh token. */
function refusalOf(error: unknown): OpenIdError {
  if (error instanceof OpenIdError) return error
  return new OpenIdError('temporarily_unavailable', 'the refresh of the token failed', true)
}
