import { isProofSent } from '#contracts'
import {
  Body,
  type Exchange,
  formatForm,
  type Handler,
  Headers,
  InternalCallTimeoutError,
  internalCall,
  internalExchange,
  Request,
  Uri,
} from '#http'
import { type JsonObject, jsonObjectIn, numberValue } from '#json'

/** A request to a token endpoint. */
export interface TokenRequest {
  readonly endpoint: Uri | string
  /** Adds the client authentication and sends the request. */
  readonly handler: Handler
  /** The fields of the form, in order; a field may have several values. */
  readonly fields: Readonly<Record<string, string | readonly string[]>>
  /** The exchange that needs the token; null where several may share it. */
  readonly onBehalfOf: Exchange | null
  /** Milliseconds. */
  readonly timeout?: number
}

/** A token issued by an authorization server. */
export interface IssuedToken {
  readonly outcome: 'issued'
  readonly token: string
  readonly tokenType: string
  /** Whether the request had a proof of possession, which DPoP tokens require. */
  readonly isProofSent?: boolean
  /** Milliseconds since the request; null without `expires_in`. */
  readonly lifetime: number | null
  /** Null without `scope`, which means the requested scopes (RFC 6749 section 5.1). */
  readonly scopes: readonly string[] | null
  readonly info: JsonObject
}

export type TokenResult =
  | IssuedToken
  /** Error response of the protocol (RFC 6749 section 5.2). */
  | { readonly outcome: 'refused'; readonly error: string; readonly description: string }
  /** Unreachable, timed out, 5xx, 408 or 429. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly cause: Error | null }
  /** A response that is neither a token nor an error response. */
  | { readonly outcome: 'malformed'; readonly reason: string }

const TIMEOUT = 30_000
const MAX_RESPONSE_BYTES = 262_144
/** Characters outside those of `error` and `error_description` (RFC 6749 appendix A.7 and A.8). */
const NOT_ERROR_TEXT = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/g
/** Characters of a Bearer token (RFC 6750 section 2.1), all of them safe in a header value. */
const TOKEN = /^[\x21-\x7e]{1,65536}$/

/** Requests a token from a token endpoint (RFC 6749 section 3.2). Failures are returned, not thrown. */
export async function requestToken(settings: TokenRequest): Promise<TokenResult> {
  const { handler, onBehalfOf, timeout = TIMEOUT } = settings
  const exchange = internalExchange(tokenRequest(settings), onBehalfOf)
  try {
    const { status, cause, body } = await internalCall(handler, exchange, {
      timeout,
      maxBytes: MAX_RESPONSE_BYTES,
      wantsBody: (response) => response.status === 200 || isRefusal(response.status),
      abortWith: onBehalfOf,
    })
    if (status >= 500 || isTemporary(status)) {
      return { outcome: 'unavailable', reason: `it answered with the status ${status}`, cause }
    }
    const result = decodeTokenResponse(status, body)
    return result.outcome === 'issued' && isProofSent(exchange) ? { ...result, isProofSent: true } : result
  } catch (error) {
    if (error instanceof InternalCallTimeoutError) {
      return { outcome: 'unavailable', reason: error.message, cause: null }
    }
    return { outcome: 'unavailable', reason: 'the request failed', cause: error as Error }
  }
}

/** RFC 6749 section 5.2. */
function isRefusal(status: number): boolean {
  return status >= 400 && status <= 499 && !isTemporary(status)
}

/** Whether a 4xx status does not reject the request itself. */
function isTemporary(status: number): boolean {
  return status === 408 || status === 429
}

function tokenRequest({ endpoint, fields }: TokenRequest): Request {
  const form: Record<string, readonly string[]> = {}
  for (const [name, value] of Object.entries(fields)) form[name] = typeof value === 'string' ? [value] : value
  const headers = new Headers([
    ['Accept', 'application/json'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
  ])
  const uri = typeof endpoint === 'string' ? Uri.parse(endpoint) : endpoint.clone()
  return new Request({ method: 'POST', uri, headers, body: Body.of(formatForm(form)) })
}

/** Decodes the response of a token endpoint. */
export function decodeTokenResponse(status: number, content: Uint8Array): TokenResult {
  const info = jsonObjectIn(content)
  if (status >= 400 && status <= 499) return refusal(status, info)
  if (status !== 200) return { outcome: 'malformed', reason: `it answered with the status ${status}` }
  if (info === null) return { outcome: 'malformed', reason: 'the response body is no JSON object' }
  const token = member(info, 'access_token')
  if (typeof token !== 'string' || !TOKEN.test(token))
    return { outcome: 'malformed', reason: 'it sent no access_token' }
  const tokenType = member(info, 'token_type')
  if (typeof tokenType !== 'string') return { outcome: 'malformed', reason: 'it sent no token_type' }
  return { outcome: 'issued', token, tokenType, lifetime: lifetimeIn(info), scopes: scopesIn(info), info }
}

/** Other 4xx responses without an error code are not of the protocol, but for example of a proxy in front of the server. */
function refusal(status: number, info: JsonObject | null): TokenResult {
  const error = (info === null ? null : errorText(member(info, 'error'))) ?? impliedError(status)
  if (error === null) return { outcome: 'malformed', reason: `it answered with the status ${status} and no error code` }
  const description = info === null ? null : errorText(member(info, 'error_description'))
  return {
    outcome: 'refused',
    error,
    description: description ?? `the token endpoint answered with the status ${status}`,
  }
}

/** The error of a status with any content: 401 rejects the client, 400 the request (RFC 6749 section 5.2). */
function impliedError(status: number): string | null {
  if (status === 401) return 'invalid_client'
  return status === 400 ? 'invalid_request' : null
}

function errorText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 500).replace(NOT_ERROR_TEXT, '?') : null
}

/** A malformed lifetime counts as missing: such a token is not cached. */
function lifetimeIn(info: JsonObject): number | null {
  const value = member(info, 'expires_in')
  if (value === undefined || value === null) return null
  const seconds = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : numberValue(value)
  return seconds !== null && Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0
}

function scopesIn(info: JsonObject): readonly string[] | null {
  const value = member(info, 'scope')
  if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '')
  if (Array.isArray(value) && value.every((scope) => typeof scope === 'string')) return value
  return null
}

function member(info: JsonObject, name: string): unknown {
  return Object.hasOwn(info, name) ? info[name] : undefined
}
