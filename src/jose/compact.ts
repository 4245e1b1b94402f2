import type { JsonObject, JsonValue } from '#json'
import { TokenError } from './token-error.ts'
import { readObject } from './token-json.ts'

/** Longer text is rejected; request headers do not get that long either. */
export const MAX_TOKEN_LENGTH = 65_536
/** In base64url; enough for a chain of certificates, which some issuers include and which is not read. */
const MAX_HEADER_LENGTH = 16_384

/** The members of a token header that are used. Keys and key URLs in it are never read. */
export interface TokenHeader {
  readonly alg: string
  readonly kid: string | null
  readonly typ: string | null
  /** Content type; `JWT` for a nested token. */
  readonly cty: string | null
  /** Every member, for filters and logs. */
  readonly members: JsonObject
}

/** A signed token in its compact form (RFC 7515 section 7.1); not verified. */
export interface SignedToken {
  readonly form: 'signed'
  readonly text: string
  readonly header: TokenHeader
  readonly payload: Buffer
  readonly signature: Buffer
  /** The bytes that the signature covers. */
  readonly signedBytes: Buffer
}

/** An encrypted token in its compact form (RFC 7516 section 7.1); not verified. */
export interface EncryptedToken {
  readonly form: 'encrypted'
  readonly text: string
  readonly header: TokenHeader
  /** Algorithm of the content (`enc`). */
  readonly method: string
}

/** Parses a token; anything but the exact compact form is rejected. Throws TokenError. */
export function parseToken(text: string): SignedToken | EncryptedToken {
  if (text.length > MAX_TOKEN_LENGTH) {
    throw new TokenError(`the token is longer than ${MAX_TOKEN_LENGTH} characters`)
  }
  // One part more than any form has is enough to detect too many.
  const parts = text.split('.', 6)
  if (parts.length === 3) return signedToken(text, parts as [string, string, string])
  if (parts.length === 5) return encryptedToken(text, parts)
  throw new TokenError('the token is not a JSON Web Token in compact form')
}

/** Throws TokenError for anything but a signed token. */
export function parseSignedToken(text: string): SignedToken {
  const token = parseToken(text)
  if (token.form === 'signed') return token
  throw new TokenError('expected a signed token, got an encrypted one')
}

function signedToken(text: string, [header, payload, signature]: [string, string, string]): SignedToken {
  return {
    form: 'signed',
    text,
    header: readHeader(header),
    payload: decoded(payload, 'payload'),
    signature: decoded(signature, 'signature'),
    signedBytes: Buffer.from(text.slice(0, header.length + 1 + payload.length), 'latin1'),
  }
}

function encryptedToken(text: string, parts: readonly string[]): EncryptedToken {
  const [first, ...others] = parts as [string, ...string[]]
  const header = readHeader(first)
  const method = textMember(header.members, 'enc')
  if (method === null) throw new TokenError('the header of the token names no enc')
  for (const part of others) decoded(part, 'encrypted part')
  return { form: 'encrypted', text, header, method }
}

/** Canonical base64url only: no padding, no other characters, no unused bits. */
function decoded(text: string, part: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') === text) return bytes
  throw new TokenError(`the ${part} of the token is not in base64url`)
}

function readHeader(encoded: string): TokenHeader {
  if (encoded.length > MAX_HEADER_LENGTH) {
    throw new TokenError(`the header of the token is longer than ${MAX_HEADER_LENGTH} characters`)
  }
  const members = readObject(decoded(encoded, 'header'), 'header')
  refuseExtensions(members)
  const alg = textMember(members, 'alg')
  if (alg === null) throw new TokenError('the header of the token names no alg')
  return {
    alg,
    kid: textMember(members, 'kid'),
    typ: textMember(members, 'typ'),
    cty: textMember(members, 'cty'),
    members,
  }
}

/**
 * No extension that `crit` could name is supported (RFC 7515 section 4.1.11). Compression is rejected before any work is
 * done for it; access managers write `NONE` for uncompressed tokens.
 */
function refuseExtensions(members: JsonObject): void {
  if (own(members, 'crit') !== undefined)
    throw new TokenError('the token requires extensions (crit) that are not supported')
  if (own(members, 'b64') !== undefined) throw new TokenError('tokens with b64 (RFC 7797) are not supported')
  const zip = own(members, 'zip')
  if (zip !== undefined && zip !== 'NONE') throw new TokenError('compressed tokens (zip) are not supported')
}

function textMember(members: JsonObject, name: string): string | null {
  const value = own(members, name)
  if (value === undefined) return null
  if (typeof value === 'string' && value !== '') return value
  throw new TokenError(`the header of the token has a ${name} that is not text`)
}

function own(members: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined
}
