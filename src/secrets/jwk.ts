import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type JsonWebKeyInput,
  type KeyObject,
  X509Certificate,
} from 'node:crypto'
import type { DecodedSecret, Purpose } from '#contracts'
import { isPlainObject } from '#json'

/** A parsed JSON Web Key, not validated. */
type ParsedJwk = Readonly<Record<string, unknown>>

type JsonWebKey = JsonWebKeyInput['key']

/** The part of a key pair that is decoded; only the public one of keys of other parties. */
type KeyPart = 'whole' | 'public'

/** The members of the public part of a key, by type (RFC 7518 section 6, RFC 8037). */
const PUBLIC_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
}

/** RFC 7518 section 3.3 requires 2048 bits. */
const SHORTEST_RSA = 2048

/** Decodes a JWK (RFC 7517). Errors contain no key material. */
export function decodeJwk(jwk: unknown, part: KeyPart): DecodedSecret {
  if (!isPlainObject(jwk)) throw new Error('expected a JSON Web Key: an object with "kty"')
  const key = keyOf(jwk, part)
  return {
    key,
    stableId: textMember(jwk, 'kid'),
    algorithm: textMember(jwk, 'alg'),
    purposes: purposesOf(jwk),
    certificates: certificatesOf(jwk, key),
  }
}

function keyOf(jwk: ParsedJwk, part: KeyPart): KeyObject {
  const kty = textMember(jwk, 'kty')
  if (kty === 'oct') return symmetricKey(jwk, part)
  const members = kty !== null && Object.hasOwn(PUBLIC_MEMBERS, kty) ? PUBLIC_MEMBERS[kty] : undefined
  if (members === undefined) throw new Error('expected "kty" to be "RSA", "EC", "OKP" or "oct"')
  for (const name of members) {
    if (textMember(jwk, name) === null) throw new Error(`expected a JSON Web Key of type ${kty} to have "${name}"`)
  }
  const key = imported(jwk, [...members], kty as string, part)
  const bits = key.asymmetricKeyDetails?.modulusLength
  if (bits !== undefined && bits < SHORTEST_RSA) {
    throw new Error(`expected an RSA key of at least ${SHORTEST_RSA} bits, got ${bits}`)
  }
  return key
}

/** Messages of OpenSSL are left out: they are unhelpful and could leak key material. */
function imported(jwk: ParsedJwk, members: string[], kty: string, part: KeyPart): KeyObject {
  try {
    if (part === 'whole' && jwk['d'] !== undefined) {
      return createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' })
    }
    const publicPart = Object.fromEntries([['kty', kty], ...members.map((name) => [name, jwk[name]])])
    return createPublicKey({ key: publicPart as JsonWebKey, format: 'jwk' })
  } catch {
    throw new Error(`expected a JSON Web Key of type ${kty}, but its members make no such key`)
  }
}

function symmetricKey(jwk: ParsedJwk, part: KeyPart): KeyObject {
  if (part === 'public') throw new Error('a symmetric key has no public part')
  const k = textMember(jwk, 'k')
  if (k === null || !/^[A-Za-z0-9_-]+$/.test(k))
    throw new Error('expected a JSON Web Key of type oct to have "k" in base64url')
  return createSecretKey(Buffer.from(k, 'base64url'))
}

function textMember(jwk: ParsedJwk, name: string): string | null {
  const value = Object.hasOwn(jwk, name) ? jwk[name] : undefined
  return typeof value === 'string' && value !== '' ? value : null
}

const OPERATIONS: Readonly<Record<string, Purpose>> = {
  sign: 'SIGN',
  verify: 'VERIFY',
  encrypt: 'ENCRYPT',
  wrapKey: 'ENCRYPT',
  decrypt: 'DECRYPT',
  unwrapKey: 'DECRYPT',
  deriveKey: 'DECRYPT',
  deriveBits: 'DECRYPT',
}

const SIGNATURE: readonly Purpose[] = ['SIGN', 'VERIFY']
const ENCRYPTION: readonly Purpose[] = ['ENCRYPT', 'DECRYPT']

/** Purposes that `use` and `key_ops` allow; null without both. Unknown values allow none. */
function purposesOf({ use, key_ops: operations }: ParsedJwk): readonly Purpose[] | null {
  if (use === undefined && operations === undefined) return null
  const byUse =
    use === undefined ? [...SIGNATURE, ...ENCRYPTION] : use === 'sig' ? SIGNATURE : use === 'enc' ? ENCRYPTION : []
  if (operations === undefined) return byUse
  const words = Array.isArray(operations) ? operations.map(String) : []
  const byOperation = words.map((word) => (Object.hasOwn(OPERATIONS, word) ? OPERATIONS[word] : undefined))
  return byUse.filter((purpose) => byOperation.includes(purpose))
}

/** The certificates of `x5c`; the first must be that of the key (RFC 7517 section 4.7). */
function certificatesOf(jwk: ParsedJwk, key: KeyObject): readonly X509Certificate[] {
  const { x5c } = jwk
  if (x5c === undefined || key.type === 'secret') return []
  if (!Array.isArray(x5c) || !x5c.every((each) => typeof each === 'string')) {
    throw new Error('expected "x5c" to be an array of certificates in base64')
  }
  const certificates = x5c.map((each) => {
    try {
      return new X509Certificate(Buffer.from(each, 'base64'))
    } catch {
      throw new Error('expected "x5c" to be an array of certificates in base64')
    }
  })
  const [own] = certificates
  if (own !== undefined && jwkThumbprint(own.publicKey) !== jwkThumbprint(key)) {
    throw new Error('expected the first certificate of "x5c" to be that of the key, got one of another key')
  }
  return certificates
}

/** The public part of a key as a JWK; throws for a symmetric key. */
export function publicJwk(key: KeyObject): JsonWebKey {
  if (key.type === 'secret') throw new TypeError('a symmetric key has no public part')
  return (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
}

/** The thumbprint of the public part of a key (RFC 7638), a name for a key without `kid`. */
export function jwkThumbprint(key: KeyObject): string {
  const jwk = thumbprintMembers(key)
  // For a key type without a JWK form, the digest of its public part in DER.
  const text = jwk ?? (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(text).digest('base64url')
}

function thumbprintMembers(key: KeyObject): string | null {
  try {
    const jwk = publicJwk(key)
    const names = ['kty', ...(PUBLIC_MEMBERS[jwk.kty as string] ?? [])].sort()
    return JSON.stringify(Object.fromEntries(names.map((name) => [name, (jwk as Record<string, unknown>)[name]])))
  } catch {
    return null
  }
}
