// Parameters of javax.crypto.Cipher: initialization vectors, and the digests of OAEP.
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass, declareInterface } from '../../values/classes.ts'
import { ByteArray } from '../../values/java-array.ts'
import { GroovyObject, type Value } from '../../values/value.ts'

const SpecInterface = declareInterface('java.security.spec.AlgorithmParameterSpec')
const spec = (name: string): ClassInfo => declareClass(name, { interfaces: [SpecInterface] })
const IvSpecClass = spec('javax.crypto.spec.IvParameterSpec')
const GcmSpecClass = spec('javax.crypto.spec.GCMParameterSpec')
const MaskSpecClass = spec('java.security.spec.MGF1ParameterSpec')
const OaepSpecClass = spec('javax.crypto.spec.OAEPParameterSpec')
const PSourceClass = declareClass('javax.crypto.spec.PSource')
const PSpecifiedClass = declareClass('javax.crypto.spec.PSource$PSpecified', { parent: PSourceClass })

/** An initialization vector; for GCM with the length of the tag in bits. */
export class VectorValue extends GroovyObject {
  readonly bytes: Uint8Array
  readonly tagBits: number | null

  constructor({ bytes }: ByteArray, tagBits: number | null) {
    super()
    this.bytes = Uint8Array.from(bytes)
    this.tagBits = tagBits
  }

  get klass(): ClassInfo {
    return this.tagBits === null ? IvSpecClass : GcmSpecClass
  }
}

/** The digest of a mask. */
class MaskValue extends GroovyObject {
  readonly digest: string

  constructor(digest: string) {
    super()
    this.digest = digest
  }

  get klass(): ClassInfo {
    return MaskSpecClass
  }
}

/** The digests of OAEP. */
export class OaepValue extends GroovyObject {
  readonly digest: string
  readonly mask: string

  constructor(digest: string, { digest: mask }: MaskValue) {
    super()
    this.digest = digest
    this.mask = mask
  }

  get klass(): ClassInfo {
    return OaepSpecClass
  }
}

/** The empty label of OAEP, the only one that is supported. */
class EmptyLabel extends GroovyObject {
  get klass(): ClassInfo {
    return PSpecifiedClass
  }
}

const vectorBytes = ({ bytes }: VectorValue): ByteArray => new ByteArray(Uint8Array.from(bytes))

extend(IvSpecClass, {
  'new(byte[] iv)': (iv: ByteArray) => new VectorValue(iv, null),
  'getIV(): byte[]': vectorBytes,
})

extend(GcmSpecClass, {
  'new(int tagLength, byte[] iv)': (tagBits: number, iv: ByteArray) => new VectorValue(iv, tagBits),
  'getIV(): byte[]': vectorBytes,
  'getTLen(): int': ({ tagBits }: VectorValue) => tagBits,
})

extend(MaskSpecClass, {
  'new(String digest)': (digest: string) => new MaskValue(digest),
  'static SHA1: MGF1ParameterSpec': new MaskValue('SHA-1'),
  'static SHA256: MGF1ParameterSpec': new MaskValue('SHA-256'),
  'static SHA384: MGF1ParameterSpec': new MaskValue('SHA-384'),
  'static SHA512: MGF1ParameterSpec': new MaskValue('SHA-512'),
  'getDigestAlgorithm(): String': ({ digest }: MaskValue) => digest,
})

extend(PSpecifiedClass, { 'static DEFAULT: PSource': new EmptyLabel() })

extend(OaepSpecClass, {
  'new(String digest, String mask, MGF1ParameterSpec maskSpec, PSource label)': (
    digest: string,
    _mask: string,
    maskSpec: Value,
  ) => new OaepValue(digest, maskSpec as MaskValue),
})
