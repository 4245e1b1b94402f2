import { constants, type KeyObject } from 'node:crypto'
import { rsaWeakness } from './rsa-strength.ts'

/** Asymmetric algorithms (RFC 7518 section 3.1, RFC 8037, RFC 9864). */
export const KEY_PAIR_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

/** Algorithms of signatures and MACs. */
export const SIGNATURE_ALGORITHMS = [...KEY_PAIR_ALGORITHMS, 'HS256', 'HS384', 'HS512'] as const

export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number]

/** Parameters of an algorithm for OpenSSL. */
export interface SignatureScheme {
  /** Null where the algorithm implies it. */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null
  readonly padding?: number
  readonly saltLength?: number
  /** Bytes of an ECDSA signature (RFC 7518 section 3.4). */
  readonly pairBytes?: number
}

const pkcs1 = (hash: 'sha256' | 'sha384' | 'sha512'): SignatureScheme => ({
  hash,
  padding: constants.RSA_PKCS1_PADDING,
})
const pss = (hash: 'sha256' | 'sha384' | 'sha512', saltLength: number): SignatureScheme => ({
  hash,
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength,
})

export const SIGNATURE_SCHEMES: Readonly<Record<SignatureAlgorithm, SignatureScheme>> = {
  RS256: pkcs1('sha256'),
  RS384: pkcs1('sha384'),
  RS512: pkcs1('sha512'),
  PS256: pss('sha256', 32),
  PS384: pss('sha384', 48),
  PS512: pss('sha512', 64),
  ES256: { hash: 'sha256', pairBytes: 64 },
  ES384: { hash: 'sha384', pairBytes: 96 },
  ES512: { hash: 'sha512', pairBytes: 132 },
  EdDSA: { hash: null },
  Ed25519: { hash: null },
  HS256: { hash: 'sha256' },
  HS384: { hash: 'sha384' },
  HS512: { hash: 'sha512' },
}

/** The algorithms that a key can be used with, or the reason why it fits none. */
export type Suitability<A extends string> =
  | { readonly algorithms: readonly A[]; readonly refusal: null }
  | { readonly algorithms: readonly []; readonly refusal: string }

/** Cached: checking an RSA key takes longer than signing with it. */
const knownByType = new WeakMap<KeyObject, readonly SignatureAlgorithm[] | string>()

/**
 * The algorithms that may be used with a key: by its type, curve and length, and by the algorithm that its source names. The
 * header of a token has no influence.
 */
export function signatureSuitability(key: KeyObject, named: string | null): Suitability<SignatureAlgorithm> {
  const byType = knownByType.get(key) ?? algorithmsOfType(key)
  knownByType.set(key, byType)
  if (typeof byType === 'string') return { algorithms: [], refusal: byType }
  if (named === null || isSymmetricName(key, named)) return { algorithms: byType, refusal: null }
  const only = byType.filter((algorithm) => algorithm === named || sameAlgorithm(algorithm, named))
  if (only.length > 0) return { algorithms: only, refusal: null }
  return { algorithms: [], refusal: `it is meant for the algorithm ${JSON.stringify(named)}` }
}

function algorithmsOfType(key: KeyObject): readonly SignatureAlgorithm[] | string {
  if (key.type === 'secret') {
    const bytes = key.symmetricKeySize ?? 0
    const fitting = hmacAlgorithms(bytes)
    return fitting.length > 0
      ? fitting
      : `a key of HS256 needs at least 32 bytes (RFC 7518 section 3.2), it has ${bytes}`
  }
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return rsaWeakness(key) ?? ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
    case 'ec':
      return byCurve(key.asymmetricKeyDetails?.namedCurve)
    case 'ed25519':
      return ['EdDSA', 'Ed25519']
    default:
      return `keys of type ${key.asymmetricKeyType} sign no tokens here`
  }
}

function hmacAlgorithms(bytes: number): readonly SignatureAlgorithm[] {
  const all = ['HS256', 'HS384', 'HS512'] as const
  return all.filter((_, index) => bytes >= 32 + 16 * index)
}

function byCurve(curve: string | undefined): readonly SignatureAlgorithm[] | string {
  if (curve === 'prime256v1') return ['ES256']
  if (curve === 'secp384r1') return ['ES384']
  if (curve === 'secp521r1') return ['ES512']
  return `keys on the curve ${curve} sign no tokens here`
}

/** Names of symmetric keys in keystores and SecretKeyPropertyFormat, which are not limited to one JOSE algorithm. */
function isSymmetricName(key: KeyObject, named: string): boolean {
  return key.type === 'secret' && /^(?:AES|RAW|Hmac-?SHA-?\d+)$/i.test(named)
}

/** With a key on this curve both names mean the same algorithm (RFC 9864 section 2.2). */
function sameAlgorithm(algorithm: SignatureAlgorithm, named: string): boolean {
  return (algorithm === 'EdDSA' || algorithm === 'Ed25519') && (named === 'EdDSA' || named === 'Ed25519')
}
