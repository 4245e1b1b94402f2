import { equalsIgnoreCase, type Headers } from '#http'
import type { RecentValues } from './recent-values.ts'

/** Authentication schemes of tokens. */
export type Scheme = 'Bearer' | 'DPoP'

interface TokenCredentials {
  readonly found: 'token'
  readonly scheme: Scheme
  readonly token: string
}

/** Content of the Authorization field of a request. */
export type Credentials =
  | TokenCredentials
  /** No credentials, or those of another scheme. */
  | { readonly found: 'nothing' }
  /** RFC 6750 section 3.1, `invalid_request`. */
  | { readonly found: 'malformed'; readonly description: string }
  /** RFC 6750 section 3.1, `invalid_token`: longer than any issued token. */
  | { readonly found: 'oversized'; readonly scheme: Scheme }

/** Tokens of recent requests by the value of their Authorization field: parsing it costs more than the rest of a cache hit. */
export type RecentCredentials = RecentValues<TokenCredentials>

const NOTHING: Credentials = { found: 'nothing' }
const SEVERAL: Credentials = {
  found: 'malformed',
  description: 'The request has more than one Authorization header field.',
}
const ILL_FORMED: Credentials = {
  found: 'malformed',
  description: 'The Authorization header field is not a scheme, one space and a token.',
}

/** RFC 6750 section 2.1. The class and the tail share no character, so that matching takes linear time. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

/** Longer tokens are rejected without a lookup: no authorization server issues them. */
const LONGEST_TOKEN = 16_384

/**
 * The token of a request, from the header alone: tokens in a query or a body (RFC 6750 sections 2.2 and 2.3) leak into logs and
 * histories. Two fields are rejected: the application might read the other one (threats B47).
 */
export function credentialsIn(headers: Headers, schemes: readonly Scheme[]): Credentials {
  const field = authorizationIn(headers)
  return typeof field === 'string' ? credentialsOf(field, schemes) : field
}

/** The value of the Authorization field, or what its absence or several of them mean. */
export function authorizationIn(headers: Headers): string | Credentials {
  const raw = headers.raw()
  let value: string | null = null
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string
    if (name.length !== 13 || !equalsIgnoreCase(name, 'authorization')) continue
    if (value !== null) return SEVERAL
    value = raw[at + 1] as string
  }
  return value ?? NOTHING
}

/** The credentials in the value of an Authorization field. */
export function credentialsOf(value: string, schemes: readonly Scheme[]): Credentials {
  for (const scheme of schemes) {
    if (value.length < scheme.length || !equalsIgnoreCase(value.slice(0, scheme.length), scheme)) continue
    const separator = value[scheme.length]
    // The scheme alone has no token; a longer name is another scheme.
    if (separator === undefined) return NOTHING
    if (separator === ' ') return tokenOf(scheme, value.slice(scheme.length + 1))
    if (separator === '\t' || separator === ',') return ILL_FORMED
  }
  return NOTHING
}

function tokenOf(scheme: Scheme, token: string): Credentials {
  if (token.length > LONGEST_TOKEN) return { found: 'oversized', scheme }
  return B64TOKEN.test(token) ? { found: 'token', scheme, token } : ILL_FORMED
}
