import type { Logger } from '#logging'
import type { Clock, Counter } from '#schema'
import type { IssuedToken, TokenAnswer } from './token-request.ts'

/** Why there is no token: the status for requests that need one. */
export interface NoToken {
  readonly status: 502 | 503
  readonly reason: string
}

/** How tokens are fetched. */
export interface KeptTokenSettings {
  readonly clock: Clock
  readonly logger: Logger
  /** Counts the questions to the token endpoint. */
  readonly fetches: Counter
  fetch(): Promise<TokenAnswer>
}

/** A token without a lifetime counts for this long: a minute, as for tokens that the gateway itself is asked to keep. */
const DEFAULT_LIFETIME = 60_000
/** A token is replaced this long before its end, so that it does not end on its way: a tenth of its life, at most: */
const LARGEST_MARGIN = 30_000
/** A failure is not tried again at once: whoever asks next would wait for the same (threats B61). */
const FAILURE_PAUSE = 1_000
/** A service that answers every request with 401 must not make the gateway ask for tokens without end. */
const REFUSAL_PAUSE = 10_000

interface Kept {
  /** Scheme and token, as `Authorization` has them. */
  readonly credentials: string
  /** By the clock that only goes forward. */
  readonly until: number
}

/** One token for all requests: fetched when it is first wanted, by one request for all who wait, and kept to its end. */
export class KeptToken {
  readonly #settings: KeptTokenSettings
  #kept: Kept | null = null
  #failed: (NoToken & { readonly until: number }) | null = null
  #fetching: Promise<string | NoToken> | null = null
  #nextRefusal = Number.NEGATIVE_INFINITY

  constructor(settings: KeptTokenSettings) {
    this.#settings = settings
  }

  /** Scheme and token that count now, or why there is none. */
  get(): string | NoToken | Promise<string | NoToken> {
    const now = this.#settings.clock.monotonic()
    if (this.#kept !== null && now < this.#kept.until) return this.#kept.credentials
    if (this.#failed !== null && now < this.#failed.until) return this.#failed
    return this.#fetch()
  }

  /** A service did not accept a token: whether another is to be had by `get`. */
  refused(credentials: string): boolean {
    if (this.#kept !== null && this.#kept.credentials !== credentials) return true
    const now = this.#settings.clock.monotonic()
    if (now < this.#nextRefusal) return false
    this.#nextRefusal = now + REFUSAL_PAUSE
    this.#kept = null
    return true
  }

  #fetch(): Promise<string | NoToken> {
    this.#fetching ??= this.#fetchOnce().finally(() => {
      this.#fetching = null
    })
    return this.#fetching
  }

  async #fetchOnce(): Promise<string | NoToken> {
    const { clock, fetch, fetches } = this.#settings
    const asked = clock.monotonic()
    fetches.add()
    const answer = await fetch()
    if (answer.outcome !== 'issued') return this.#fail(answer)
    const scheme = schemeOf(answer)
    if (scheme === null) {
      return this.#fail({ outcome: 'nonsense', reason: 'it issued a token of another type than Bearer' })
    }
    const lifetime = answer.lifetime ?? DEFAULT_LIFETIME
    this.#failed = null
    const credentials = `${scheme} ${answer.token}`
    this.#kept = { credentials, until: asked + lifetime - Math.min(lifetime / 10, LARGEST_MARGIN) }
    return credentials
  }

  #fail(answer: Exclude<TokenAnswer, { outcome: 'issued' }>): NoToken {
    const { clock, logger } = this.#settings
    const reason = answer.outcome === 'refused' ? `${answer.error}: ${answer.description}` : answer.reason
    const status = answer.outcome === 'unavailable' ? 503 : 502
    const error = answer.outcome === 'unavailable' ? answer.cause : null
    if (this.#failed?.reason !== reason) {
      logger.error({ ...(error !== null && { error }), reason }, 'the token endpoint gives no token')
    }
    this.#failed = { status, reason, until: clock.monotonic() + FAILURE_PAUSE }
    return this.#failed
  }
}

/** The scheme of `Authorization` for a token. One of the type DPoP needs proofs, which a DpopClientFilter makes (RFC 9449). */
function schemeOf({ tokenType, isProved = false }: IssuedToken): string | null {
  const type = tokenType.toLowerCase()
  if (type === 'bearer') return 'Bearer'
  return type === 'dpop' && isProved ? 'DPoP' : null
}
