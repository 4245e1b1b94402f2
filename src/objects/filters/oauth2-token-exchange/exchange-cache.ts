import { createHash } from 'node:crypto'
import { claim, numericDate, parseToken, readClaims, TokenError } from '#jose'
import type { Clock } from '#schema'
import { REJECTION_PAUSE } from '../../lib/outbound-auth/client-token.ts'
import type { IssuedToken, TokenResult } from '../../lib/outbound-auth/token-request.ts'

/** A token is not used in the last tenth of its lifetime, at most this long, so that it does not expire in flight. */
const LARGEST_MARGIN = 30_000

interface ExchangeCacheSettings {
  /** Milliseconds for tokens without `expires_in`. */
  readonly defaultTimeout: number
  /** Milliseconds for any token. */
  readonly maxTimeout: number
  readonly maximumSize: number
  readonly clock: Clock
}

interface Entry {
  readonly result: IssuedToken
  /** By the monotonic clock. */
  readonly until: number
  /** Time from which a rejection by the service counts. */
  readonly nextRejection: number
}

/** Exchanged tokens of one unit, by token and scopes: LRU, and single-flight for concurrent requests. */
export class ExchangeCache {
  readonly #settings: ExchangeCacheSettings
  readonly #entries = new Map<string, Entry>()
  readonly #inFlight = new Map<string, Promise<TokenResult>>()

  constructor(settings: ExchangeCacheSettings) {
    this.#settings = settings
  }

  /** Cache key; the token itself is not stored. */
  key(subjectToken: string, scopes: readonly string[]): string {
    return createHash('sha256')
      .update(JSON.stringify([subjectToken, ...scopes]))
      .digest('base64url')
  }

  get(key: string, subjectToken: string, request: () => Promise<TokenResult>): TokenResult | Promise<TokenResult> {
    const entry = this.#entries.get(key)
    if (entry !== undefined && this.#settings.clock.monotonic() < entry.until) {
      this.#entries.delete(key)
      this.#entries.set(key, entry)
      return entry.result
    }
    let pending = this.#inFlight.get(key)
    if (pending === undefined) {
      pending = this.#request(key, subjectToken, request).finally(() => this.#inFlight.delete(key))
      this.#inFlight.set(key, pending)
    }
    return pending
  }

  /**
   * Call when a service rejected the token: the next request exchanges again. A service that rejects every token causes no exchange
   * for each request.
   */
  drop(key: string, result: IssuedToken): void {
    const entry = this.#entries.get(key)
    const now = this.#settings.clock.monotonic()
    if (entry?.result !== result || now < entry.nextRejection) return
    this.#entries.set(key, { result, until: Number.NEGATIVE_INFINITY, nextRejection: now + REJECTION_PAUSE })
  }

  async #request(key: string, subjectToken: string, request: () => Promise<TokenResult>): Promise<TokenResult> {
    const { clock, defaultTimeout, maxTimeout, maximumSize } = this.#settings
    const requestedAt = clock.monotonic()
    const remainingTime = remaining(subjectToken, clock.now())
    const result = await request()
    const nextRejection = this.#entries.get(key)?.nextRejection ?? Number.NEGATIVE_INFINITY
    this.#entries.delete(key)
    if (result.outcome !== 'issued') return result
    const lifetime = result.lifetime ?? defaultTimeout
    const until = requestedAt + Math.min(lifetime - Math.min(lifetime / 10, LARGEST_MARGIN), maxTimeout, remainingTime)
    this.#entries.set(key, { result, until, nextRejection })
    if (this.#entries.size > maximumSize) this.#entries.delete(this.#entries.keys().next().value as string)
    return result
  }
}

/** Remaining lifetime by `exp` of the token, unverified: it can only shorten the time in the cache. */
function remaining(subjectToken: string, now: number): number {
  try {
    const token = parseToken(subjectToken)
    const exp = token.form === 'signed' ? numericDate(claim(readClaims(token.payload), 'exp') ?? null) : null
    return exp === null ? Number.POSITIVE_INFINITY : exp - now
  } catch (error) {
    if (error instanceof TokenError) return Number.POSITIVE_INFINITY
    throw error
  }
}
