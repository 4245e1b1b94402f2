import { CachedValue } from '#cache'
import type { Logger } from '#logging'
import type { Clock, Counter } from '#schema'
import { EVENTS } from '../log-events.ts'
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
const REJECTION_PAUSE = 10_000

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
  /** Milliseconds. */
  readonly ttl: number
}

/** One token for all requests, cached until shortly before it expires. */
export class ClientToken {
  readonly #settings: ClientTokenSettings
  readonly #credentials: CachedValue<Credentials>
  #nextRejection = Number.NEGATIVE_INFINITY

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
    return this.#credentials.fresh?.value ?? this.#load()
  }

  /** Call when a service rejected the credentials. Returns true where `get` may now return others. */
  rejected(credentials: string): boolean {
    const current = this.#credentials.fresh?.value ?? null
    if (current !== null && current !== credentials) return true
    const now = this.#settings.clock.monotonic()
    if (now < this.#nextRejection) return false
    this.#nextRejection = now + REJECTION_PAUSE
    if (current !== null) this.#credentials.invalidate()
    return true
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
    const { fetch, fetches } = this.#settings
    fetches.add()
    const answer = await fetch()
    if (answer.outcome !== 'issued') throw new TokenUnavailable(answer)
    const scheme = schemeOf(answer)
    if (scheme === null) {
      throw new TokenUnavailable({ outcome: 'malformed', reason: 'it issued a token of another type than Bearer' })
    }
    const lifetime = answer.lifetime ?? DEFAULT_LIFETIME
    return { value: `${scheme} ${answer.token}`, ttl: lifetime - Math.min(lifetime / 10, MAX_MARGIN) }
  }
}

/** The scheme of `Authorization` for a token. A DPoP token needs proofs, which a DpopClientFilter adds (RFC 9449). */
function schemeOf({ tokenType, isProofSent = false }: IssuedToken): string | null {
  const type = tokenType.toLowerCase()
  if (type === 'bearer') return 'Bearer'
  return type === 'dpop' && isProofSent ? 'DPoP' : null
}
