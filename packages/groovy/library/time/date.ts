// java.util.Date and SimpleDateFormat.
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { ComparableInterface, declareClass } from '../../values/classes.ts'
import { ExceptionClass } from '../../values/exceptions.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { currentMillis } from '../system/system.ts'
import { fieldsAt, formatPattern, localMillis, parsePattern, readPattern } from './date-pattern.ts'
import { InstantValue, millisOf, readInstant } from './instant.ts'
import { UTC, type ZoneValue } from './zones.ts'

const DateClass = declareClass('java.util.Date', { interfaces: [ComparableInterface] })
const SimpleDateFormatClass = declareClass('java.text.SimpleDateFormat')
const ParseException = declareException('java.text.ParseException', ExceptionClass)

const DAY = 86_400_000

/** A java.util.Date. Its zone is always UTC. */
export class DateValue extends GroovyObject {
  /** Since the epoch. */
  millis: number

  constructor(millis: number) {
    super()
    this.millis = millis
  }

  get klass(): ClassInfo {
    return DateClass
  }

  override equalityKey(): string {
    return String(this.millis)
  }
}

readInstant((value) => (value instanceof DateValue ? BigInt(value.millis) * 1_000_000n : null))

function formatted(millis: number, pattern: string, zone: ZoneValue): string {
  const nano = (((millis % 1_000) + 1_000) % 1_000) * 1_000_000
  return formatPattern(parsePattern(pattern), fieldsAt(millis, nano, zone.offsetAt(millis), zone.id))
}

function parsed(text: string, pattern: string, zone: ZoneValue): DateValue {
  const fields = readPattern(parsePattern(pattern), text, true)
  if (fields === null) throw throwable(ParseException, `Unparseable date: "${text.slice(0, 100)}"`)
  const local = localMillis(fields)
  const offset = Number.isNaN(fields.offset) ? zone.offsetAt(local) : fields.offset
  return new DateValue(local - offset * 1_000)
}

extend(DateClass, {
  'new()': () => new DateValue(currentMillis()),
  'new(long millis)': (millis: bigint) => new DateValue(Number(millis)),
  'static from(Instant instant): Date': ({ nanos }: InstantValue) => new DateValue(millisOf(nanos)),
  'static parse(String pattern, String text): Date': (pattern: string, text: string) => parsed(text, pattern, UTC),
  'getTime(): long': (self: DateValue) => BigInt(self.millis),
  'setTime(long millis): void': (self: DateValue, millis: bigint) => {
    self.millis = Number(millis)
  },
  'toInstant(): Instant': (self: DateValue) => InstantValue.ofMillis(BigInt(self.millis)),
  'format(String pattern): String': (self: DateValue, pattern: string) => formatted(self.millis, pattern, UTC),
  'format(String pattern, TimeZone zone): String': (self: DateValue, pattern: string, zone: ZoneValue) =>
    formatted(self.millis, pattern, zone),
  'plus(int days): Date': (self: DateValue, days: number) => new DateValue(self.millis + days * DAY),
  'minus(int days): Date': (self: DateValue, days: number) => new DateValue(self.millis - days * DAY),
  'minus(Date other): int': (self: DateValue, other: DateValue) => Math.trunc((self.millis - other.millis) / DAY),
  'before(Date other): boolean': (self: DateValue, other: DateValue) => self.millis < other.millis,
  'after(Date other): boolean': (self: DateValue, other: DateValue) => self.millis > other.millis,
  'compareTo(Object other): int': (self: DateValue, other: Value) =>
    Math.sign(self.millis - (other as DateValue).millis),
  'clone(): Object': (self: DateValue) => new DateValue(self.millis),
  'toString(): String': (self: DateValue) => formatted(self.millis, 'EEE MMM dd HH:mm:ss zzz yyyy', UTC),
})

class DateFormatValue extends GroovyObject {
  readonly pattern: string
  zone: ZoneValue = UTC

  constructor(pattern: string) {
    super()
    this.pattern = pattern
    parsePattern(pattern)
  }

  get klass(): ClassInfo {
    return SimpleDateFormatClass
  }
}

extend(SimpleDateFormatClass, {
  'new(String pattern)': (pattern: string) => new DateFormatValue(pattern),
  'new(String pattern, Locale locale)': (pattern: string) => new DateFormatValue(pattern),
  'setTimeZone(TimeZone zone): void': (self: DateFormatValue, zone: ZoneValue) => {
    self.zone = zone
  },
  'setLenient(boolean lenient): void': () => null,
  'format(Date date): String': (self: DateFormatValue, date: DateValue) =>
    formatted(date.millis, self.pattern, self.zone),
  'format(long millis): String': (self: DateFormatValue, millis: bigint) =>
    formatted(Number(millis), self.pattern, self.zone),
  'parse(String text): Date': (self: DateFormatValue, text: string) => parsed(text, self.pattern, self.zone),
})
