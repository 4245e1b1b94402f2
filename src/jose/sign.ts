import { CompactSign } from 'jose'
import type { Secret } from '#contracts'
import type { JsonObject } from '#json'
import { type SignatureAlgorithm, signatureSuitability } from './signature-algorithms.ts'
import { KeyUnsuitableError } from './token-error.ts'

/** Settings of a signature. */
interface Signing {
  readonly algorithm: SignatureAlgorithm
  /** The `typ` of its header; `JWT` unless another is given. */
  readonly typ?: string
  /** Whether the header names the key; true unless it is switched off. */
  readonly includeKeyId?: boolean
  /** The public key that the header carries, for proofs of possession. */
  readonly jwk?: JsonObject
}

/** Makes a signed token of claims. Throws KeyUnsuitableError where the key is not one for the algorithm. */
export async function signJwt(secret: Secret, claims: JsonObject, signing: Signing): Promise<string> {
  const { algorithm, typ = 'JWT', includeKeyId = true, jwk } = signing
  const refusal = signingRefusal(secret, algorithm)
  if (refusal !== null) throw new KeyUnsuitableError(refusal)
  const kid = includeKeyId && secret.stableId !== null ? { kid: secret.stableId } : {}
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: algorithm, typ, ...kid, ...(jwk !== undefined && { jwk }) })
    .sign(secret.privateOrSecretKey as NonNullable<Secret['privateOrSecretKey']>)
}

/** Why a secret can not sign by an algorithm; null where it can. */
export function signingRefusal(secret: Secret, algorithm: SignatureAlgorithm): string | null {
  const name = `the secret of the secret id "${secret.secretId}"`
  const refusal = secret.refusal('SIGN')
  const key = secret.privateOrSecretKey
  if (refusal !== null || key === null) return `${name} can not sign: ${refusal}`
  const suitability = signatureSuitability(key, secret.algorithm)
  if (suitability.refusal !== null) return `${name} can not sign: ${suitability.refusal}`
  if (suitability.algorithms.includes(algorithm)) return null
  return `${name} can not sign by ${algorithm}; its key is one for ${suitability.algorithms.join(', ')}`
}
