// MessageDigest, Mac, and the extensions of Groovy to strings and bytes: `md5()`, `sha256()`, `digest(...)`.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { spend } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { CharSequenceInterface, declareClass, primitives } from '../../values/classes.ts'
import { IllegalStateException } from '../../values/exceptions.ts'
import { ByteArray } from '../../values/java-array.ts'
import { textOf } from '../../values/text.ts'
import { throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { bytesOf } from '../text/charsets.ts'
import { BytesInput, partOf } from './bytes-input.ts'
import { InvalidKeyException, NoSuchAlgorithmException, SecretKeyValue } from './keys.ts'

const MessageDigestClass = declareClass('java.security.MessageDigest')
const MacClass = declareClass('javax.crypto.Mac')

/** Digests by their names in Java; the values are Node's names. */
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['MD5', 'md5'],
  ['SHA', 'sha1'],
  ['SHA1', 'sha1'],
  ['SHA-1', 'sha1'],
  ['SHA-224', 'sha224'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
  ['SHA3-256', 'sha3-256'],
  ['SHA3-512', 'sha3-512'],
])

function digestName(algorithm: string): string {
  const name = DIGESTS.get(algorithm.toUpperCase())
  if (name === undefined) throw throwable(NoSuchAlgorithmException, `${algorithm} MessageDigest not available`)
  return name
}

function hashed(algorithm: string, bytes: Uint8Array): ByteArray {
  spend(bytes.length)
  return new ByteArray(Uint8Array.from(createHash(algorithm).update(bytes).digest()))
}

class DigestValue extends GroovyObject {
  readonly algorithm: string
  readonly input = new BytesInput()

  constructor(algorithm: string) {
    super()
    digestName(algorithm)
    this.algorithm = algorithm
  }

  get klass(): ClassInfo {
    return MessageDigestClass
  }
}

const finish = (self: DigestValue): ByteArray => hashed(digestName(self.algorithm), self.input.take())

extend(MessageDigestClass, {
  'static getInstance(String algorithm): MessageDigest': (algorithm: string) => new DigestValue(algorithm),
  'static isEqual(byte[] left, byte[] right): boolean': (left: ByteArray, right: ByteArray) =>
    left.length === right.length && timingSafeEqual(left.bytes, right.bytes),
  'update(byte[] bytes): void': (self: DigestValue, { bytes }: ByteArray) => self.input.add(bytes),
  'update(byte[] bytes, int offset, int length): void': (
    self: DigestValue,
    bytes: ByteArray,
    at: number,
    count: number,
  ) => self.input.add(partOf(bytes, at, count)),
  'digest(): byte[]': finish,
  'digest(byte[] bytes): byte[]': (self: DigestValue, { bytes }: ByteArray) => {
    self.input.add(bytes)
    return finish(self)
  },
  'reset(): void': (self: DigestValue) => {
    self.input.take()
  },
  'getAlgorithm(): String': (self: DigestValue) => self.algorithm,
})

class MacValue extends GroovyObject {
  readonly algorithm: string
  readonly hash: string
  readonly input = new BytesInput()
  key: SecretKeyValue | null = null

  constructor(algorithm: string) {
    super()
    const [, digest] = /^HmacS?HA?-?(.*)$/i.exec(algorithm) ?? []
    const name = /^HmacMD5$/i.test(algorithm) ? 'md5' : MACS.get(digest ?? '')
    if (name === undefined) throw throwable(NoSuchAlgorithmException, `Algorithm ${algorithm} not available`)
    this.algorithm = algorithm
    this.hash = name
  }

  get klass(): ClassInfo {
    return MacClass
  }
}

const MACS: ReadonlyMap<string, string> = new Map([
  ['1', 'sha1'],
  ['224', 'sha224'],
  ['256', 'sha256'],
  ['384', 'sha384'],
  ['512', 'sha512'],
])

function authenticated(self: MacValue): ByteArray {
  if (self.key === null) throw throwable(IllegalStateException, 'MAC not initialized')
  const mac = createHmac(self.hash, self.key.bytes).update(self.input.take()).digest()
  return new ByteArray(Uint8Array.from(mac))
}

extend(MacClass, {
  'static getInstance(String algorithm): Mac': (algorithm: string) => new MacValue(algorithm),
  'init(Key key): void': (self: MacValue, key: Value) => {
    if (!(key instanceof SecretKeyValue))
      throw throwable(InvalidKeyException, 'No installed provider supports this key')
    self.key = key
    self.input.take()
  },
  'update(byte[] bytes): void': (self: MacValue, { bytes }: ByteArray) => self.input.add(bytes),
  'update(byte[] bytes, int offset, int length): void': (self: MacValue, bytes: ByteArray, at: number, count: number) =>
    self.input.add(partOf(bytes, at, count)),
  'doFinal(): byte[]': authenticated,
  'doFinal(byte[] bytes): byte[]': (self: MacValue, { bytes }: ByteArray) => {
    self.input.add(bytes)
    return authenticated(self)
  },
  'getAlgorithm(): String': (self: MacValue) => self.algorithm,
  'getMacLength(): int': (self: MacValue) => createHmac(self.hash, 'x').digest().length,
})

const hex = (bytes: ByteArray): string => Buffer.from(bytes.bytes).toString('hex')
const textHash = (algorithm: string) => (self: Value) => hex(hashed(algorithm, bytesOf(textOf(self), 'UTF-8')))
const bytesHash = (algorithm: string) => (self: ByteArray) => hex(hashed(algorithm, self.bytes))

extend(CharSequenceInterface, {
  'md5(): String': textHash('md5'),
  'sha256(): String': textHash('sha256'),
  'digest(String algorithm): String': (self: Value, algorithm: string) => textHash(digestName(algorithm))(self),
})
extend(primitives.byte.arrayClass, {
  'md5(): String': bytesHash('md5'),
  'sha256(): String': bytesHash('sha256'),
  'digest(String algorithm): String': (self: ByteArray, algorithm: string) => bytesHash(digestName(algorithm))(self),
})
