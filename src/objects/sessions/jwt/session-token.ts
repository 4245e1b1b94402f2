import { createHash } from 'node:crypto'
import { deflateSync, inflateSync } from 'node:zlib'
import { decryptToken, encryptJwt, parseToken, TokenError } from '#jose'
import { isPlainObject, type JsonObject, parseJson } from '#json'
import type { SymmetricKeys } from '../../lib/sessions/symmetric-keys.ts'

/** Maximum bytes of a decompressed session, against decompression bombs: cookies are far smaller. */
const MAX_PLAIN = 1024 * 1024
/** Compression does not reduce smaller content. */
const WORTH_PACKING = 256
/** First byte of zlib data; JSON begins with a brace. */
const ZLIB = 0x78

/** Keys and algorithm of session encryption. */
export interface SessionKeys extends SymmetricKeys {
  readonly compress: boolean
  /** Name of the cookie: a session is valid under its own cookie name only, also with the same key. */
  readonly cookie: string
}

export interface SessionContent {
  readonly id: string
  readonly values: JsonObject
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Encrypts a session with the active key. */
export async function sealSession({ id, values, expiresAt }: SessionContent, keys: SessionKeys): Promise<string> {
  const { provider, secretId, method } = keys
  const secret = await provider.active({ secretId, purpose: 'ENCRYPT' })
  const content = { aud: keys.cookie, jti: id, exp: Math.ceil(expiresAt / 1_000), session: values }
  const claims = Buffer.from(JSON.stringify(content))
  const packed = keys.compress && claims.length >= WORTH_PACKING ? deflateSync(claims) : claims
  const plaintext = packed.length < claims.length ? packed : claims
  return encryptJwt(secret, plaintext, { algorithm: 'dir', method, content: 'claims' })
}

/** Decrypts a token with any valid key; null for every invalid token, without a reason (threats B43). */
export async function openSession(token: string, keys: SessionKeys): Promise<SessionContent | null> {
  try {
    const parsed = parseToken(token)
    if (parsed.form !== 'encrypted' || parsed.header.alg !== 'dir' || parsed.method !== keys.method) return null
    const decryption = await decryptToken(parsed, keys)
    if (decryption.outcome === 'unavailable') throw new Error(decryption.reason)
    if (decryption.outcome !== 'decrypted') return null
    return contentOf(decryption.content, keys.cookie, token)
  } catch (error) {
    if (error instanceof TokenError) return null
    throw error
  }
}

/** The content is authenticated, but may be something other than a session. */
function contentOf(plaintext: Buffer, cookie: string, token: string): SessionContent | null {
  const claims = claimsOf(plaintext)
  if (
    !isPlainObject(claims) ||
    claims.aud !== cookie ||
    typeof claims.exp !== 'number' ||
    !isPlainObject(claims.session)
  )
    return null
  // Older gateways write no id; the next change of the session stores this one.
  const id = typeof claims.jti === 'string' ? claims.jti : createHash('sha256').update(token).digest('base64url')
  return { id, values: claims.session as JsonObject, expiresAt: claims.exp * 1_000 }
}

function claimsOf(plaintext: Buffer): unknown {
  try {
    const text = plaintext[0] === ZLIB ? inflateSync(plaintext, { maxOutputLength: MAX_PLAIN }) : plaintext
    return parseJson(text.toString())
  } catch {
    return null
  }
}
