import { extend } from '../../registry/extend.ts'
import { castFailure } from '../../runtime/missing.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { ComparableInterface, declareClass } from '../../values/classes.ts'
import type { EnumValue } from '../../values/enum-value.ts'
import { textOf } from '../../values/text.ts'
import { throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { currentMillis } from '../system/system.ts'
import { DateTimeParseException, instantNanos, seconds, unitNanos } from './duration.ts'
import { movingMembers, NANOS, orderMembers } from './nanos.ts'

export const InstantClass = declareClass('java.time.Instant', { interfaces: [ComparableInterface] })
const ClockClass = declareClass('java.time.Clock')

/** A point in time. */
export class InstantValue extends GroovyObject {
  /** Since the epoch. */
  readonly nanos: bigint

  constructor(nanos: bigint) {
    super()
    this.nanos = nanos
  }

  static ofMillis(millis: bigint): InstantValue {
    return new InstantValue(millis * 1_000_000n)
  }

  get klass(): ClassInfo {
    return InstantClass
  }

  override equalityKey(): string {
    return String(this.nanos)
  }
}

/** A clock; that of the host, or a fixed one. */
export class ClockValue extends GroovyObject {
  readonly millis: () => number

  constructor(millis: () => number = currentMillis) {
    super()
    this.millis = millis
  }

  get klass(): ClassInfo {
    return ClockClass
  }
}

/** Values with a point in time, such as a Date or a ZonedDateTime. */
const readers: ((value: Value) => bigint | null)[] = [(value) => (value instanceof InstantValue ? value.nanos : null)]

export function readInstant(reader: (value: Value) => bigint | null): void {
  readers.push(reader)
}

instantNanos.of = (value) => {
  for (const read of readers) {
    const nanos = read(value)
    if (nanos !== null) return nanos
  }
  throw castFailure(value, InstantClass)
}

/** Milliseconds since the epoch, for JavaScript. */
export function millisOf(nanos: bigint): number {
  return Number(seconds(nanos)) * 1_000 + Number((nanos - seconds(nanos) * NANOS) / 1_000_000n)
}

/** The fraction digits of a second: none, three, six or nine. */
export function fractionText(nano: number): string {
  if (nano === 0) return ''
  const digits = String(nano).padStart(9, '0')
  return `.${digits.endsWith('000000') ? digits.slice(0, 3) : digits.endsWith('000') ? digits.slice(0, 6) : digits}`
}

export function isoInstant(nanos: bigint): string {
  const nano = Number(nanos - seconds(nanos) * NANOS)
  const date = new Date(Number(seconds(nanos)) * 1_000)
  if (Number.isNaN(date.getTime())) return `${seconds(nanos)}s`
  return `${date.toISOString().slice(0, -5)}${fractionText(nano)}Z`
}

const ISO = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/

export function parseInstant(text: string): bigint {
  const [, whole, fraction = '', zone] = ISO.exec(text) ?? []
  const millis = whole === undefined ? Number.NaN : Date.parse(`${whole.length === 16 ? `${whole}:00` : whole}${zone}`)
  if (Number.isNaN(millis)) {
    throw throwable(DateTimeParseException, `Text '${text.slice(0, 100)}' could not be parsed at index 0`)
  }
  return BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}

extend(InstantClass, {
  'static EPOCH: Instant': new InstantValue(0n),
  'static now(): Instant': () => InstantValue.ofMillis(BigInt(currentMillis())),
  'static now(Clock clock): Instant': (clock: ClockValue) => InstantValue.ofMillis(BigInt(clock.millis())),
  'static ofEpochMilli(long millis): Instant': (millis: bigint) => InstantValue.ofMillis(millis),
  'static ofEpochSecond(long seconds): Instant': (value: bigint) => new InstantValue(value * NANOS),
  'static ofEpochSecond(long seconds, long nanos): Instant': (value: bigint, nanos: bigint) =>
    new InstantValue(value * NANOS + nanos),
  'static parse(CharSequence text): Instant': (text: Value) => new InstantValue(parseInstant(textOf(text))),
  'toEpochMilli(): long': (self: InstantValue) => BigInt(millisOf(self.nanos)),
  'getEpochSecond(): long': (self: InstantValue) => seconds(self.nanos),
  'getNano(): int': (self: InstantValue) => Number(self.nanos - seconds(self.nanos) * NANOS),
  ...movingMembers('Instant', ['Seconds', 'Millis', 'Nanos'], (_: InstantValue, nanos) => new InstantValue(nanos)),
  'plus(long amount, ChronoUnit unit): Instant': (self: InstantValue, amount: bigint, unit: EnumValue) =>
    new InstantValue(self.nanos + amount * unitNanos(unit)),
  'minus(long amount, ChronoUnit unit): Instant': (self: InstantValue, amount: bigint, unit: EnumValue) =>
    new InstantValue(self.nanos - amount * unitNanos(unit)),
  'truncatedTo(ChronoUnit unit): Instant': (self: InstantValue, unit: EnumValue) => {
    const length = unitNanos(unit)
    return new InstantValue(self.nanos - (((self.nanos % length) + length) % length))
  },
  'until(Object end, ChronoUnit unit): long': (self: InstantValue, end: Value, unit: EnumValue) =>
    (instantNanos.of(end) - self.nanos) / unitNanos(unit),
  ...orderMembers('Instant'),
  'toString(): String': (self: InstantValue) => isoInstant(self.nanos),
})

extend(ClockClass, {
  'static systemUTC(): Clock': () => new ClockValue(),
  'static systemDefaultZone(): Clock': () => new ClockValue(),
  'millis(): long': (self: ClockValue) => BigInt(Math.trunc(self.millis())),
  'instant(): Instant': (self: ClockValue) => InstantValue.ofMillis(BigInt(Math.trunc(self.millis()))),
})
