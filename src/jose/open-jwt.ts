import type { JsonObject } from '#json'
import { readClaims } from './claims.ts'
import { type EncryptedToken, parseToken, type SignedToken, type TokenHeader } from './compact.ts'
import { decryptToken } from './decrypt.ts'
import type { KeySource, KeysUnavailable } from './key-choice.ts'
import { TokenError } from './token-error.ts'
import { verifySignature } from './verify.ts'

/** At least one of them is set. */
export interface OpeningKeys {
  /** If set, the token must be signed by one of these keys. */
  readonly verification?: KeySource | null
  /** If set, the token must be encrypted to one of these keys. */
  readonly decryption?: KeySource | null
}

/** An authenticated token. */
export interface OpenedJwt {
  readonly outcome: 'opened'
  readonly claims: JsonObject
  /** The innermost header: that of the signature if the token is signed. */
  readonly header: TokenHeader
}

/** Outcome; the reason of `invalid` may be shown to the bearer, that of `unavailable` is for logs. */
type JwtOpening = OpenedJwt | { readonly outcome: 'invalid'; readonly reason: string } | KeysUnavailable

const invalid = (reason: string): JwtOpening => ({ outcome: 'invalid', reason })

/**
 * Opens a token: signed, encrypted, signed then encrypted, or encrypted then signed. Claims are returned only if they are
 * authenticated: by a signature, or by encryption with a shared key. Anyone can encrypt to a public key, so content decrypted
 * with a private key must be signed.
 */
export async function openJwt(text: string, keys: OpeningKeys): Promise<JwtOpening> {
  try {
    const token = parseToken(text)
    return token.form === 'signed' ? await openSigned(token, keys) : await openEncrypted(token, keys)
  } catch (error) {
    if (error instanceof TokenError) return invalid(error.message)
    throw error
  }
}

async function openSigned(token: SignedToken, { verification, decryption }: OpeningKeys): Promise<JwtOpening> {
  if (!verification) return invalid('the token is signed, and there is no key to verify it with')
  const verified = await verifySignature(token, verification)
  if (verified.outcome !== 'verified') return verified
  if (!decryption) return { outcome: 'opened', claims: readClaims(token.payload), header: token.header }

  const inner = isToken(token.payload) ? parseToken(token.payload.toString('latin1')) : null
  if (inner?.form !== 'encrypted') return invalid('the token is not encrypted')
  const decrypted = await decryptToken(inner, decryption)
  if (decrypted.outcome !== 'decrypted') return decrypted
  return { outcome: 'opened', claims: readClaims(decrypted.content), header: token.header }
}

async function openEncrypted(token: EncryptedToken, { verification, decryption }: OpeningKeys): Promise<JwtOpening> {
  if (!decryption) return invalid('the token is encrypted, and there is no key to decrypt it with')
  const decrypted = await decryptToken(token, decryption)
  if (decrypted.outcome !== 'decrypted') return decrypted
  const { content, authenticated } = decrypted
  if (verification) return openInner(content, verification)
  if (!authenticated) {
    return invalid('the token is encrypted to a public key; only a signature inside can say who made it')
  }
  if (isToken(content)) return invalid('the token holds a signed token, and there is no key to verify it with')
  return { outcome: 'opened', claims: readClaims(content), header: token.header }
}

async function openInner(content: Buffer, verification: KeySource): Promise<JwtOpening> {
  const inner = isToken(content) ? parseToken(content.toString('latin1')) : null
  if (inner?.form !== 'signed') return invalid('the token is not signed')
  const verified = await verifySignature(inner, verification)
  if (verified.outcome !== 'verified') return verified
  return { outcome: 'opened', claims: readClaims(inner.payload), header: inner.header }
}

/** Read as Latin-1, so that text in other encodings is no valid token. */
function isToken(content: Buffer): boolean {
  return content.length > 0 && content[0] !== 0x7b
}
