import { CompactSign } from 'jose'
import type { ModuleKey, Secret } from '#contracts'
import type { JsonObject } from '#json'
import { type SignatureAlgorithm, signatureSuitability } from './signature-algorithms.ts'
import { KeyUnsuitableError } from './token-error.ts'

interface Signing {
  readonly algorithm: SignatureAlgorithm
  /** `typ` of the header; default `JWT`. */
  readonly typ?: string
  /** Whether the header has a `kid`; default true. */
  readonly includeKeyId?: boolean
  /** Further members of the header; `alg` among them is ignored, `kid` and `typ` replace the others. */
  readonly header?: JsonObject
}

/** Throws KeyUnsuitableError where the key does not fit the algorithm. */
export async function signJwt(secret: Secret, claims: JsonObject, signing: Signing): Promise<string> {
  const { algorithm, typ = 'JWT', includeKeyId = true, header = {} } = signing
  const refusal = signingRefusal(secret, algorithm)
  if (refusal !== null) throw new KeyUnsuitableError(refusal)
  const kid = includeKeyId && secret.stableId !== null ? { kid: secret.stableId } : {}
  const members = { typ, ...kid, ...header, alg: algorithm }
  if (secret.moduleKey !== null) return signInModule(secret.moduleKey, members, claims, algorithm)
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader(members)
    .sign(secret.privateOrSecretKey as NonNullable<Secret['privateOrSecretKey']>)
}

/** The compact form of RFC 7515 section 7.1, signed by a security module. */
async function signInModule(
  key: ModuleKey,
  header: JsonObject,
  claims: JsonObject,
  algorithm: SignatureAlgorithm,
): Promise<string> {
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const signature = await key.sign(algorithm, Buffer.from(input))
  return `${input}.${signature.toString('base64url')}`
}

/** Why a secret can not sign with an algorithm; null where it can. */
export function signingRefusal(secret: Secret, algorithm: SignatureAlgorithm): string | null {
  const name = `the secret of the secret id "${secret.secretId}"`
  const refusal = secret.refusal('SIGN')
  const key = secret.moduleKey === null ? secret.privateOrSecretKey : secret.publicOrSecretKey
  if (refusal !== null || key === null) return `${name} can not sign: ${refusal}`
  const suitability = signatureSuitability(key, secret.algorithm)
  if (suitability.refusal !== null) return `${name} can not sign: ${suitability.refusal}`
  if (suitability.algorithms.includes(algorithm)) return null
  return `${name} can not sign by ${algorithm}; its key is one for ${suitability.algorithms.join(', ')}`
}
