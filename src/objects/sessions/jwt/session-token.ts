import { deflateSync, inflateSync } from 'node:zlib'
import type { SecretsProvider } from '#contracts'
import { decryptToken, type EncryptionMethod, encryptJwt, parseToken, TokenError } from '#jose'
import { isPlainObject, type JsonObject, parseJson } from '#json'

/** Bytes of a session once it is unpacked; what a cookie can hold is far less, unless it was made to burst. */
const MAX_PLAIN = 1024 * 1024
/** Smaller content does not get smaller. */
const WORTH_PACKING = 256
/** The first byte of what zlib writes; JSON begins with a brace. */
const ZLIB = 0x78

/** The keys and the algorithm that sessions are encrypted with. */
export interface SessionKeys {
  readonly provider: SecretsProvider
  readonly secretId: string
  readonly method: EncryptionMethod
  readonly compress: boolean
  /** Name of the cookie: a session is valid under its own cookie name only, also with the same key. */
  readonly cookie: string
}

/** What a token holds. */
export interface SessionContent {
  readonly values: JsonObject
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Encrypts a session with the active key: without it a session can neither be read nor changed. */
export async function sealSession({ values, expiresAt }: SessionContent, keys: SessionKeys): Promise<string> {
  const { provider, secretId, method } = keys
  const secret = await provider.active({ secretId, purpose: 'ENCRYPT' })
  const content = { aud: keys.cookie, exp: Math.ceil(expiresAt / 1_000), session: values }
  const claims = Buffer.from(JSON.stringify(content))
  const packed = keys.compress && claims.length >= WORTH_PACKING ? deflateSync(claims) : claims
  const plaintext = packed.length < claims.length ? packed : claims
  return encryptJwt(secret, plaintext, { algorithm: 'dir', method, content: 'claims' })
}

/** Opens a token with any key that is valid; null where it is not one of ours, whatever is wrong with it (threats B43). */
export async function openSession(token: string, keys: SessionKeys): Promise<SessionContent | null> {
  try {
    const parsed = parseToken(token)
    if (parsed.form !== 'encrypted' || parsed.header.alg !== 'dir' || parsed.method !== keys.method) return null
    const decryption = await decryptToken(parsed, keys)
    if (decryption.outcome === 'unavailable') throw new Error(decryption.reason)
    if (decryption.outcome !== 'decrypted') return null
    return contentOf(decryption.content, keys.cookie)
  } catch (error) {
    if (error instanceof TokenError) return null
    throw error
  }
}

/** What follows was written by a holder of the key; it may still be something else than a session. */
function contentOf(plaintext: Buffer, cookie: string): SessionContent | null {
  const claims = claimsOf(plaintext)
  if (
    !isPlainObject(claims) ||
    claims.aud !== cookie ||
    typeof claims.exp !== 'number' ||
    !isPlainObject(claims.session)
  )
    return null
  return { values: claims.session as JsonObject, expiresAt: claims.exp * 1_000 }
}

function claimsOf(plaintext: Buffer): unknown {
  try {
    const text = plaintext[0] === ZLIB ? inflateSync(plaintext, { maxOutputLength: MAX_PLAIN }) : plaintext
    return parseJson(text.toString())
  } catch {
    return null
  }
}
