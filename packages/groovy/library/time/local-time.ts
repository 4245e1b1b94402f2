// LocalTime, DayOfWeek and Month.
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { ComparableInterface, declareClass, EnumClass } from '../../values/classes.ts'
import { EnumValue } from '../../values/enum-value.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import { ObjectArray } from '../../values/java-array.ts'
import { textOf } from '../../values/text.ts'
import { throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { currentMillis } from '../system/system.ts'
import { DAYS, fieldsAt, formatPattern, MONTHS, parsePattern } from './date-pattern.ts'
import { DateTimeParseException } from './duration.ts'
import { fractionText } from './instant.ts'
import { movingMembers, NANOS, orderMembers } from './nanos.ts'
import { UTC, type ZoneValue } from './zones.ts'

const LocalTimeClass = declareClass('java.time.LocalTime', { interfaces: [ComparableInterface] })
const DAY = 86_400n * NANOS

/** A time of the day. */
export class LocalTimeValue extends GroovyObject {
  /** Since midnight. */
  readonly nanos: bigint

  constructor(nanos: bigint) {
    super()
    this.nanos = ((nanos % DAY) + DAY) % DAY
  }

  get klass(): ClassInfo {
    return LocalTimeClass
  }

  get second(): number {
    return Number(this.nanos / NANOS)
  }

  override equalityKey(): string {
    return String(this.nanos)
  }
}

const two = (value: number): string => String(value).padStart(2, '0')
const hourOf = ({ second }: LocalTimeValue): number => Math.floor(second / 3_600)
const minuteOf = ({ second }: LocalTimeValue): number => Math.floor(second / 60) % 60
const secondOf = ({ second }: LocalTimeValue): number => second % 60
const nanoOf = ({ nanos }: LocalTimeValue): number => Number(nanos % NANOS)

function text(self: LocalTimeValue): string {
  const tail = secondOf(self) === 0 && nanoOf(self) === 0 ? '' : `:${two(secondOf(self))}${fractionText(nanoOf(self))}`
  return `${two(hourOf(self))}:${two(minuteOf(self))}${tail}`
}

function timeOf(hour: number, minute: number, second = 0, nano = 0): LocalTimeValue {
  return new LocalTimeValue(BigInt(hour * 3_600 + minute * 60 + second) * NANOS + BigInt(nano))
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?$/

function parse(given: Value): LocalTimeValue {
  const [whole, hour, minute, second = '0', fraction = ''] = TIME.exec(textOf(given)) ?? []
  if (whole === undefined) {
    throw throwable(DateTimeParseException, `Text '${textOf(given).slice(0, 100)}' could not be parsed at index 0`)
  }
  return timeOf(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(9, '0')))
}

function now(zone: ZoneValue): LocalTimeValue {
  const millis = currentMillis()
  return new LocalTimeValue(BigInt(millis + zone.offsetAt(millis) * 1_000) * 1_000_000n)
}

extend(LocalTimeClass, {
  'static MIDNIGHT: LocalTime': timeOf(0, 0),
  'static NOON: LocalTime': timeOf(12, 0),
  'static of(int hour, int minute): LocalTime': (hour: number, minute: number) => timeOf(hour, minute),
  'static of(int hour, int minute, int second): LocalTime': (hour: number, minute: number, second: number) =>
    timeOf(hour, minute, second),
  'static parse(CharSequence text): LocalTime': parse,
  'static now(): LocalTime': () => now(UTC),
  'static now(ZoneId zone): LocalTime': now,
  'getHour(): int': hourOf,
  'getMinute(): int': minuteOf,
  'getSecond(): int': secondOf,
  'getNano(): int': nanoOf,
  'toSecondOfDay(): int': ({ second }: LocalTimeValue) => second,
  ...movingMembers(
    'LocalTime',
    ['Hours', 'Minutes', 'Seconds', 'Nanos'],
    (_: LocalTimeValue, nanos) => new LocalTimeValue(nanos),
  ),
  ...orderMembers('LocalTime', 'LocalTime'),
  'format(String pattern): String': (self: LocalTimeValue, pattern: string) =>
    formatPattern(parsePattern(pattern), fieldsAt(self.second * 1_000, nanoOf(self), 0, '')),
  'toString(): String': text,
})

/** An enum of names, whose values start with 1. */
function namesEnum(className: string, names: readonly string[]): readonly EnumValue[] {
  const klass = declareClass(className, { kind: 'enum', parent: EnumClass })
  const { simpleName } = klass
  const constants = names.map((name, at) => new EnumValue(klass, name.toUpperCase(), at))
  const moved = ({ ordinal }: EnumValue, count: bigint): EnumValue => {
    const size = BigInt(names.length)
    return constants[Number((((BigInt(ordinal) + count) % size) + size) % size)] as EnumValue
  }
  extend(klass, {
    ...Object.fromEntries(constants.map((each) => [`static ${each.constant}: ${simpleName}`, each])),
    [`static values(): ${simpleName}[]`]: () => new ObjectArray(klass, [...constants]),
    [`static valueOf(String name): ${simpleName}`]: (name: string) => {
      const found = constants.find(({ constant }) => constant === name)
      if (found === undefined) throw illegalArgument(`No enum constant ${className}.${name}`)
      return found
    },
    [`static of(int value): ${simpleName}`]: (value: number) => {
      const found = constants[value - 1]
      if (found === undefined) throw illegalArgument(`Invalid value for ${simpleName}: ${value}`)
      return found
    },
    'getValue(): int': ({ ordinal }: EnumValue) => ordinal + 1,
    [`plus(long count): ${simpleName}`]: moved,
    [`minus(long count): ${simpleName}`]: (self: EnumValue, count: bigint) => moved(self, -count),
  })
  return constants
}

/** Constants of DayOfWeek, from Monday. */
export const daysOfWeek = namesEnum('java.time.DayOfWeek', [...DAYS.slice(1), DAYS[0] as string])
export const months = namesEnum('java.time.Month', MONTHS)
