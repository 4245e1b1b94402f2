// Keys: SecretKeySpec for shared ones, those of a pair by KeyFactory and certificates.
import type { KeyObject } from 'node:crypto'
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass, declareInterface } from '../../values/classes.ts'
import { ExceptionClass, illegalArgument } from '../../values/exceptions.ts'
import { ByteArray } from '../../values/java-array.ts'
import { BigIntegerValue } from '../../values/numbers.ts'
import { declareException } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { partOf } from './bytes-input.ts'

const KeyInterface = declareInterface('java.security.Key')
const PublicKeyInterface = declareInterface('java.security.PublicKey', null, KeyInterface)
const PrivateKeyInterface = declareInterface('java.security.PrivateKey', null, KeyInterface)
const SecretKeyInterface = declareInterface('javax.crypto.SecretKey', null, KeyInterface)
const SecretKeySpecClass = declareClass('javax.crypto.spec.SecretKeySpec', { interfaces: [SecretKeyInterface] })

export const GeneralSecurityException = declareException('java.security.GeneralSecurityException', ExceptionClass)
export const NoSuchAlgorithmException = declareException(
  'java.security.NoSuchAlgorithmException',
  GeneralSecurityException,
)
export const InvalidKeyException = declareException('java.security.InvalidKeyException', GeneralSecurityException)

/** The algorithms of key pairs, with their classes. */
export const PAIRS = new Map(
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

/** A key of a pair for scripts; null where its algorithm is not supported. */
export function pairKey(key: KeyObject): PairKeyValue | null {
  const algorithm = ALGORITHM_OF_TYPE.get(key.asymmetricKeyType ?? '')
  const classes = algorithm === undefined ? undefined : PAIRS.get(algorithm.toUpperCase())?.classes
  if (algorithm === undefined || classes === undefined) return null
  return new PairKeyValue(key.type === 'public' ? classes.public : classes.private, key, algorithm)
}

/** By Node's key types. */
const ALGORITHM_OF_TYPE: ReadonlyMap<string, string> = new Map([
  ['rsa', 'RSA'],
  ['ec', 'EC'],
  ['ed25519', 'EdDSA'],
])

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
  'new(byte[] key, int offset, int length, String algorithm)': (
    key: ByteArray,
    offset: number,
    length: number,
    algorithm: string,
  ) => new SecretKeyValue(partOf(key, offset, length), algorithm),
})

/** A number of a public key of RSA. */
function rsaNumber({ key }: PairKeyValue, member: 'n' | 'e'): Value {
  const bytes = Buffer.from(key.export({ format: 'jwk' })[member] ?? '', 'base64url')
  return new BigIntegerValue(BigInt(`0x${bytes.toString('hex')}`))
}

extend(PAIRS.get('RSA')?.classes.public as ClassInfo, {
  'getModulus(): BigInteger': (self: PairKeyValue) => rsaNumber(self, 'n'),
  'getPublicExponent(): BigInteger': (self: PairKeyValue) => rsaNumber(self, 'e'),
})
