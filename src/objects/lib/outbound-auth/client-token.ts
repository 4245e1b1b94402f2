import { CachedValue } from '#cache'
import type { Logger } from '#logging'
import type { Clock, Counter } from '#schema'
import { EVENTS } from './log-events.ts'
import type { IssuedToken, TokenResult } from './token-request.ts'

/** Settings of a token of the gateway itself. */
interface ClientTokenSettings {
  readonly clock: Clock
  readonly logger: Logger
  /** Requests to the token endpoint. */
  readonly fetches: Counter
  fetch(): Promise<TokenResult>
}

/** TTL of a token without `expires_in`. */
const DEFAULT_LIFETIME = 60_000
/** A token is replaced before it expires, so that it does not expire in flight: a tenth of its lifetime, at most this. */
const MAX_MARGIN = 30_000
/** Threats B61. */
const FAILURE_PAUSE = 1_000
/** A service that answers every request with 401 must not make the gateway request tokens without end. */
export const REJECTION_PAUSE = 10_000

/** No token is available; `status` is the response status of requests that need one. */
export class TokenUnavailable extends Error {
  override readonly name = 'TokenUnavailable'
  readonly status: 502 | 503

  constructor(answer: Exclude<TokenResult, { outcome: 'issued' }>) {
    const reason = answer.outcome === 'refused' ? `${answer.error}: ${answer.description}` : answer.reason
    super(reason, answer.outcome === 'unavailable' && answer.cause !== null ? { cause: answer.cause } : {})
    this.status = answer.outcome === 'unavailable' ? 503 : 502
  }
}

interface Credentials {
  /** Value of `Authorization`: scheme and token. */
  readonly value: string
  /** Milliseconds until it is replaced. */
  readonly ttl: number
  /** By the monotonic clock. */
  readonly expiresAt: number
}

/**
 * One token for all requests. Shortly before it expires it is replaced in the background: requests do not wait for a server that is
 * slow or fails meanwhile, as long as they have a valid token.
 */
export class ClientToken {
  readonly #settings: ClientTokenSettings
  readonly #credentials: CachedValue<Credentials>
  #nextRejection = Number.NEGATIVE_INFINITY
  /** The last credentials that a service rejected. */
  #rejected: string | null = null

  constructor(settings: ClientTokenSettings) {
    this.#settings = settings
    this.#credentials = new CachedValue({
      clock: settings.clock,
      ttl: ({ ttl }) => ttl,
      failurePause: FAILURE_PAUSE,
      load: () => this.#fetch(),
      onFailure: ({ message: reason, cause }, previous) => {
        if (reason === previous?.message) return
        const error = cause === undefined ? {} : { error: cause }
        settings.logger.error({ ...error, reason }, EVENTS.TOKEN_REQUEST_FAILED)
      },
    })
  }

  /** The value of `Authorization`. */
  get(): string | Promise<string | TokenUnavailable> {
    const { fresh } = this.#credentials
    if (fresh !== null) return fresh.value
    const last = this.#unexpired
    if (last === null) return this.#load()
    this.#load().catch(() => {})
    return last
  }

  /** Call when a service rejected the credentials. Returns true where `get` may now return others. */
  rejected(credentials: string): boolean {
    const { fresh } = this.#credentials
    const current = fresh?.value ?? this.#unexpired
    if (current !== null && current !== credentials) return true
    const now = this.#settings.clock.monotonic()
    if (now < this.#nextRejection) return false
    this.#nextRejection = now + REJECTION_PAUSE
    this.#rejected = credentials
    if (fresh !== null) this.#credentials.invalidate()
    return true
  }

  /** The last credentials, fresh or not, unless they have expired or were rejected. */
  get #unexpired(): string | null {
    const { last } = this.#credentials
    if (last === null || last.value === this.#rejected) return null
    return this.#settings.clock.monotonic() < last.expiresAt ? last.value : null
  }

  async #load(): Promise<string | TokenUnavailable> {
    try {
      return (await this.#credentials.get()).value
    } catch (error) {
      if (error instanceof TokenUnavailable) return error
      throw error
    }
  }

  async #fetch(): Promise<Credentials> {
    const { fetch, fetches, clock } = this.#settings
    fetches.add()
    const requestedAt = clock.monotonic()
    const answer = await fetch()
    if (answer.outcome !== 'issued') throw new TokenUnavailable(answer)
    const scheme = schemeOf(answer)
    if (scheme === null) {
      throw new TokenUnavailable({ outcome: 'malformed', reason: 'it issued a token of another type than Bearer' })
    }
    const lifetime = answer.lifetime ?? DEFAULT_LIFETIME
    const ttl = lifetime - Math.min(lifetime / 10, MAX_MARGIN)
    return { value: `${scheme} ${answer.token}`, ttl, expiresAt: requestedAt + lifetime }
  }
}

/** The scheme of `Authorization` for a token. A DPoP token needs proofs, which a DpopClientFilter adds (RFC 9449). */
function schemeOf({ tokenType, isProofSent = false }: IssuedToken): string | null {
  const type = tokenType.toLowerCase()
  if (type === 'bearer') return 'Bearer'
  return type === 'dpop' && isProofSent ? 'DPoP' : null
}
