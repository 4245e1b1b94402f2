import type { TokenRejection } from '#contracts'
import { type Response, respond } from '#http'
import { DPOP_ALGORITHMS } from '../../lib/access-token/dpop-algorithms.ts'
import type { Scheme } from './credentials.ts'

/** The codes of RFC 6750 section 3.1 and RFC 9449 section 7.1. */
type ErrorCode = 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'invalid_dpop_proof' | 'use_dpop_nonce'

interface Complaint {
  readonly error: ErrorCode
  readonly description: string
  /** The scopes that would do, with spaces between them. */
  readonly scope?: string
}

/** What a client has to know before it makes its first proof (RFC 9449 section 7.1). */
const ALGORITHMS = `algs="${DPOP_ALGORITHMS.join(' ')}"`

/** Seconds after which it makes sense to ask again. */
const RETRY_AFTER = '5'

/** What may stand in `error_description`, and in `scope` (RFC 6750 section 3). */
const NOT_DESCRIPTION = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g
const SCOPES = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/

/** Answers of a protected resource to requests that it does not serve; none of them may be kept on the way (threats B63). */
export class Challenges {
  readonly #realm: string
  readonly #schemes: readonly Scheme[]

  constructor(realm: string, schemes: readonly Scheme[]) {
    this.#realm = quoted(realm)
    this.#schemes = schemes
  }

  /** 401 that names nothing but the ways in: the request brought no token (RFC 6750 section 3.1). */
  tokenWanted(): Response {
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

  /** What a resolver says of a token. */
  refused(scheme: Scheme, refusal: TokenRejection): Response {
    const { description } = refusal
    if (refusal.outcome === 'unavailable') {
      return respond(503, { 'Retry-After': RETRY_AFTER, 'Cache-Control': 'no-store' }, description)
    }
    if (refusal.outcome === 'bad_request') return this.#refusal(400, scheme, { error: 'invalid_request', description })
    const response = this.#refusal(401, scheme, { error: refusal.error ?? 'invalid_token', description })
    for (const [name, value] of Object.entries(refusal.headers ?? {})) response.headers.set(name, value)
    return response
  }

  /** One challenge for each way in; the complaint stands with the scheme that was used, else with the first. */
  #refusal(status: number, used: Scheme | null, complaint: Complaint | null): Response {
    const blamed = used ?? this.#schemes[0]
    const challenges = this.#schemes.map((scheme) => this.#challenge(scheme, scheme === blamed ? complaint : null))
    const headers = { 'WWW-Authenticate': challenges, 'Cache-Control': 'no-store' }
    return respond(status, headers, complaint?.description)
  }

  #challenge(scheme: Scheme, complaint: Complaint | null): string {
    const parameters = [`realm=${this.#realm}`]
    if (complaint !== null) {
      const { error, description, scope } = complaint
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
