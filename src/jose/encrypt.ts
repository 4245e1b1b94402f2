import type { KeyObject } from 'node:crypto'
import { CompactEncrypt } from 'jose'
import type { Secret } from '#contracts'
import type { JsonObject } from '#json'
import {
  type EncryptionAlgorithm,
  type EncryptionMethod,
  encryptionSuitability,
  methodsFor,
} from './encryption-algorithms.ts'
import { KeyUnsuitableError } from './token-error.ts'

interface Encrypting {
  readonly algorithm: EncryptionAlgorithm
  readonly method: EncryptionMethod
  /** Plaintext: claims, or a signed token. */
  readonly content: 'claims' | 'token'
  /** Whether the header has a `kid`; default true. */
  readonly includeKeyId?: boolean
  /** Further members of the header; `alg` and `enc` among them are ignored. */
  readonly header?: JsonObject
}

/** Creates an encrypted token. Throws KeyUnsuitableError where the key does not fit the algorithm. */
export async function encryptJwt(
  secret: Secret,
  plaintext: string | Uint8Array,
  encrypting: Encrypting,
): Promise<string> {
  const { algorithm, method, content, includeKeyId = true, header = {} } = encrypting
  const refusal = encryptionRefusal(secret, algorithm, method)
  if (refusal !== null) throw new KeyUnsuitableError(refusal)
  const kid = includeKeyId && secret.stableId !== null ? { kid: secret.stableId } : {}
  const inside = content === 'token' ? { cty: 'JWT' } : {}
  return new CompactEncrypt(Buffer.from(plaintext as string))
    .setProtectedHeader({ typ: 'JWT', ...inside, ...kid, ...header, alg: algorithm, enc: method })
    .encrypt(secret.publicOrSecretKey as KeyObject)
}

/** Why a secret can not encrypt with an algorithm and a method; null where it can. */
export function encryptionRefusal(
  secret: Secret,
  algorithm: EncryptionAlgorithm,
  method: EncryptionMethod,
): string | null {
  const name = `the secret of the secret id "${secret.secretId}"`
  const refusal = secret.refusal('ENCRYPT')
  const key = secret.publicOrSecretKey
  if (refusal !== null || key === null) return `${name} can not encrypt: ${refusal}`
  const suitability = encryptionSuitability(key, secret.algorithm)
  if (suitability.refusal !== null) return `${name} can not encrypt: ${suitability.refusal}`
  if (!suitability.algorithms.includes(algorithm)) {
    return `${name} can not encrypt by ${algorithm}; its key is one for ${suitability.algorithms.join(', ')}`
  }
  const methods = methodsFor(key, algorithm, secret.algorithm)
  if (methods.includes(method)) return null
  return `${name} can not encrypt by ${method}; its key is one for ${methods.join(', ') || 'no method'}`
}
