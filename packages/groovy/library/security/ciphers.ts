// javax.crypto.Cipher: AES with shared keys, and RSA with OAEP for short texts.
import { type CipherGCMTypes, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass } from '../../values/classes.ts'
import { IllegalStateException } from '../../values/exceptions.ts'
import { ByteArray } from '../../values/java-array.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { BytesInput, partOf } from './bytes-input.ts'
import { VectorValue } from './cipher-parameters.ts'
import { GeneralSecurityException, InvalidKeyException, NoSuchAlgorithmException, SecretKeyValue } from './keys.ts'
import { BadPaddingException, InvalidParameters, type Mode, RsaCipher } from './rsa-cipher.ts'

const CipherClass = declareClass('javax.crypto.Cipher')
const AeadBadTagException = declareException('javax.crypto.AEADBadTagException', BadPaddingException)
const IllegalBlockSizeException = declareException('javax.crypto.IllegalBlockSizeException', GeneralSecurityException)
declareException('javax.crypto.NoSuchPaddingException', GeneralSecurityException)

const [ENCRYPT, DECRYPT] = [1, 2]
const TAG_BYTES = 16
const BLOCK = 16
const GCM_VECTOR = 12

/** Transformations of AES, with the mode of Node's name. */
const MODES: ReadonlyMap<string, 'gcm' | 'cbc' | 'ctr' | 'ecb'> = new Map([
  ['AES/GCM/NOPADDING', 'gcm'],
  ['AES/CBC/PKCS5PADDING', 'cbc'],
  ['AES/CTR/NOPADDING', 'ctr'],
  ['AES/ECB/PKCS5PADDING', 'ecb'],
  ['AES', 'ecb'],
])

/** A cipher after `init`. */
interface Initialized {
  readonly iv: Uint8Array | null
  readonly additional?: BytesInput
  finish(input: Uint8Array): Uint8Array
}

class AesCipher implements Initialized {
  readonly iv: Uint8Array | null
  readonly additional = new BytesInput()
  readonly #mode: Mode
  readonly #name: 'gcm' | 'cbc' | 'ctr' | 'ecb'
  readonly #key: Uint8Array
  #isUsed = false

  constructor(name: 'gcm' | 'cbc' | 'ctr' | 'ecb', mode: Mode, key: Value, parameters: Value) {
    if (!(key instanceof SecretKeyValue)) throw throwable(InvalidKeyException, 'expected a SecretKeySpec')
    if (![16, 24, 32].includes(key.bytes.length)) {
      throw throwable(InvalidKeyException, `Invalid AES key length: ${key.bytes.length} bytes`)
    }
    this.#name = name
    this.#mode = mode
    this.#key = key.bytes
    this.iv = vectorOf(name, mode, parameters)
  }

  finish(input: Uint8Array): Uint8Array {
    if (this.#name === 'gcm') return this.#mode === 'encrypt' ? this.#seal(input) : this.#open(input)
    const algorithm = `aes-${this.#key.length * 8}-${this.#name}`
    const make = this.#mode === 'encrypt' ? createCipheriv : createDecipheriv
    const cipher = make(algorithm, this.#key, this.iv)
    try {
      return Buffer.concat([cipher.update(input), cipher.final()])
    } catch {
      if (input.length % BLOCK === 0) throw throwable(BadPaddingException, 'Given final block not properly padded')
      throw throwable(IllegalBlockSizeException, `expected a multiple of ${BLOCK} bytes, got ${input.length}`)
    }
  }

  /** The encrypted text with its tag. A second text with the same vector would show both, and the key of the tags. */
  #seal(input: Uint8Array): Uint8Array {
    if (this.#isUsed) throw throwable(IllegalStateException, 'Cannot reuse iv for GCM encryption')
    this.#isUsed = true
    const cipher = createCipheriv(this.#gcm, this.#key, this.iv as Uint8Array, { authTagLength: TAG_BYTES })
    cipher.setAAD(this.additional.take())
    return Buffer.concat([cipher.update(input), cipher.final(), cipher.getAuthTag()])
  }

  #open(input: Uint8Array): Uint8Array {
    const end = input.length - TAG_BYTES
    const additional = this.additional.take()
    try {
      const cipher = createDecipheriv(this.#gcm, this.#key, this.iv as Uint8Array, { authTagLength: TAG_BYTES })
      cipher.setAAD(additional)
      cipher.setAuthTag(input.subarray(end))
      return Buffer.concat([cipher.update(input.subarray(0, end)), cipher.final()])
    } catch {
      throw throwable(AeadBadTagException, 'Tag mismatch')
    }
  }

  get #gcm(): CipherGCMTypes {
    return `aes-${this.#key.length * 8}-gcm` as CipherGCMTypes
  }
}

/** The vector of the parameters; a random one where a text is encrypted without. */
function vectorOf(name: string, mode: Mode, parameters: Value): Uint8Array | null {
  if (name === 'ecb') {
    if (parameters !== null) throw throwable(InvalidParameters, 'ECB mode cannot use IV')
    return null
  }
  if (parameters === null) {
    if (mode === 'decrypt') throw throwable(InvalidKeyException, 'Parameters missing')
    return randomBytes(name === 'gcm' ? GCM_VECTOR : BLOCK)
  }
  const isFitting = parameters instanceof VectorValue && (parameters.tagBits !== null) === (name === 'gcm')
  if (!isFitting) {
    throw throwable(InvalidParameters, `expected ${name === 'gcm' ? 'a GCMParameterSpec' : 'an IvParameterSpec'}`)
  }
  const { bytes, tagBits } = parameters
  if (name === 'gcm' && tagBits !== TAG_BYTES * 8) {
    throw throwable(InvalidParameters, `expected a tag of 128 bits, got ${tagBits}: shorter ones are easier to forge`)
  }
  const isLength = name === 'gcm' ? bytes.length >= GCM_VECTOR && bytes.length <= 128 : bytes.length === BLOCK
  if (!isLength) throw throwable(InvalidParameters, `Wrong IV length: ${bytes.length} bytes`)
  return bytes
}

class CipherValue extends GroovyObject {
  readonly transformation: string
  readonly input = new BytesInput()
  #state: Initialized | null = null

  constructor(transformation: string) {
    super()
    const name = transformation.toUpperCase()
    if (!MODES.has(name) && !RsaCipher.supports(name)) {
      throw throwable(
        NoSuchAlgorithmException,
        `Cannot find any provider supporting ${transformation}; available: AES/GCM/NoPadding, AES/CBC/PKCS5Padding, AES/CTR/NoPadding, AES/ECB/PKCS5Padding and RSA/ECB/OAEPPadding`,
      )
    }
    this.transformation = transformation
  }

  get klass(): ClassInfo {
    return CipherClass
  }

  init(opmode: number, key: Value, parameters: Value): void {
    if (opmode !== ENCRYPT && opmode !== DECRYPT) {
      throw throwable(InvalidParameters, 'expected Cipher.ENCRYPT_MODE or Cipher.DECRYPT_MODE')
    }
    const mode: Mode = opmode === ENCRYPT ? 'encrypt' : 'decrypt'
    const name = this.transformation.toUpperCase()
    const aes = MODES.get(name)
    this.input.take()
    this.#state =
      aes === undefined ? new RsaCipher(name, mode, key, parameters) : new AesCipher(aes, mode, key, parameters)
  }

  get state(): Initialized {
    if (this.#state === null) throw throwable(IllegalStateException, 'Cipher not initialized')
    return this.#state
  }

  /** Nothing is computed before `doFinal`, so that no text of a wrong tag can be used. */
  add(bytes: Uint8Array): ByteArray {
    if (this.#state === null) throw throwable(IllegalStateException, 'Cipher not initialized')
    this.input.add(bytes)
    return new ByteArray(new Uint8Array(0))
  }

  finish(): ByteArray {
    return new ByteArray(Uint8Array.from(this.state.finish(this.input.take())))
  }
}

extend(CipherClass, {
  'static ENCRYPT_MODE: int': ENCRYPT,
  'static DECRYPT_MODE: int': DECRYPT,
  'static getInstance(String transformation): Cipher': (transformation: string) => new CipherValue(transformation),
  'static getInstance(String transformation, String provider): Cipher': (transformation: string) =>
    new CipherValue(transformation),
  'init(int mode, Key key): void': (self: CipherValue, mode: number, key: Value) => self.init(mode, key, null),
  'init(int mode, Key key, AlgorithmParameterSpec parameters): void': (
    self: CipherValue,
    mode: number,
    key: Value,
    parameters: Value,
  ) => self.init(mode, key, parameters),
  'update(byte[] bytes): byte[]': (self: CipherValue, { bytes }: ByteArray) => self.add(bytes),
  'update(byte[] bytes, int offset, int length): byte[]': (
    self: CipherValue,
    bytes: ByteArray,
    at: number,
    count: number,
  ) => self.add(partOf(bytes, at, count)),
  'updateAAD(byte[] bytes): void': ({ state }: CipherValue, { bytes }: ByteArray) => state.additional?.add(bytes),
  'doFinal(): byte[]': (self: CipherValue) => self.finish(),
  'doFinal(byte[] bytes): byte[]': (self: CipherValue, { bytes }: ByteArray) => {
    self.add(bytes)
    return self.finish()
  },
  'getIV(): byte[]': ({ state: { iv } }: CipherValue) => (iv === null ? null : new ByteArray(Uint8Array.from(iv))),
  'getAlgorithm(): String': (self: CipherValue) => self.transformation,
  'getBlockSize(): int': (self: CipherValue) => (/^RSA/i.test(self.transformation) ? 0 : BLOCK),
})
