import { createHmac, type KeyObject, timingSafeEqual, type VerifyKeyObjectInput, verify } from 'node:crypto'
import type { Secret } from '#contracts'
import type { SignedToken } from './compact.ts'
import {
  SIGNATURE_SCHEMES,
  type SignatureAlgorithm,
  type SignatureScheme,
  signatureSuitability,
} from './signature-algorithms.ts'

/**
 * A key that verifies signatures, prepared once. Uses the synchronous API of OpenSSL: Web Crypto takes up to twice the CPU,
 * most of it for the switch to another thread and back.
 */
export class SignatureKey {
  readonly algorithms: readonly SignatureAlgorithm[]
  /** Why it fits no algorithm; null where it does. */
  readonly refusal: string | null
  readonly symmetric: boolean
  readonly #key: KeyObject
  readonly #inputs = new Map<SignatureAlgorithm, VerifyKeyObjectInput>()

  /** `named` is the algorithm that the source of the key names; a key without one fits every algorithm of its type. */
  constructor(key: KeyObject, named: string | null) {
    const { algorithms, refusal } = signatureSuitability(key, named)
    this.#key = key
    this.symmetric = key.type === 'secret'
    this.algorithms = algorithms
    this.refusal = refusal
    for (const algorithm of algorithms) this.#inputs.set(algorithm, inputOf(key, SIGNATURE_SCHEMES[algorithm]))
  }

  /** Whether the key fits an algorithm. */
  suits(algorithm: string): boolean {
    return this.#inputs.has(algorithm as SignatureAlgorithm)
  }

  equals(other: SignatureKey): boolean {
    return this.#key.equals(other.#key)
  }

  /** Whether the token has a valid signature of this key, with an algorithm that fits the key. */
  verifies(token: SignedToken): boolean {
    const algorithm = token.header.alg as SignatureAlgorithm
    const input = this.#inputs.get(algorithm)
    if (input === undefined) return false
    const { hash, pairBytes } = SIGNATURE_SCHEMES[algorithm]
    if (this.symmetric) return this.#authenticates(hash as string, token)
    if (pairBytes !== undefined && !isUsablePair(token.signature, pairBytes)) return false
    try {
      return verify(hash, token.signedBytes, input, token.signature)
    } catch {
      return false
    }
  }

  #authenticates(hash: string, { signedBytes, signature }: SignedToken): boolean {
    const expected = createHmac(hash, this.#key).update(signedBytes).digest()
    return expected.length === signature.length && timingSafeEqual(expected, signature)
  }
}

const ready = new WeakMap<Secret, SignatureKey | null>()

/** The key of a secret, prepared on first use; null where the secret has no key that can verify. */
export function signatureKeyOf(secret: Secret): SignatureKey | null {
  const known = ready.get(secret)
  if (known !== undefined) return known
  const key = secret.publicOrSecretKey
  const made = key === null ? null : new SignatureKey(key, secret.algorithm)
  ready.set(secret, made)
  return made
}

function inputOf(key: KeyObject, { padding, saltLength, pairBytes }: SignatureScheme): VerifyKeyObjectInput {
  return {
    key,
    ...(padding !== undefined && { padding }),
    ...(saltLength !== undefined && { saltLength }),
    ...(pairBytes !== undefined && { dsaEncoding: 'ieee-p1363' as const }),
  }
}

/** Two numbers of equal length, none of them zero: a verifier that accepted zeros accepted any message (CVE-2022-21449). */
function isUsablePair(signature: Buffer, bytes: number): boolean {
  if (signature.length !== bytes) return false
  const half = bytes / 2
  return signature.subarray(0, half).some(Boolean) && signature.subarray(half).some(Boolean)
}
