import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type IssuedTokens, OpenIdError } from '#openid'
import type { Clock, SharedRecord, SharedStore } from '#schema'
import type { SessionTokens } from './login-session.ts'

/** A claim expires this long after the last renewal by its owner; then another request takes over. */
const LEASE = 10_000
const LEASE_RENEWAL = 2_500
/** TTL of new tokens, or of the end of the grant, for requests with the old ones. */
const OUTCOME_LIFETIME = 60_000
/** TTL of outcomes after which the server is asked again: it was unavailable, its response malformed, or the tokens are the old ones. */
const BRIEF_LIFETIME = 1_000
/** Longest wait for the outcome of another request, and poll interval. */
const WAIT_LIMIT = 30_000
const POLL_INTERVAL = 25

/** Tokens of a session that are to be replaced. */
type HeldTokens = Pick<SessionTokens, 'accessToken' | 'idToken'> & { readonly refreshToken: string }

/** Tokens of a refresh. */
interface RefreshedTokens {
  readonly tokens: IssuedTokens
  /** Time of the token request, from which their lifetime is counted, in milliseconds since the epoch. */
  readonly askedAt: number
}

/** Outcome in the record of a completed refresh. */
type Outcome = RefreshedTokens | { readonly failure: { error: string; description: string; unavailable: boolean } }

/**
 * Single-flight of token refreshes over all units: servers accept a refresh token once, and may revoke the whole grant when it is used
 * again. The first request refreshes; the others with the same tokens get its outcome. Those with later tokens do not, although
 * the refresh token may be the same: many servers never replace it (RFC 6749 section 6).
 */
export class SharedRefresh {
  readonly #store: SharedStore
  readonly #clock: Clock
  readonly #running = new Map<string, Promise<RefreshedTokens>>()

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** The tokens may have been issued up to a minute ago, and have expired since. */
  refresh(held: HeldTokens, requestTokens: () => Promise<IssuedTokens>): Promise<RefreshedTokens> {
    const text = JSON.stringify([held.refreshToken, held.accessToken, held.idToken])
    const key = createHash('sha256').update(text).digest('base64url')
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const refreshing = this.#once(key, held, requestTokens).finally(() => this.#running.delete(key))
    this.#running.set(key, refreshing)
    return refreshing
  }

  async #once(key: string, held: HeldTokens, requestTokens: () => Promise<IssuedTokens>): Promise<RefreshedTokens> {
    const owner = randomUUID()
    const deadline = performance.now() + WAIT_LIMIT
    for (;;) {
      const record = await this.#store.getOrCreate(key, { owner }, LEASE)
      if (record['owner'] === owner) return this.#own(key, held, requestTokens)
      const outcome = outcomeOf(record) ?? (await this.#outcome(key, deadline))
      if (outcome === null) continue
      if ('tokens' in outcome) return outcome
      const { error, description, unavailable } = outcome.failure
      throw new OpenIdError(error, description, unavailable)
    }
  }

  /** Waits for the outcome of another request; null where its claim expired. */
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

  async #own(key: string, held: HeldTokens, requestTokens: () => Promise<IssuedTokens>): Promise<RefreshedTokens> {
    const askedAt = this.#clock.now()
    try {
      const outcome = { tokens: await this.#renewing(key, requestTokens), askedAt }
      await this.#keep(key, { outcome }, isNew(outcome.tokens, held) ? OUTCOME_LIFETIME : BRIEF_LIFETIME)
      return outcome
    } catch (error) {
      const { error: code, description, unavailable } = refusalOf(error)
      const failure = { error: code, description, unavailable }
      const hasEnded = code === 'invalid_grant' && !unavailable
      await this.#keep(key, { outcome: { failure } }, hasEnded ? OUTCOME_LIFETIME : BRIEF_LIFETIME)
      throw error
    }
  }

  /** Renews the claim while tokens are requested, and not while their outcome is stored: that has a TTL of its own. */
  async #renewing<T>(key: string, request: () => Promise<T>): Promise<T> {
    const renewal = setInterval(() => this.#store.updateIfPresent(key, {}, LEASE).catch(() => {}), LEASE_RENEWAL)
    try {
      return await request()
    } finally {
      clearInterval(renewal)
    }
  }

  /** A failure to store the outcome does not change that of this request. */
  async #keep(key: string, set: SharedRecord, lifetime: number): Promise<void> {
    await this.#store.update(key, { set }, lifetime).catch(() => {})
  }
}

/** Whether a later refresh of the session has other tokens to begin with. */
function isNew({ accessToken, refreshToken }: IssuedTokens, held: HeldTokens): boolean {
  return accessToken !== held.accessToken || (refreshToken !== null && refreshToken !== held.refreshToken)
}

function outcomeOf({ outcome }: SharedRecord): Outcome | null {
  return (outcome as Outcome | undefined) ?? null
}

/** An error outside the protocol does not invalidate the refresh token. */
function refusalOf(error: unknown): OpenIdError {
  if (error instanceof OpenIdError) return error
  return new OpenIdError('temporarily_unavailable', 'the refresh of the token failed', true)
}
