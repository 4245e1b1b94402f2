// Keys that sign and verify. The handler and its key decide which algorithms are possible, never the token alone.
import { createHmac, createPublicKey, timingSafeEqual } from 'node:crypto'
import {
  type ClassInfo,
  exceptions,
  GroovyObject,
  type Maybe,
  suspend,
  throwable,
  type Value,
} from '@identity-gateway/groovy'
import type { SignedToken } from '#jose'
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm, signatureSuitability, signJwt, verifySignature } from '#jose'
import type { JsonObject } from '#json'
import type { ScriptSecret } from '../../script-secrets.ts'
import { gatewayInterface } from '../host-class.ts'
import { JwsSigningException, JwsVerifyingException } from './exceptions.ts'

const SigningHandlerClass = gatewayInterface('json.jose.jws.handlers.SigningHandler', null)

export abstract class SigningHandlerValue extends GroovyObject {
  get klass(): ClassInfo {
    return SigningHandlerClass
  }

  /** The compact form of a token; suspends the script while a key of a pair signs. */
  abstract sign(header: JsonObject, claims: JsonObject): Maybe
  /** Whether the signature of a token is one of this key; may suspend the script. */
  abstract verify(token: SignedToken): Maybe
}

const HASHES: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' }

/** A shared key of any length, as OpenIG accepts it. */
export class HmacHandler extends SigningHandlerValue {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    super()
    if (key.length === 0) throw exceptions.illegalArgument('the key is empty')
    if (isPublicKey(key)) {
      throw exceptions.illegalArgument(
        'the key is a public one, so that anyone could sign with it; use newVerificationHandler with a secret, or newRsaSigningHandler with a key',
      )
    }
    this.#key = Uint8Array.from(key)
  }

  override sign(header: JsonObject, claims: JsonObject): Value {
    const { alg = 'HS256' } = header
    const hash = hashOf(alg)
    if (hash === null) throw throwable(JwsSigningException, `a shared key can not sign by ${String(alg).slice(0, 20)}`)
    const text = `${encoded({ typ: 'JWT', ...header, alg })}.${encoded(claims)}`
    return `${text}.${this.#mac(hash, Buffer.from(text)).toString('base64url')}`
  }

  override verify({ header, signature, signedBytes }: SignedToken): Value {
    const hash = hashOf(header.alg)
    if (hash === null) return false
    const expected = this.#mac(hash, signedBytes)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  }

  #mac(hash: string, bytes: Buffer): Buffer {
    return createHmac(hash, this.#key).update(bytes).digest()
  }
}

function hashOf(algorithm: unknown): string | null {
  return typeof algorithm === 'string' && Object.hasOwn(HASHES, algorithm) ? (HASHES[algorithm] ?? null) : null
}

const encoded = (json: JsonObject): string => Buffer.from(JSON.stringify(json)).toString('base64url')

/** A public key or a certificate, in PEM or DER: used as a shared key, anybody could sign with it (RFC 8725 section 2.1). */
function isPublicKey(bytes: Uint8Array): boolean {
  const isDer = bytes[0] === 0x30
  if (!isDer && !Buffer.from(bytes.subarray(0, 4_096)).includes('-----BEGIN ')) return false
  const key = Buffer.from(bytes)
  const forms = isDer
    ? ([
        { key, format: 'der', type: 'spki' },
        { key, format: 'der', type: 'pkcs1' },
      ] as const)
    : [key]
  return forms.some((form) => {
    try {
      return createPublicKey(form) !== null
    } catch {
      return false
    }
  })
}

/** Algorithms of the handlers of SigningManager. */
export type Family = 'HMAC' | 'RSA' | 'ECDSA' | 'EdDSA'

const FAMILIES: Readonly<Record<Family, RegExp>> = { HMAC: /^HS/, RSA: /^[RP]S/, ECDSA: /^ES/, EdDSA: /^Ed/ }

/** A key of a pair, or a secret of a store. */
export class KeyHandler extends SigningHandlerValue {
  readonly #secret: ScriptSecret
  readonly #algorithms: readonly SignatureAlgorithm[]

  /** Throws IllegalArgumentException where the key does not belong to the family. */
  constructor(secret: ScriptSecret, family: Family | null) {
    super()
    const { publicOrSecretKey: key, algorithm } = secret.active
    const { algorithms, refusal } =
      key === null ? { algorithms: [], refusal: secret.active.refusal('VERIFY') } : signatureSuitability(key, algorithm)
    this.#secret = secret
    this.#algorithms = algorithms.filter((each) => family === null || FAMILIES[family].test(each))
    if (this.#algorithms.length > 0) return
    const reason = refusal ?? `it is one for ${algorithms.join(', ')}`
    throw exceptions.illegalArgument(
      `the key "${secret.secretId}" is not a key of ${family ?? 'signatures'}: ${reason}`,
    )
  }

  override sign(header: JsonObject, claims: JsonObject): Maybe {
    const algorithm = this.#algorithms.find((each) => header['alg'] === undefined || each === header['alg'])
    if (algorithm === undefined) {
      const wanted = SIGNATURE_ALGORITHMS.find((each) => each === header['alg']) ?? 'an unknown algorithm, or none'
      throw throwable(
        JwsSigningException,
        `the key "${this.#secret.secretId}" can not sign by ${wanted}; it is one for ${this.#algorithms.join(', ')}`,
      )
    }
    return suspend(
      signJwt(this.#secret.active, claims, { algorithm, header }).catch((error: Error) => {
        throw throwable(JwsSigningException, error.message)
      }),
    )
  }

  override verify(token: SignedToken): Maybe {
    if (!(this.#algorithms as readonly string[]).includes(token.header.alg)) return false
    return suspend(this.#verified(token))
  }

  async #verified(token: SignedToken): Promise<boolean> {
    const verification = await verifySignature(token, this.#secret.source)
    if (verification.outcome === 'unavailable') throw throwable(JwsVerifyingException, verification.reason)
    return verification.outcome === 'verified'
  }
}
