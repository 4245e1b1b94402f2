// Time zones: UTC, fixed offsets, and named zones of the host's calendar.
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass } from '../../values/classes.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import { GroovyObject } from '../../values/value.ts'
import { DateTimeException } from './duration.ts'

const ZoneIdClass = declareClass('java.time.ZoneId')
const ZoneOffsetClass = declareClass('java.time.ZoneOffset', { parent: ZoneIdClass })
const TimeZoneClass = declareClass('java.util.TimeZone')

const ZoneRulesException = declareException('java.time.zone.ZoneRulesException', DateTimeException)

/** A time zone; also used as Java's TimeZone. */
export class ZoneValue extends GroovyObject {
  readonly id: string
  readonly klass: ClassInfo
  readonly #fixed: number | null

  /** `fixed`: seconds ahead of UTC, where the zone has one offset. */
  constructor(id: string, klass: ClassInfo, fixed: number | null) {
    super()
    this.id = id
    this.klass = klass
    this.#fixed = fixed
  }

  override equalityKey(): string {
    return this.id
  }

  /** Seconds ahead of UTC at a time in milliseconds since the epoch. */
  offsetAt(millis: number): number {
    if (this.#fixed !== null) return this.#fixed
    const parts = formatterFor(this.id).formatToParts(millis)
    const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
    return offsetIn(text.replace('GMT', '')) ?? 0
  }
}

/** Cached: formatters are expensive. Clients may choose names of zones, which have many spellings. */
const formatters = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATTERS = 100

function formatterFor(id: string): Intl.DateTimeFormat {
  const known = formatters.get(id)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', { timeZone: id, timeZoneName: 'longOffset' })
  if (formatters.size >= MAX_FORMATTERS) formatters.clear()
  formatters.set(id, made)
  return made
}

/** The seconds of `+02:00`, `+0200`, `+2`, `Z`; null for anything else. */
export function offsetIn(text: string): number | null {
  if (text === 'Z' || text === '') return 0
  const [, sign, hours, minutes = '0', seconds = '0'] = /^([+-])(\d{1,2})(?::?(\d\d)(?::?(\d\d))?)?$/.exec(text) ?? []
  if (hours === undefined || Number(hours) > 18) return null
  const total = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -total : total
}

/** `Z`, or `+02:00`. */
export function offsetText(seconds: number): string {
  if (seconds === 0) return 'Z'
  const total = Math.abs(seconds)
  const two = (value: number): string => String(Math.trunc(value)).padStart(2, '0')
  const rest = total % 60 === 0 ? '' : `:${two(total % 60)}`
  return `${seconds < 0 ? '-' : '+'}${two(total / 3_600)}:${two((total / 60) % 60)}${rest}`
}

export const UTC = new ZoneValue('Z', ZoneOffsetClass, 0)

/** The zone of an offset from UTC. */
function offsetZone(seconds: number): ZoneValue {
  return seconds === 0 ? UTC : new ZoneValue(offsetText(seconds), ZoneOffsetClass, seconds)
}

const UTC_NAMES: ReadonlySet<string> = new Set(['UTC', 'GMT', 'UT', 'Etc/UTC', 'Etc/GMT'])

/** A zone by its id; null if unknown. */
function find(id: string, klass: ClassInfo): ZoneValue | null {
  const prefix = /^(?:UTC|GMT|UT)(?=[+-])/.exec(id)?.[0] ?? ''
  const offset = UTC_NAMES.has(id) ? 0 : offsetIn(id.slice(prefix.length))
  if (offset !== null && id !== '') {
    if (klass === TimeZoneClass || UTC_NAMES.has(id) || prefix !== '') return new ZoneValue(id, klass, offset)
    return offsetZone(offset)
  }
  if (!/^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(id) || id.length > 64) return null
  try {
    formatterFor(id)
    return new ZoneValue(id, klass, null)
  } catch {
    return null
  }
}

function zoneOf(id: string): ZoneValue {
  const zone = find(id, ZoneIdClass)
  if (zone === null) throw throwable(ZoneRulesException, `Unknown time-zone ID: ${id.slice(0, 64)}`)
  return zone
}

extend(ZoneIdClass, {
  'static of(String id): ZoneId': zoneOf,
  'static systemDefault(): ZoneId': () => new ZoneValue('UTC', ZoneIdClass, 0),
  'getId(): String': (self: ZoneValue) => self.id,
  'toString(): String': (self: ZoneValue) => self.id,
})

extend(ZoneOffsetClass, {
  'static UTC: ZoneOffset': UTC,
  'static of(String id): ZoneOffset': (id: string) => {
    const offset = offsetIn(id)
    if (offset === null) throw throwable(DateTimeException, `Invalid ID for ZoneOffset: ${id.slice(0, 64)}`)
    return offsetZone(offset)
  },
  'static ofHours(int hours): ZoneOffset': (hours: number) => offsetZone(hours * 3_600),
  'getTotalSeconds(): int': (self: ZoneValue) => self.offsetAt(0),
})

extend(TimeZoneClass, {
  // As in Java, an unknown name is GMT.
  'static getTimeZone(String id): TimeZone': (id: string) =>
    find(id, TimeZoneClass) ?? new ZoneValue('GMT', TimeZoneClass, 0),
  'static getDefault(): TimeZone': () => new ZoneValue('UTC', TimeZoneClass, 0),
  'getID(): String': (self: ZoneValue) => self.id,
  'toZoneId(): ZoneId': (self: ZoneValue) => zoneOf(self.id),
  'toString(): String': (self: ZoneValue) => self.id,
})
