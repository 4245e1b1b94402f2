// Keys: SecretKeySpec for shared ones, KeyFactory for those of a pair in their DER encodings.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass, declareInterface } from '../../values/classes.ts'
import { ExceptionClass, illegalArgument } from '../../values/exceptions.ts'
import { ByteArray } from '../../values/java-array.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import { GroovyObject } from '../../values/value.ts'

const KeyInterface = declareInterface('java.security.Key')
const PublicKeyInterface = declareInterface('java.security.PublicKey', null, KeyInterface)
const PrivateKeyInterface = declareInterface('java.security.PrivateKey', null, KeyInterface)
const SecretKeySpecClass = declareClass('javax.crypto.spec.SecretKeySpec', { interfaces: [KeyInterface] })
const KeySpecInterface = declareInterface('java.security.spec.KeySpec')
const Pkcs8SpecClass = declareClass('java.security.spec.PKCS8EncodedKeySpec', { interfaces: [KeySpecInterface] })
const X509SpecClass = declareClass('java.security.spec.X509EncodedKeySpec', { interfaces: [KeySpecInterface] })
const KeyFactoryClass = declareClass('java.security.KeyFactory')

const GeneralSecurityException = declareException('java.security.GeneralSecurityException', ExceptionClass)
export const NoSuchAlgorithmException = declareException(
  'java.security.NoSuchAlgorithmException',
  GeneralSecurityException,
)
export const InvalidKeyException = declareException('java.security.InvalidKeyException', GeneralSecurityException)
const InvalidKeySpecException = declareException('java.security.spec.InvalidKeySpecException', GeneralSecurityException)

/** The algorithms of key pairs, with their classes. */
const PAIRS = new Map(
  (['RSA', 'EC', 'EdDSA'] as const).map((algorithm) => {
    const name = algorithm === 'EdDSA' ? 'EdEC' : algorithm
    const keyClass = (kind: 'Public' | 'Private', parent: ClassInfo): ClassInfo =>
      declareInterface(`java.security.interfaces.${name}${kind}Key`, null, parent)
    const classes = {
      public: keyClass('Public', PublicKeyInterface),
      private: keyClass('Private', PrivateKeyInterface),
    }
    return [algorithm.toUpperCase(), { algorithm, classes }] as const
  }),
)

/** A shared key. */
export class SecretKeyValue extends GroovyObject {
  readonly bytes: Uint8Array
  readonly algorithm: string

  constructor(bytes: Uint8Array, algorithm: string) {
    super()
    if (bytes.length === 0) throw illegalArgument('Empty key')
    this.bytes = Uint8Array.from(bytes)
    this.algorithm = algorithm
  }

  get klass(): ClassInfo {
    return SecretKeySpecClass
  }
}

/** A public or private key. */
export class PairKeyValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly key: KeyObject
  readonly algorithm: string

  constructor(klass: ClassInfo, key: KeyObject, algorithm: string) {
    super()
    this.klass = klass
    this.key = key
    this.algorithm = algorithm
  }
}

/** The DER encoding of a key. */
class KeySpecValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly bytes: Uint8Array

  constructor(klass: ClassInfo, { bytes }: ByteArray) {
    super()
    this.klass = klass
    this.bytes = Uint8Array.from(bytes)
  }
}

class KeyFactoryValue extends GroovyObject {
  readonly algorithm: string

  constructor(algorithm: string) {
    super()
    const found = PAIRS.get(algorithm.toUpperCase().replace('ED25519', 'EDDSA'))
    if (found === undefined) throw throwable(NoSuchAlgorithmException, `${algorithm} KeyFactory not available`)
    this.algorithm = found.algorithm
  }

  get klass(): ClassInfo {
    return KeyFactoryClass
  }

  /** Throws InvalidKeySpecException where the encoding is not one of a key of this algorithm. */
  generate(kind: 'public' | 'private', { klass, bytes }: KeySpecValue): PairKeyValue {
    const spec = kind === 'public' ? X509SpecClass : Pkcs8SpecClass
    if (klass !== spec) throw throwable(InvalidKeySpecException, `Only ${spec.simpleName} is supported`)
    const key = parsed(kind, Buffer.from(bytes))
    if (key === null || ALGORITHM_OF_TYPE.get(key.asymmetricKeyType ?? '') !== this.algorithm) {
      throw throwable(InvalidKeySpecException, `not the encoding of a ${kind} key of ${this.algorithm}`)
    }
    const classes = PAIRS.get(this.algorithm.toUpperCase())?.classes as Readonly<Record<string, ClassInfo>>
    return new PairKeyValue(classes[kind] as ClassInfo, key, this.algorithm)
  }
}

/** By Node's key types. */
const ALGORITHM_OF_TYPE: ReadonlyMap<string, string> = new Map([
  ['rsa', 'RSA'],
  ['ec', 'EC'],
  ['ed25519', 'EdDSA'],
])

function parsed(kind: 'public' | 'private', bytes: Buffer): KeyObject | null {
  try {
    return kind === 'public'
      ? createPublicKey({ key: bytes, format: 'der', type: 'spki' })
      : createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' })
  } catch {
    return null
  }
}

function encodingOf({ key }: PairKeyValue): ByteArray {
  const bytes =
    key.type === 'public' ? key.export({ type: 'spki', format: 'der' }) : key.export({ type: 'pkcs8', format: 'der' })
  return new ByteArray(Uint8Array.from(bytes))
}

extend(KeyInterface, {
  'getAlgorithm(): String': (self: SecretKeyValue | PairKeyValue) => self.algorithm,
  'getEncoded(): byte[]': (self: SecretKeyValue | PairKeyValue) =>
    self instanceof PairKeyValue ? encodingOf(self) : new ByteArray(Uint8Array.from(self.bytes)),
})

extend(SecretKeySpecClass, {
  'new(byte[] key, String algorithm)': ({ bytes }: ByteArray, algorithm: string) =>
    new SecretKeyValue(bytes, algorithm),
})

for (const spec of [Pkcs8SpecClass, X509SpecClass]) {
  extend(spec, { 'new(byte[] encoded)': (bytes: ByteArray) => new KeySpecValue(spec, bytes) })
}

extend(KeyFactoryClass, {
  'static getInstance(String algorithm): KeyFactory': (algorithm: string) => new KeyFactoryValue(algorithm),
  'generatePublic(KeySpec spec): PublicKey': (self: KeyFactoryValue, spec: KeySpecValue) =>
    self.generate('public', spec),
  'generatePrivate(KeySpec spec): PrivateKey': (self: KeyFactoryValue, spec: KeySpecValue) =>
    self.generate('private', spec),
  'getAlgorithm(): String': (self: KeyFactoryValue) => self.algorithm,
})
