import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { ComparableInterface, declareClass, EnumClass } from '../../values/classes.ts'
import { EnumValue } from '../../values/enum-value.ts'
import { illegalArgument, RuntimeException } from '../../values/exceptions.ts'
import { ObjectArray } from '../../values/java-array.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { movingMembers, NANOS, UNITS, unitMembers } from './nanos.ts'

const DurationClass = declareClass('java.time.Duration', { interfaces: [ComparableInterface] })
const ChronoUnitClass = declareClass('java.time.temporal.ChronoUnit', { kind: 'enum', parent: EnumClass })
const TimeUnitClass = declareClass('java.util.concurrent.TimeUnit', { kind: 'enum', parent: EnumClass })
export const DateTimeException = declareException('java.time.DateTimeException', RuntimeException)
export const DateTimeParseException = declareException('java.time.format.DateTimeParseException', DateTimeException)

/** A span of time. */
export class DurationValue extends GroovyObject {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    super()
    this.nanos = nanos
  }

  get klass(): ClassInfo {
    return DurationClass
  }

  override equalityKey(): string {
    return String(this.nanos)
  }
}

const floorDiv = (left: bigint, right: bigint): bigint => {
  const quotient = left / right
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient
}

export const seconds = (nanos: bigint): bigint => floorDiv(nanos, NANOS)

/** Lengths of units by their constants, in nanoseconds. */
const LENGTHS = new Map(Object.entries(UNITS).map(([name, nanos]) => [name.toUpperCase(), nanos]))
/** Units of the calendar. */
const CALENDAR = ['MONTHS', 'YEARS']

const chronoUnits = [...LENGTHS.keys(), ...CALENDAR].map((name, at) => new EnumValue(ChronoUnitClass, name, at))

/** The length of a unit; throws for months and years, whose length varies. */
export function unitNanos(unit: EnumValue): bigint {
  const name = TIME_UNITS.get(unit.constant) ?? unit.constant
  const found = LENGTHS.get(name)
  if (found === undefined) throw throwable(DateTimeException, `Unsupported unit: ${unit.constant}`)
  return found
}

/** Names of units that are different in TimeUnit. */
const TIME_UNITS: ReadonlyMap<string, string> = new Map([
  ['NANOSECONDS', 'NANOS'],
  ['MICROSECONDS', 'MICROS'],
  ['MILLISECONDS', 'MILLIS'],
])

const timeUnits = [...TIME_UNITS.keys(), 'SECONDS', 'MINUTES', 'HOURS', 'DAYS'].map(
  (name, at) => new EnumValue(TimeUnitClass, name, at),
)

/** Members that every enum of the library has. */
function enumMembers(klass: ClassInfo, constants: readonly EnumValue[]) {
  return {
    ...Object.fromEntries(constants.map((each) => [`static ${each.constant}: ${klass.simpleName}`, each])),
    [`static values(): ${klass.simpleName}[]`]: () => new ObjectArray(klass, [...constants]),
    [`static valueOf(String name): ${klass.simpleName}`]: (name: string) => {
      const found = constants.find((each) => each.constant === name)
      if (found === undefined) throw illegalArgument(`No enum constant ${klass.name}.${name}`)
      return found
    },
  }
}

extend(ChronoUnitClass, {
  ...enumMembers(ChronoUnitClass, chronoUnits),
  'between(Object start, Object end): long': (self: EnumValue, start: Value, end: Value) => {
    const [from, to] = [instantNanos.of(start), instantNanos.of(end)]
    return (to - from) / unitNanos(self)
  },
})

/** The point in time of a value; set by `instant.ts`. */
export const instantNanos: { of(value: Value): bigint } = { of: () => 0n }

const convert = (name: string) => (self: EnumValue, amount: bigint) =>
  (amount * unitNanos(self)) / (LENGTHS.get(name) ?? 1n)

extend(TimeUnitClass, {
  ...enumMembers(TimeUnitClass, timeUnits),
  'toNanos(long amount): long': convert('NANOS'),
  'toMicros(long amount): long': convert('MICROS'),
  'toMillis(long amount): long': convert('MILLIS'),
  'toSeconds(long amount): long': convert('SECONDS'),
  'toMinutes(long amount): long': convert('MINUTES'),
  'toHours(long amount): long': convert('HOURS'),
  'toDays(long amount): long': convert('DAYS'),
  'convert(long amount, TimeUnit unit): long': (self: EnumValue, amount: bigint, unit: EnumValue) =>
    (amount * unitNanos(unit)) / unitNanos(self),
})

const ISO = /^([+-]?)P(?:([+-]?\d+)D)?(?:T(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?\d+)(?:\.(\d{1,9}))?S)?)?$/i

function parse(text: string): DurationValue {
  const match = ISO.exec(text)
  if (match === null || /^[+-]?P?T?$/i.test(text)) {
    throw throwable(DateTimeParseException, 'Text cannot be parsed to a Duration')
  }
  const [, sign, days = '0', hours = '0', minutes = '0', secs = '0', fraction = ''] = match
  const whole = BigInt(days) * 86_400n + BigInt(hours) * 3_600n + BigInt(minutes) * 60n + BigInt(secs)
  const part = BigInt(fraction.padEnd(9, '0')) * (secs.startsWith('-') ? -1n : 1n)
  const nanos = whole * NANOS + part
  return new DurationValue(sign === '-' ? -nanos : nanos)
}

function isoText({ nanos }: DurationValue): string {
  if (nanos === 0n) return 'PT0S'
  const total = nanos / NANOS
  const [hours, minutes, secs] = [total / 3_600n, (total / 60n) % 60n, total % 60n]
  const part = nanos % NANOS
  const fraction =
    part === 0n
      ? ''
      : `.${String(part < 0n ? -part : part)
          .padStart(9, '0')
          .replace(/0+$/, '')}`
  const negativeZero = nanos < 0n && secs === 0n && part !== 0n ? '-' : ''
  const tail = secs !== 0n || part !== 0n ? `${negativeZero}${secs}${fraction}S` : ''
  return `PT${hours === 0n ? '' : `${hours}H`}${minutes === 0n ? '' : `${minutes}M`}${tail}`
}

extend(DurationClass, {
  'static ZERO: Duration': new DurationValue(0n),
  ...unitMembers(
    ['Days', 'Hours', 'Minutes', 'Seconds', 'Millis', 'Nanos'],
    (unit) => `static of${unit}(long ${unit.toLowerCase()}): Duration`,
    (nanos) => (amount: bigint) => new DurationValue(amount * nanos),
  ),
  'static of(long amount, Object unit): Duration': (amount: bigint, unit: EnumValue) =>
    new DurationValue(amount * unitNanos(unit)),
  'static between(Object start, Object end): Duration': (start: Value, end: Value) =>
    new DurationValue(instantNanos.of(end) - instantNanos.of(start)),
  'static parse(CharSequence text): Duration': (text: Value) => parse(String(text)),
  'getSeconds(): long': (self: DurationValue) => seconds(self.nanos),
  'toSeconds(): long': (self: DurationValue) => seconds(self.nanos),
  'getNano(): int': (self: DurationValue) => Number(self.nanos - seconds(self.nanos) * NANOS),
  ...unitMembers(
    ['Days', 'Hours', 'Minutes', 'Millis', 'Nanos'],
    (unit) => `to${unit}(): long`,
    (nanos) => (self: DurationValue) => self.nanos / nanos,
  ),
  ...movingMembers(
    'Duration',
    ['Days', 'Hours', 'Minutes', 'Seconds', 'Millis', 'Nanos'],
    (_: DurationValue, nanos) => new DurationValue(nanos),
  ),
  'multipliedBy(long factor): Duration': (self: DurationValue, factor: bigint) =>
    new DurationValue(self.nanos * factor),
  'negated(): Duration': (self: DurationValue) => new DurationValue(-self.nanos),
  'isZero(): boolean': (self: DurationValue) => self.nanos === 0n,
  'isNegative(): boolean': (self: DurationValue) => self.nanos < 0n,
  'compareTo(Object other): int': (self: DurationValue, other: Value) => {
    const { nanos } = other as DurationValue
    return self.nanos < nanos ? -1 : self.nanos > nanos ? 1 : 0
  },
  'toString(): String': isoText,
})
