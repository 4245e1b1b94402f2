// Classes of java.util.concurrent that scripts use in `globals`: without synchronisation, since one script runs at a time.
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass, HashMapClass, NumberClass } from '../../values/classes.ts'
import type { MapValue } from '../../values/collection.ts'
import { HashMapValue } from '../../values/hash-map.ts'
import { textOf } from '../../values/text.ts'
import { GroovyObject, type Value } from '../../values/value.ts'

const ConcurrentHashMapClass = declareClass('java.util.concurrent.ConcurrentHashMap', { parent: HashMapClass })

extend(ConcurrentHashMapClass, {
  'new()': () => new HashMapValue(ConcurrentHashMapClass),
  'new(int capacity)': () => new HashMapValue(ConcurrentHashMapClass),
  'new(Map source)': (source: MapValue) => {
    const made = new HashMapValue(ConcurrentHashMapClass)
    for (const { key, value } of source.entries()) made.put(key, value)
    return made
  },
})

/** A number or object that is changed in place. */
class AtomicValue extends GroovyObject {
  readonly klass: ClassInfo
  value: Value

  constructor(klass: ClassInfo, value: Value) {
    super()
    this.klass = klass
    this.value = value
  }
}

type Step = (value: bigint) => bigint

function atomicNumber(name: string, type: 'int' | 'long', bits: number): void {
  const klass = declareClass(`java.util.concurrent.atomic.${name}`, { parent: NumberClass })
  const box = (number: bigint): Value => (bits === 32 ? Number(BigInt.asIntN(32, number)) : BigInt.asIntN(64, number))
  const number = (value: unknown): bigint => BigInt(value as number | bigint)
  const update = (self: AtomicValue, step: Step): { before: Value; after: Value } => {
    const before = self.value
    self.value = box(step(number(before)))
    return { before, after: self.value }
  }
  extend(klass, {
    'new()': () => new AtomicValue(klass, box(0n)),
    [`new(${type} value)`]: (value: unknown) => new AtomicValue(klass, box(number(value))),
    [`get(): ${type}`]: (self: AtomicValue) => self.value,
    [`set(${type} value): void`]: (self: AtomicValue, value: unknown) => {
      self.value = box(number(value))
    },
    [`incrementAndGet(): ${type}`]: (self: AtomicValue) => update(self, (value) => value + 1n).after,
    [`getAndIncrement(): ${type}`]: (self: AtomicValue) => update(self, (value) => value + 1n).before,
    [`decrementAndGet(): ${type}`]: (self: AtomicValue) => update(self, (value) => value - 1n).after,
    [`getAndDecrement(): ${type}`]: (self: AtomicValue) => update(self, (value) => value - 1n).before,
    [`addAndGet(${type} delta): ${type}`]: (self: AtomicValue, delta: unknown) =>
      update(self, (value) => value + number(delta)).after,
    [`getAndAdd(${type} delta): ${type}`]: (self: AtomicValue, delta: unknown) =>
      update(self, (value) => value + number(delta)).before,
    [`getAndSet(${type} value): ${type}`]: (self: AtomicValue, next: unknown) =>
      update(self, () => number(next)).before,
    [`compareAndSet(${type} expected, ${type} next): boolean`]: (
      self: AtomicValue,
      expected: unknown,
      next: unknown,
    ) => {
      if (number(self.value) !== number(expected)) return false
      self.value = box(number(next))
      return true
    },
    'intValue(): int': (self: AtomicValue) => Number(BigInt.asIntN(32, number(self.value))),
    'longValue(): long': (self: AtomicValue) => number(self.value),
    'toString(): String': (self: AtomicValue) => textOf(self.value),
  })
}

atomicNumber('AtomicInteger', 'int', 32)
atomicNumber('AtomicLong', 'long', 64)

const AtomicReferenceClass = declareClass('java.util.concurrent.atomic.AtomicReference')
const AtomicBooleanClass = declareClass('java.util.concurrent.atomic.AtomicBoolean')

extend(AtomicReferenceClass, {
  'new()': () => new AtomicValue(AtomicReferenceClass, null),
  'new(Object? value)': (value: Value) => new AtomicValue(AtomicReferenceClass, value),
  'get(): Object': (self: AtomicValue) => self.value,
  'set(Object? value): void': (self: AtomicValue, value: Value) => {
    self.value = value
  },
  'getAndSet(Object? value): Object': (self: AtomicValue, value: Value) => {
    const before = self.value
    self.value = value
    return before
  },
})
extend(AtomicBooleanClass, {
  'new()': () => new AtomicValue(AtomicBooleanClass, false),
  'new(boolean value)': (value: boolean) => new AtomicValue(AtomicBooleanClass, value),
  'get(): boolean': (self: AtomicValue) => self.value,
  'set(boolean value): void': (self: AtomicValue, value: boolean) => {
    self.value = value
  },
  'compareAndSet(boolean expected, boolean next): boolean': (self: AtomicValue, expected: boolean, next: boolean) => {
    if (self.value !== expected) return false
    self.value = next
    return true
  },
})
