import type { TokenRejection } from '#contracts'
import { type Response, respond, respondUnavailable } from '#http'
import type { Scheme } from '../../lib/tokens/credentials.ts'
import { DPOP_ALGORITHMS } from '../../lib/tokens/dpop-algorithms.ts'

/** The codes of RFC 6750 section 3.1 and RFC 9449 section 7.1. */
type ErrorCode = 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'invalid_dpop_proof' | 'use_dpop_nonce'

interface ChallengeError {
  readonly error: ErrorCode
  readonly description: string
  /** The required scopes, separated by spaces. */
  readonly scope?: string
}

/** Algorithms for the first proof of a client (RFC 9449 section 7.1). */
const ALGORITHMS = `algs="${DPOP_ALGORITHMS.join(' ')}"`

/** Characters of `error_description` and `scope` (RFC 6750 section 3). */
const NOT_DESCRIPTION = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g
const SCOPES = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/

/** Error responses of a protected resource; caches must not store them (threats B63). */
export class Challenges {
  readonly #realm: string
  readonly #schemes: readonly Scheme[]

  constructor(realm: string, schemes: readonly Scheme[]) {
    this.#realm = quoted(realm)
    this.#schemes = schemes
  }

  /** 401 for a request without a token: the challenges have no error (RFC 6750 section 3.1). */
  tokenRequired(): Response {
    return this.#refusal(401, null, null)
  }

  malformed(description: string): Response {
    return this.#refusal(400, null, { error: 'invalid_request', description })
  }

  insufficientScope(scheme: Scheme, required: Iterable<string>): Response {
    const scope = [...required].join(' ')
    const description = 'The access token lacks a scope that the request needs.'
    return this.#refusal(403, scheme, { error: 'insufficient_scope', description, scope })
  }

  /** Response for a token that the resolver rejected. */
  refused(scheme: Scheme, refusal: TokenRejection): Response {
    const { description } = refusal
    if (refusal.outcome === 'unavailable') {
      return respondUnavailable(description)
    }
    if (refusal.outcome === 'bad_request') return this.#refusal(400, scheme, { error: 'invalid_request', description })
    const response = this.#refusal(401, scheme, { error: refusal.error ?? 'invalid_token', description })
    for (const [name, value] of Object.entries(refusal.headers ?? {})) response.headers.set(name, value)
    return response
  }

  /** One challenge for each scheme; the error is in that of the scheme that was used, else in the first. */
  #refusal(status: number, used: Scheme | null, problem: ChallengeError | null): Response {
    const failed = used ?? this.#schemes[0]
    const challenges = this.#schemes.map((scheme) => this.#challenge(scheme, scheme === failed ? problem : null))
    const headers = { 'WWW-Authenticate': challenges, 'Cache-Control': 'no-store' }
    return respond(status, headers, problem?.description)
  }

  #challenge(scheme: Scheme, problem: ChallengeError | null): string {
    const parameters = [`realm=${this.#realm}`]
    if (problem !== null) {
      const { error, description, scope } = problem
      parameters.push(`error="${error}"`, `error_description="${description.replace(NOT_DESCRIPTION, "'")}"`)
      if (scope !== undefined && SCOPES.test(scope)) parameters.push(`scope="${scope}"`)
    }
    if (scheme === 'DPoP') parameters.push(ALGORITHMS)
    return `${scheme} ${parameters.join(', ')}`
  }
}

/** A quoted-string of RFC 9110 section 5.6.4. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
