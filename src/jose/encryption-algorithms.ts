import type { KeyObject } from 'node:crypto'
import { rsaWeakness } from './rsa-strength.ts'
import type { Suitability } from './signature-algorithms.ts'

/**
 * Algorithms of key agreement and key wrapping (RFC 7518 section 4.1). PBES2 is left out since the token chooses the iteration
 * count, RSA1_5 since its failures are a padding oracle.
 */
export const ENCRYPTION_ALGORITHMS = [
  'RSA-OAEP',
  'RSA-OAEP-256',
  'RSA-OAEP-384',
  'RSA-OAEP-512',
  'ECDH-ES',
  'ECDH-ES+A128KW',
  'ECDH-ES+A192KW',
  'ECDH-ES+A256KW',
  'dir',
  'A128KW',
  'A192KW',
  'A256KW',
  'A128GCMKW',
  'A192GCMKW',
  'A256GCMKW',
] as const

export type EncryptionAlgorithm = (typeof ENCRYPTION_ALGORITHMS)[number]

/** Algorithms of content encryption (RFC 7518 section 5.1); all are authenticated. */
export const ENCRYPTION_METHODS = [
  'A128GCM',
  'A192GCM',
  'A256GCM',
  'A128CBC-HS256',
  'A192CBC-HS384',
  'A256CBC-HS512',
] as const

export type EncryptionMethod = (typeof ENCRYPTION_METHODS)[number]

/** Bytes of the content encryption key. */
export const METHOD_BYTES: Readonly<Record<EncryptionMethod, number>> = {
  A128GCM: 16,
  A192GCM: 24,
  A256GCM: 32,
  'A128CBC-HS256': 32,
  'A192CBC-HS384': 48,
  'A256CBC-HS512': 64,
}

const RSA = ['RSA-OAEP', 'RSA-OAEP-256', 'RSA-OAEP-384', 'RSA-OAEP-512'] as const
const AGREEMENT = ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A192KW', 'ECDH-ES+A256KW'] as const
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1']
const WRAPPING: Readonly<Record<number, readonly EncryptionAlgorithm[]>> = {
  16: ['A128KW', 'A128GCMKW'],
  24: ['A192KW', 'A192GCMKW'],
  32: ['A256KW', 'A256GCMKW'],
}

/** Cached: checking an RSA key takes longer than using it. */
const knownByType = new WeakMap<KeyObject, readonly EncryptionAlgorithm[] | string>()

/** The algorithms that may be used with a key, by its type, curve and length, and by the algorithm that its source names. */
export function encryptionSuitability(key: KeyObject, named: string | null): Suitability<EncryptionAlgorithm> {
  const byType = knownByType.get(key) ?? algorithmsOfType(key)
  knownByType.set(key, byType)
  if (typeof byType === 'string') return { algorithms: [], refusal: byType }
  if (named === null || (key.type === 'secret' && /^(?:AES|RAW)$/i.test(named))) {
    return { algorithms: byType, refusal: null }
  }
  // A key may also name the content encryption method: it is then used directly (`dir`).
  const wanted = (ENCRYPTION_METHODS as readonly string[]).includes(named) ? 'dir' : named
  const only = byType.filter((algorithm) => algorithm === wanted)
  if (only.length > 0) return { algorithms: only, refusal: null }
  return { algorithms: [], refusal: `it is meant for the algorithm ${JSON.stringify(named)}` }
}

/** The methods that may be used with a key: for `dir` those of its length. */
export function methodsFor(
  key: KeyObject,
  algorithm: EncryptionAlgorithm,
  named: string | null,
): readonly EncryptionMethod[] {
  if (algorithm !== 'dir') return ENCRYPTION_METHODS
  const ofLength = ENCRYPTION_METHODS.filter((method) => METHOD_BYTES[method] === key.symmetricKeySize)
  const isMethod = (ENCRYPTION_METHODS as readonly (string | null)[]).includes(named)
  return isMethod ? ofLength.filter((method) => method === named) : ofLength
}

function algorithmsOfType(key: KeyObject): readonly EncryptionAlgorithm[] | string {
  if (key.type === 'secret') return bySize(key.symmetricKeySize ?? 0)
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return rsaWeakness(key) ?? RSA
    case 'x25519':
      return AGREEMENT
    case 'ec': {
      const curve = key.asymmetricKeyDetails?.namedCurve
      return CURVES.includes(curve) ? AGREEMENT : `keys on the curve ${curve} encrypt no tokens here`
    }
    default:
      return `keys of type ${key.asymmetricKeyType} encrypt no tokens here`
  }
}

function bySize(bytes: number): readonly EncryptionAlgorithm[] | string {
  const direct = Object.values(METHOD_BYTES).includes(bytes)
  if (!direct) return `a symmetric key of ${bytes} bytes fits no algorithm; give it 16, 24, 32, 48 or 64`
  return ['dir', ...(WRAPPING[bytes] ?? [])]
}
