// java.security.Signature: signs and verifies bytes with the keys of a pair.
import { constants, type SignKeyObjectInput, sign, type VerifyKeyObjectInput, verify } from 'node:crypto'
import { spend } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass } from '../../values/classes.ts'
import { ByteArray } from '../../values/java-array.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { BytesInput, partOf } from './bytes-input.ts'
import { CertificateValue } from './certificates.ts'
import { GeneralSecurityException, InvalidKeyException, NoSuchAlgorithmException, PairKeyValue } from './keys.ts'

const SignatureClass = declareClass('java.security.Signature')
const SignatureException = declareException('java.security.SignatureException', GeneralSecurityException)

/** An algorithm of signatures. */
interface Algorithm {
  /** As `getAlgorithm` of its keys. */
  readonly keys: string
  /** Node's name; null where the key decides. */
  readonly digest: string | null
  readonly isPss: boolean
}

/** SHA-1 and MD5 are not among the digests: others can make two texts with the same one. */
const WITH = /^SHA-?(256|384|512)with(RSA|ECDSA)(andMGF1)?$/i

function algorithmOf(name: string): Algorithm {
  const [, bits, keys, mask] = WITH.exec(name) ?? []
  if (bits !== undefined && keys !== undefined) {
    const isRsa = keys.toUpperCase() === 'RSA'
    if (isRsa || mask === undefined) {
      return { keys: isRsa ? 'RSA' : 'EC', digest: `sha${bits}`, isPss: mask !== undefined }
    }
  }
  if (/^(?:Ed25519|EdDSA)$/i.test(name)) return { keys: 'EdDSA', digest: null, isPss: false }
  throw throwable(
    NoSuchAlgorithmException,
    `${name} Signature not available; available: SHA256withRSA, SHA256withRSAandMGF1, SHA256withECDSA, the same with 384 and 512 bits, and Ed25519`,
  )
}

class SignatureValue extends GroovyObject {
  readonly name: string
  readonly input = new BytesInput()
  readonly #algorithm: Algorithm
  #key: PairKeyValue | null = null

  constructor(name: string) {
    super()
    this.#algorithm = algorithmOf(name)
    this.name = name
  }

  get klass(): ClassInfo {
    return SignatureClass
  }

  use(key: Value, type: 'public' | 'private'): void {
    const { keys } = this.#algorithm
    if (!(key instanceof PairKeyValue) || key.algorithm !== keys || key.key.type !== type) {
      throw throwable(InvalidKeyException, `expected a ${type} key of ${keys}`)
    }
    this.input.take()
    this.#key = key
  }

  add(bytes: Uint8Array): void {
    this.#usedKey()
    this.input.add(bytes)
  }

  sign(): ByteArray {
    const { key } = this.#usedKey('private')
    try {
      const made = sign(this.#algorithm.digest, this.input.take(), { key, ...this.#padding() } as SignKeyObjectInput)
      return new ByteArray(Uint8Array.from(made))
    } catch {
      throw throwable(SignatureException, `the key is too short for ${this.name}`)
    }
  }

  /** False for everything that is not a signature of the key, whatever its length and form. */
  verify({ bytes }: ByteArray): boolean {
    const { key } = this.#usedKey('public')
    spend(bytes.length)
    const options = { key, ...this.#padding() } as VerifyKeyObjectInput
    try {
      return verify(this.#algorithm.digest, this.input.take(), options, bytes)
    } catch {
      return false
    }
  }

  #padding(): object {
    if (!this.#algorithm.isPss) return {}
    return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  }

  #usedKey(type?: 'public' | 'private'): PairKeyValue {
    const key = this.#key
    if (key !== null && (type === undefined || key.key.type === type)) return key
    const purpose = type === undefined ? '' : type === 'public' ? ' for verification' : ' for signing'
    throw throwable(SignatureException, `object not initialized${purpose}`)
  }
}

const publicKeyOf = (value: Value): Value => (value instanceof CertificateValue ? value.publicKey() : value)

extend(SignatureClass, {
  'static getInstance(String algorithm): Signature': (algorithm: string) => new SignatureValue(algorithm),
  'static getInstance(String algorithm, String provider): Signature': (algorithm: string) =>
    new SignatureValue(algorithm),
  'initVerify(Object key): void': (self: SignatureValue, key: Value) => self.use(publicKeyOf(key), 'public'),
  'initSign(PrivateKey key): void': (self: SignatureValue, key: Value) => self.use(key, 'private'),
  'update(byte[] bytes): void': (self: SignatureValue, { bytes }: ByteArray) => self.add(bytes),
  'update(byte[] bytes, int offset, int length): void': (
    self: SignatureValue,
    bytes: ByteArray,
    at: number,
    count: number,
  ) => self.add(partOf(bytes, at, count)),
  'verify(byte[] signature): boolean': (self: SignatureValue, signature: ByteArray) => self.verify(signature),
  'sign(): byte[]': (self: SignatureValue) => self.sign(),
  'getAlgorithm(): String': (self: SignatureValue) => self.name,
})
