// LocalDate, LocalDateTime, ZonedDateTime, OffsetDateTime and DateTimeFormatter.
import { extend, type MemberTable } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { ComparableInterface, declareClass } from '../../values/classes.ts'
import type { EnumValue } from '../../values/enum-value.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import { textOf } from '../../values/text.ts'
import { throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { currentMillis } from '../system/system.ts'
import {
  dayOfWeek,
  type Fields,
  fieldsAt,
  formatPattern,
  localMillis,
  parsePattern,
  readPattern,
} from './date-pattern.ts'
import { DateTimeException, DateTimeParseException, seconds, unitNanos } from './duration.ts'
import { fractionText, InstantClass, InstantValue, isoInstant, millisOf, parseInstant, readInstant } from './instant.ts'
import { daysOfWeek, LocalTimeValue, months } from './local-time.ts'
import { movingMembers, NANOS, orderMembers } from './nanos.ts'
import { offsetText, UTC, ZoneValue } from './zones.ts'

const comparable = { interfaces: [ComparableInterface] }
const LocalDateClass = declareClass('java.time.LocalDate', comparable)
const LocalDateTimeClass = declareClass('java.time.LocalDateTime', comparable)
const ZonedDateTimeClass = declareClass('java.time.ZonedDateTime', comparable)
const OffsetDateTimeClass = declareClass('java.time.OffsetDateTime', comparable)
const FormatterClass = declareClass('java.time.format.DateTimeFormatter')

/** A date and time: local, or with a zone. */
class DateTimeValue extends GroovyObject {
  readonly klass: ClassInfo
  /** Since the epoch; for a value without a zone as if it were in UTC. */
  readonly nanos: bigint
  readonly zone: ZoneValue

  constructor(klass: ClassInfo, nanos: bigint, zone: ZoneValue = UTC) {
    super()
    this.klass = klass
    this.nanos = nanos
    this.zone = zone
  }

  get hasZone(): boolean {
    return this.klass === ZonedDateTimeClass || this.klass === OffsetDateTimeClass
  }

  get fields(): Fields {
    const millis = millisOf(this.nanos)
    const nano = Number(this.nanos - seconds(this.nanos) * NANOS)
    return fieldsAt(millis, nano, this.zone.offsetAt(millis), this.zone.id)
  }

  at(nanos: bigint): DateTimeValue {
    return new DateTimeValue(this.klass, nanos, this.zone)
  }

  override equalityKey(): string {
    return `${this.nanos} ${this.zone.id}`
  }
}

readInstant((value) => (value instanceof DateTimeValue ? value.nanos : null))

/** The point in time of calendar fields in a zone. */
function nanosOf(fields: Omit<Fields, 'offset' | 'zone'>, zone: ZoneValue): bigint {
  const local = localMillis(fields)
  if (Number.isNaN(local)) throw throwable(DateTimeException, `Invalid value for Year: ${fields.year}`)
  const offset = zone.offsetAt(local - zone.offsetAt(local) * 1_000)
  return BigInt(local - offset * 1_000) * 1_000_000n + BigInt(fields.nano % 1_000_000)
}

function isoText(self: DateTimeValue): string {
  const { klass, fields, zone } = self
  const two = (value: number): string => String(value).padStart(2, '0')
  const date = `${String(fields.year).padStart(4, '0')}-${two(fields.month)}-${two(fields.day)}`
  if (klass === LocalDateClass) return date
  const tail = fields.second === 0 && fields.nano === 0 ? '' : `:${two(fields.second)}${fractionText(fields.nano)}`
  const time = `${date}T${two(fields.hour)}:${two(fields.minute)}${tail}`
  if (!self.hasZone) return time
  const offset = offsetText(fields.offset)
  return klass === OffsetDateTimeClass || zone.id === offset ? time + offset : `${time}${offset}[${zone.id}]`
}

/** Adds months, and limits the day to the length of the month. */
function plusMonths(self: DateTimeValue, count: bigint): DateTimeValue {
  const { fields, zone } = self
  const total = fields.year * 12 + fields.month - 1 + Number(count)
  const [year, month] = [Math.floor(total / 12), (((total % 12) + 12) % 12) + 1]
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return self.at(nanosOf({ ...fields, year, month, day: Math.min(fields.day, last) }, zone))
}

function plusUnit(self: DateTimeValue, amount: bigint, unit: EnumValue): DateTimeValue {
  if (unit.constant === 'MONTHS') return plusMonths(self, amount)
  if (unit.constant === 'YEARS') return plusMonths(self, amount * 12n)
  return self.at(self.nanos + amount * unitNanos(unit))
}

const field = (name: Exclude<keyof Fields, 'zone'>) => (self: DateTimeValue) => self.fields[name]

/** Formats a date, for formatters and `toString`. */
interface Format {
  format(fields: Fields, self: DateTimeValue | InstantValue): string
  parse(text: string): Fields | null
}

class FormatterValue extends GroovyObject {
  readonly format: Format
  readonly zone: ZoneValue | null

  constructor(format: Format, zone: ZoneValue | null = null) {
    super()
    this.format = format
    this.zone = zone
  }

  get klass(): ClassInfo {
    return FormatterClass
  }
}

function patternFormat(pattern: string): Format {
  const parts = parsePattern(pattern)
  return { format: (fields) => formatPattern(parts, fields), parse: (text) => readPattern(parts, text, false) }
}

/** Formats of ISO 8601, with or without time and offset. */
function isoFields(text: string): Fields | null {
  const [, date, time, offset] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?(Z|[+-]\d\d:\d\d)?/.exec(text) ?? []
  if (date === undefined) return null
  const clock = time === undefined ? '00:00:00' : time.length === 5 ? `${time}:00` : time
  const nanos = parseInstant(`${date}T${clock}${offset ?? 'Z'}`)
  const zone = offset === undefined ? Number.NaN : UTC.offsetAt(0) + offsetSeconds(offset)
  const shift = Number.isNaN(zone) ? 0 : zone
  return { ...fieldsAt(millisOf(nanos), Number(nanos - seconds(nanos) * NANOS), shift, ''), offset: zone }
}

function offsetSeconds(text: string): number {
  if (text === 'Z') return 0
  const [hours = 0, minutes = 0] = text.slice(1).split(':').map(Number)
  return (text.startsWith('-') ? -1 : 1) * (hours * 3_600 + minutes * 60)
}

const ISO: Format = {
  format: (_fields, self) => (self instanceof InstantValue ? isoInstant(self.nanos) : isoText(self)),
  parse: isoFields,
}

function formatted(formatter: FormatterValue, value: Value): string {
  if (value instanceof InstantValue) {
    const zoned = new DateTimeValue(ZonedDateTimeClass, value.nanos, formatter.zone ?? UTC)
    return formatter.format.format(zoned.fields, formatter.zone === null ? value : zoned)
  }
  if (!(value instanceof DateTimeValue))
    throw illegalArgument('a formatter takes a date, a date with time, or an instant')
  const self = value
  const shown =
    formatter.zone !== null && self.hasZone ? new DateTimeValue(self.klass, self.nanos, formatter.zone) : self
  return formatter.format.format(shown.fields, shown)
}

function parsed(klass: ClassInfo, text: string, { format, zone }: FormatterValue): DateTimeValue {
  const fields = format.parse(text)
  if (fields === null || Number.isNaN(localMillis(fields))) {
    throw throwable(DateTimeParseException, `Text '${text.slice(0, 100)}' could not be parsed at index 0`)
  }
  if (klass !== ZonedDateTimeClass && klass !== OffsetDateTimeClass)
    return new DateTimeValue(klass, nanosOf(fields, UTC))
  const offset = Number.isNaN(fields.offset) ? 0 : fields.offset
  const fixed = offset === 0 ? UTC : new ZoneValue(offsetText(offset), UTC.klass, offset)
  return new DateTimeValue(klass, nanosOf(fields, zone ?? fixed), zone ?? fixed)
}

const isoFormatter = new FormatterValue(ISO)
const day = 86_400n * NANOS

const members = (klass: ClassInfo, name: string): MemberTable => ({
  [`static now(): ${name}`]: () => now(klass, UTC),
  [`static now(ZoneId zone): ${name}`]: (zone: ZoneValue) => now(klass, zone),
  [`static parse(CharSequence text): ${name}`]: (text: Value) => parsed(klass, textOf(text), isoFormatter),
  [`static parse(CharSequence text, DateTimeFormatter formatter): ${name}`]: (text: Value, formatter: FormatterValue) =>
    parsed(klass, textOf(text), formatter),
  'getYear(): int': field('year'),
  'getMonthValue(): int': field('month'),
  'getDayOfMonth(): int': field('day'),
  'getHour(): int': field('hour'),
  'getMinute(): int': field('minute'),
  'getSecond(): int': field('second'),
  'getNano(): int': field('nano'),
  'getDayOfYear(): int': (self: DateTimeValue) =>
    Math.floor((localMillis(self.fields) - Date.UTC(self.fields.year, 0, 1)) / 86_400_000) + 1,
  'getDayOfWeek(): DayOfWeek': (self: DateTimeValue) => daysOfWeek[(dayOfWeek(self.fields) + 6) % 7] ?? null,
  'getMonth(): Month': (self: DateTimeValue) => months[self.fields.month - 1] ?? null,
  [`plus(long amount, ChronoUnit unit): ${name}`]: plusUnit,
  [`minus(long amount, ChronoUnit unit): ${name}`]: (self: DateTimeValue, amount: bigint, unit: EnumValue) =>
    plusUnit(self, -amount, unit),
  ...movingMembers(name, ['Weeks', 'Days', 'Hours', 'Minutes', 'Seconds', 'Nanos'], (self: DateTimeValue, nanos) =>
    self.at(nanos),
  ),
  [`plusYears(long years): ${name}`]: (self: DateTimeValue, years: bigint) => plusMonths(self, years * 12n),
  [`plusMonths(long months): ${name}`]: plusMonths,
  [`minusYears(long years): ${name}`]: (self: DateTimeValue, years: bigint) => plusMonths(self, years * -12n),
  [`minusMonths(long months): ${name}`]: (self: DateTimeValue, months: bigint) => plusMonths(self, -months),
  'format(DateTimeFormatter formatter): String': (self: DateTimeValue, formatter: FormatterValue) =>
    formatted(formatter, self),
  'format(String pattern): String': (self: DateTimeValue, pattern: string) =>
    formatPattern(parsePattern(pattern), self.fields),
  ...orderMembers('Object', 'Object', comparedNanos),
  'toString(): String': isoText,
})

function comparedNanos(other: Value): bigint {
  if (other instanceof DateTimeValue) return other.nanos
  throw illegalArgument('a date is compared with another date')
}

function now(klass: ClassInfo, zone: ZoneValue): DateTimeValue {
  return fromInstant(klass, BigInt(currentMillis()) * 1_000_000n, zone)
}

/** Converts a point in time to a class; local classes have the local time of the zone. */
function fromInstant(klass: ClassInfo, nanos: bigint, zone: ZoneValue): DateTimeValue {
  const zoned = new DateTimeValue(ZonedDateTimeClass, nanos, zone)
  if (klass === ZonedDateTimeClass || klass === OffsetDateTimeClass) return new DateTimeValue(klass, nanos, zone)
  const { fields } = zoned
  const time = klass === LocalDateClass ? { ...fields, hour: 0, minute: 0, second: 0, nano: 0 } : fields
  return new DateTimeValue(klass, nanosOf(time, UTC))
}

extend(LocalDateClass, members(LocalDateClass, 'LocalDate'))
extend(LocalDateTimeClass, members(LocalDateTimeClass, 'LocalDateTime'))
extend(ZonedDateTimeClass, members(ZonedDateTimeClass, 'ZonedDateTime'))
extend(OffsetDateTimeClass, members(OffsetDateTimeClass, 'OffsetDateTime'))

const midnight = { hour: 0, minute: 0, second: 0, nano: 0 }

extend(LocalDateClass, {
  'static of(int year, int month, int day): LocalDate': (year: number, month: number, date: number) =>
    new DateTimeValue(LocalDateClass, nanosOf({ year, month, day: date, ...midnight }, UTC)),
  'atStartOfDay(): LocalDateTime': (self: DateTimeValue) => new DateTimeValue(LocalDateTimeClass, self.nanos),
  'atStartOfDay(ZoneId zone): ZonedDateTime': (self: DateTimeValue, zone: ZoneValue) =>
    new DateTimeValue(ZonedDateTimeClass, nanosOf(self.fields, zone), zone),
  'toEpochDay(): long': (self: DateTimeValue) => self.nanos / day,
})
extend(LocalDateTimeClass, {
  'static of(int year, int month, int day, int hour, int minute): LocalDateTime': (
    ...[year, month, date, hour, minute]: number[]
  ) =>
    new DateTimeValue(
      LocalDateTimeClass,
      nanosOf({ year: year!, month: month!, day: date!, hour: hour!, minute: minute!, second: 0, nano: 0 }, UTC),
    ),
  'static ofInstant(Instant instant, ZoneId zone): LocalDateTime': ({ nanos }: InstantValue, zone: ZoneValue) =>
    fromInstant(LocalDateTimeClass, nanos, zone),
  'atZone(ZoneId zone): ZonedDateTime': (self: DateTimeValue, zone: ZoneValue) =>
    new DateTimeValue(ZonedDateTimeClass, nanosOf(self.fields, zone), zone),
  'toLocalDate(): LocalDate': (self: DateTimeValue) => fromInstant(LocalDateClass, self.nanos, UTC),
  'toLocalTime(): LocalTime': ({ nanos }: DateTimeValue) => new LocalTimeValue(nanos),
  'toInstant(ZoneOffset offset): Instant': (self: DateTimeValue, zone: ZoneValue) =>
    new InstantValue(nanosOf(self.fields, zone)),
  'toEpochSecond(ZoneOffset offset): long': (self: DateTimeValue, zone: ZoneValue) =>
    seconds(nanosOf(self.fields, zone)),
})
for (const klass of [ZonedDateTimeClass, OffsetDateTimeClass]) {
  extend(klass, {
    'static ofInstant(Instant instant, ZoneId zone): Object': ({ nanos }: InstantValue, zone: ZoneValue) =>
      fromInstant(klass, nanos, zone),
    'toInstant(): Instant': (self: DateTimeValue) => new InstantValue(self.nanos),
    'toEpochSecond(): long': (self: DateTimeValue) => seconds(self.nanos),
    'getZone(): ZoneId': (self: DateTimeValue) => self.zone,
    'withZoneSameInstant(ZoneId zone): Object': (self: DateTimeValue, zone: ZoneValue) =>
      new DateTimeValue(klass, self.nanos, zone),
    'toLocalDateTime(): LocalDateTime': (self: DateTimeValue) => fromInstant(LocalDateTimeClass, self.nanos, self.zone),
    'toLocalDate(): LocalDate': (self: DateTimeValue) => fromInstant(LocalDateClass, self.nanos, self.zone),
    'toLocalTime(): LocalTime': ({ nanos, fields }: DateTimeValue) =>
      new LocalTimeValue(nanos + BigInt(fields.offset) * NANOS),
  })
}

extend(InstantClass, {
  'atZone(ZoneId zone): ZonedDateTime': ({ nanos }: InstantValue, zone: ZoneValue) =>
    fromInstant(ZonedDateTimeClass, nanos, zone),
  'atOffset(ZoneOffset zone): OffsetDateTime': ({ nanos }: InstantValue, zone: ZoneValue) =>
    fromInstant(OffsetDateTimeClass, nanos, zone),
})

extend(FormatterClass, {
  'static ofPattern(String pattern): DateTimeFormatter': (pattern: string) =>
    new FormatterValue(patternFormat(pattern)),
  'static ofPattern(String pattern, Locale locale): DateTimeFormatter': (pattern: string) =>
    new FormatterValue(patternFormat(pattern)),
  'static ISO_INSTANT: DateTimeFormatter': isoFormatter,
  'static ISO_DATE_TIME: DateTimeFormatter': isoFormatter,
  'static ISO_LOCAL_DATE: DateTimeFormatter': new FormatterValue(patternFormat('yyyy-MM-dd')),
  'static ISO_LOCAL_DATE_TIME: DateTimeFormatter': isoFormatter,
  'static ISO_OFFSET_DATE_TIME: DateTimeFormatter': isoFormatter,
  'static ISO_ZONED_DATE_TIME: DateTimeFormatter': isoFormatter,
  'static RFC_1123_DATE_TIME: DateTimeFormatter': new FormatterValue(patternFormat("EEE, d MMM yyyy HH:mm:ss 'GMT'")),
  'withZone(ZoneId zone): DateTimeFormatter': (self: FormatterValue, zone: ZoneValue) =>
    new FormatterValue(self.format, zone),
  'withLocale(Locale locale): DateTimeFormatter': (self: FormatterValue) => self,
  'format(Object value): String': formatted,
})
