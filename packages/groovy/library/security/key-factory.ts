// java.security.KeyFactory: keys of a pair from their DER encodings, or from the numbers of a public key of RSA.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass, declareInterface } from '../../values/classes.ts'
import type { ByteArray } from '../../values/java-array.ts'
import type { BigIntegerValue } from '../../values/numbers.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import { GroovyObject } from '../../values/value.ts'
import { GeneralSecurityException, NoSuchAlgorithmException, PAIRS, type PairKeyValue, pairKey } from './keys.ts'

const KeySpecInterface = declareInterface('java.security.spec.KeySpec')
const Pkcs8SpecClass = declareClass('java.security.spec.PKCS8EncodedKeySpec', { interfaces: [KeySpecInterface] })
const X509SpecClass = declareClass('java.security.spec.X509EncodedKeySpec', { interfaces: [KeySpecInterface] })
const RsaPublicSpecClass = declareClass('java.security.spec.RSAPublicKeySpec', { interfaces: [KeySpecInterface] })
const KeyFactoryClass = declareClass('java.security.KeyFactory')
const InvalidKeySpecException = declareException('java.security.spec.InvalidKeySpecException', GeneralSecurityException)

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

/** The numbers of a public key of RSA. */
class RsaPublicSpecValue extends GroovyObject {
  readonly modulus: bigint
  readonly exponent: bigint

  constructor({ value: modulus }: BigIntegerValue, { value: exponent }: BigIntegerValue) {
    super()
    this.modulus = modulus
    this.exponent = exponent
  }

  get klass(): ClassInfo {
    return RsaPublicSpecClass
  }

  /** Null where the numbers are not those of a key. OpenSSL uses no larger modulus. */
  key(): KeyObject | null {
    if (this.modulus <= 0n || this.exponent <= 0n || this.modulus >> 16_384n > 0n) return null
    const jwk = { kty: 'RSA', n: base64Url(this.modulus), e: base64Url(this.exponent) }
    return parsed(() => createPublicKey({ key: jwk, format: 'jwk' }))
  }
}

function base64Url(value: bigint): string {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url')
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
  generate(kind: 'public' | 'private', spec: KeySpecValue | RsaPublicSpecValue): PairKeyValue {
    const key = spec instanceof RsaPublicSpecValue && kind === 'public' ? spec.key() : encodedKey(kind, spec)
    const made = key === null ? null : pairKey(key)
    if (made?.algorithm === this.algorithm) return made
    throw throwable(InvalidKeySpecException, `not the encoding of a ${kind} key of ${this.algorithm}`)
  }
}

function encodedKey(
  kind: 'public' | 'private',
  { klass, ...spec }: KeySpecValue | RsaPublicSpecValue,
): KeyObject | null {
  const needed = kind === 'public' ? X509SpecClass : Pkcs8SpecClass
  if (klass !== needed || !('bytes' in spec)) {
    throw throwable(InvalidKeySpecException, `Only ${needed.simpleName} is supported`)
  }
  const key = Buffer.from(spec.bytes)
  return parsed(() =>
    kind === 'public'
      ? createPublicKey({ key, format: 'der', type: 'spki' })
      : createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
  )
}

function parsed(read: () => KeyObject): KeyObject | null {
  try {
    return read()
  } catch {
    return null
  }
}

for (const spec of [Pkcs8SpecClass, X509SpecClass]) {
  extend(spec, { 'new(byte[] encoded)': (bytes: ByteArray) => new KeySpecValue(spec, bytes) })
}

extend(RsaPublicSpecClass, {
  'new(BigInteger modulus, BigInteger exponent)': (modulus: BigIntegerValue, exponent: BigIntegerValue) =>
    new RsaPublicSpecValue(modulus, exponent),
})

extend(KeyFactoryClass, {
  'static getInstance(String algorithm): KeyFactory': (algorithm: string) => new KeyFactoryValue(algorithm),
  'static getInstance(String algorithm, String provider): KeyFactory': (algorithm: string) =>
    new KeyFactoryValue(algorithm),
  'generatePublic(KeySpec spec): PublicKey': (self: KeyFactoryValue, spec: KeySpecValue | RsaPublicSpecValue) =>
    self.generate('public', spec),
  'generatePrivate(KeySpec spec): PrivateKey': (self: KeyFactoryValue, spec: KeySpecValue | RsaPublicSpecValue) =>
    self.generate('private', spec),
  'getAlgorithm(): String': (self: KeyFactoryValue) => self.algorithm,
})
