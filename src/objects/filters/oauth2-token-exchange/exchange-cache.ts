import { createHash } from 'node:crypto'
import { claim, numericDate, parseToken, readClaims, TokenError } from '#jose'
import type { Clock } from '#schema'
import type { IssuedToken, TokenAnswer } from '../../lib/oauth2-client/token-request.ts'

/** A token is not used for the last tenth of its life, or half a minute: it would end on its way. */
const LARGEST_MARGIN = 30_000

/** How exchanged tokens are cached. */
interface ExchangeCacheSettings {
  /** Milliseconds for tokens without `expires_in`. */
  readonly defaultTimeout: number
  /** Milliseconds for any token. */
  readonly maxTimeout: number
  readonly maximumSize: number
  readonly clock: Clock
}

interface Entry {
  readonly answer: IssuedToken
  /** By the clock that only goes forward. */
  readonly until: number
}

/** Exchanged tokens of one unit, by token and scopes: LRU, and single-flight for requests at the same time. */
export class ExchangeCache {
  readonly #settings: ExchangeCacheSettings
  readonly #entries = new Map<string, Entry>()
  readonly #asking = new Map<string, Promise<TokenAnswer>>()

  constructor(settings: ExchangeCacheSettings) {
    this.#settings = settings
  }

  /** The name of an exchange; tokens are not kept as keys. */
  key(subjectToken: string, scopes: readonly string[]): string {
    return createHash('sha256')
      .update(JSON.stringify([subjectToken, ...scopes]))
      .digest('base64url')
  }

  get(key: string, subjectToken: string, ask: () => Promise<TokenAnswer>): TokenAnswer | Promise<TokenAnswer> {
    const entry = this.#entries.get(key)
    if (entry !== undefined && this.#settings.clock.monotonic() < entry.until) {
      this.#entries.delete(key)
      this.#entries.set(key, entry)
      return entry.answer
    }
    let asking = this.#asking.get(key)
    if (asking === undefined) {
      asking = this.#ask(key, subjectToken, ask).finally(() => this.#asking.delete(key))
      this.#asking.set(key, asking)
    }
    return asking
  }

  /** A service did not accept the token: the next request asks for another. */
  drop(key: string, answer: IssuedToken): void {
    if (this.#entries.get(key)?.answer === answer) this.#entries.delete(key)
  }

  async #ask(key: string, subjectToken: string, ask: () => Promise<TokenAnswer>): Promise<TokenAnswer> {
    const { clock, defaultTimeout, maxTimeout, maximumSize } = this.#settings
    const asked = clock.monotonic()
    const rest = remaining(subjectToken, clock.now())
    const answer = await ask()
    this.#entries.delete(key)
    if (answer.outcome !== 'issued') return answer
    const lifetime = answer.lifetime ?? defaultTimeout
    const until = asked + Math.min(lifetime - Math.min(lifetime / 10, LARGEST_MARGIN), maxTimeout, rest)
    this.#entries.set(key, { answer, until })
    if (this.#entries.size > maximumSize) this.#entries.delete(this.#entries.keys().next().value as string)
    return answer
  }
}

/** How long a token still lives by its own `exp`, which is not verified here: it can only shorten the time in the cache. */
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
