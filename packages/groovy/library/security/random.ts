// SecureRandom, Random and UUID.
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import { checkSize } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { ComparableInterface, declareClass } from '../../values/classes.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import { ByteArray } from '../../values/java-array.ts'
import { GroovyObject, type Value } from '../../values/value.ts'

const RandomClass = declareClass('java.util.Random')
const SecureRandomClass = declareClass('java.security.SecureRandom', { parent: RandomClass })
const UuidClass = declareClass('java.util.UUID', { interfaces: [ComparableInterface] })

/** Random numbers; those of Random are as good as those of SecureRandom. */
class RandomValue extends GroovyObject {
  readonly klass: ClassInfo

  constructor(klass: ClassInfo) {
    super()
    this.klass = klass
  }
}

extend(RandomClass, {
  'new()': () => new RandomValue(RandomClass),
  'new(long seed)': () => new RandomValue(RandomClass),
  'nextInt(): int': () => randomBytes(4).readInt32BE(),
  'nextInt(int bound): int': (_: RandomValue, bound: number) => {
    if (bound <= 0) throw illegalArgument('bound must be positive')
    return randomInt(bound)
  },
  'nextInt(int from, int to): int': (_: RandomValue, from: number, to: number) => {
    if (from >= to) throw illegalArgument('bound must be greater than origin')
    return randomInt(from, to)
  },
  'nextLong(): long': () => randomBytes(8).readBigInt64BE(),
  'nextBoolean(): boolean': () => randomInt(2) === 1,
  'nextDouble(): double': () => Number(randomBytes(8).readBigUInt64BE() >> 11n) / 2 ** 53,
  'nextBytes(byte[] bytes): void': (_: RandomValue, { bytes }: ByteArray) => {
    bytes.set(randomBytes(bytes.length))
  },
})

extend(SecureRandomClass, {
  'new()': () => new RandomValue(SecureRandomClass),
  'static getInstanceStrong(): SecureRandom': () => new RandomValue(SecureRandomClass),
  'static getInstance(String algorithm): SecureRandom': () => new RandomValue(SecureRandomClass),
  'generateSeed(int count): byte[]': (_: RandomValue, count: number) => {
    if (count < 0) throw illegalArgument('numBytes cannot be negative')
    checkSize(count)
    return new ByteArray(Uint8Array.from(randomBytes(count)))
  },
})

class UuidValue extends GroovyObject {
  readonly text: string

  constructor(text: string) {
    super()
    this.text = text.toLowerCase()
  }

  get klass(): ClassInfo {
    return UuidClass
  }

  override equalityKey(): string {
    return this.text
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function fromBytes(bytes: Uint8Array): UuidValue {
  const hash = createHash('md5').update(bytes).digest()
  hash[6] = ((hash[6] as number) & 0x0f) | 0x30
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  return new UuidValue(hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
}

extend(UuidClass, {
  'static randomUUID(): UUID': () => new UuidValue(randomUUID()),
  'static fromString(String text): UUID': (text: string) => {
    if (!UUID.test(text)) throw illegalArgument(`Invalid UUID string: ${text.slice(0, 60)}`)
    return new UuidValue(text)
  },
  'static nameUUIDFromBytes(byte[] bytes): UUID': ({ bytes }: ByteArray) => fromBytes(bytes),
  'version(): int': (self: UuidValue) => Number.parseInt(self.text.charAt(14), 16),
  'compareTo(Object other): int': (self: UuidValue, other: Value) => {
    const { text } = other as UuidValue
    return self.text < text ? -1 : self.text > text ? 1 : 0
  },
  'toString(): String': (self: UuidValue) => self.text,
})
