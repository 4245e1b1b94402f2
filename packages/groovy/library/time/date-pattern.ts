// Patterns of SimpleDateFormat and DateTimeFormatter: `yyyy-MM-dd'T'HH:mm:ss.SSSX`.
import { illegalArgument } from '../../values/exceptions.ts'
import { offsetIn, offsetText } from './zones.ts'

/** A date and time of the calendar, with its offset. */
export interface Fields {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nano: number
  /** Seconds ahead of UTC. */
  readonly offset: number
  readonly zone: string
}

export const MONTHS: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
/** From Sunday. */
export const DAYS: readonly string[] = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Fields of a time in milliseconds since the epoch. */
export function fieldsAt(millis: number, nano: number, offset: number, zone: string): Fields {
  const date = new Date(millis + offset * 1_000)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nano,
    offset,
    zone,
  }
}

/** Milliseconds since the epoch of fields, as if they were in UTC. */
export function localMillis({ year, month, day, hour, minute, second, nano }: Omit<Fields, 'offset' | 'zone'>): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, Math.trunc(nano / 1_000_000))
  return date.getTime()
}

export function dayOfWeek(fields: Fields): number {
  return new Date(localMillis(fields)).getUTCDay()
}

interface Part {
  /** A letter of the pattern; empty for literal text. */
  readonly letter: string
  readonly count: number
  readonly text: string
}

const PART = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g

/** Parses a pattern; cached, since scripts have few patterns. */
export function parsePattern(pattern: string): readonly Part[] {
  if (pattern.length > 200) throw illegalArgument('the pattern of a date is too long')
  return [...pattern.matchAll(PART)].map(([whole, quoted, letter]) => {
    if (letter !== undefined) return { letter, count: whole.length, text: whole }
    const text = quoted === undefined ? whole : quoted === '' ? "'" : quoted.replaceAll("''", "'")
    return { letter: '', count: 0, text }
  })
}

export function formatPattern(parts: readonly Part[], fields: Fields): string {
  return parts.map((part) => (part.letter === '' ? part.text : formatPart(part, fields))).join('')
}

const padded = (value: number, count: number): string => String(value).padStart(count, '0')

function formatPart({ letter, count }: Part, fields: Fields): string {
  switch (letter) {
    case 'y':
    case 'u':
    case 'Y':
      return count === 2 ? padded(fields.year % 100, 2) : padded(fields.year, count)
    case 'M':
    case 'L':
      return count >= 3 ? named(MONTHS, fields.month - 1, count) : padded(fields.month, count)
    case 'd':
      return padded(fields.day, count)
    case 'E':
      return named(DAYS, dayOfWeek(fields), count)
    case 'H':
      return padded(fields.hour, count)
    case 'k':
      return padded(fields.hour === 0 ? 24 : fields.hour, count)
    case 'h':
      return padded(fields.hour % 12 === 0 ? 12 : fields.hour % 12, count)
    case 'K':
      return padded(fields.hour % 12, count)
    case 'm':
      return padded(fields.minute, count)
    case 's':
      return padded(fields.second, count)
    case 'S':
      return padded(fields.nano, 9).slice(0, count).padEnd(count, '0')
    case 'n':
      return padded(fields.nano, count)
    case 'a':
      return fields.hour < 12 ? 'AM' : 'PM'
    case 'D':
      return padded(Math.floor((localMillis(fields) - Date.UTC(fields.year, 0, 1)) / 86_400_000) + 1, count)
    default:
      return formatZone(letter, count, fields)
  }
}

function formatZone(letter: string, count: number, { offset, zone }: Fields): string {
  const colon = offsetText(offset)
  const plain = offset === 0 ? '+0000' : colon.replaceAll(':', '')
  switch (letter) {
    case 'z':
      return zone === 'Z' ? 'UTC' : zone
    case 'V':
      return zone
    case 'Z':
      return plain
    case 'X':
      if (offset === 0) return 'Z'
      return count === 1 ? plain.slice(0, 3) : count === 2 ? plain : colon
    case 'x':
      return count === 1 ? plain.slice(0, 3) : count === 2 ? plain : offset === 0 ? '+00:00' : colon
    default:
      throw illegalArgument(`Illegal pattern character '${letter}'`)
  }
}

function named(names: readonly string[], at: number, count: number): string {
  const name = names[at] ?? ''
  return count >= 4 ? name : name.slice(0, 3)
}

/** Parses a string by a pattern; null if it does not match. With `isLenient` further text may follow. */
export function readPattern(parts: readonly Part[], text: string, isLenient: boolean): Fields | null {
  const found = { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, nano: 0, offset: Number.NaN, zone: '' }
  let at = 0
  let isAfternoon = false
  for (const [index, part] of parts.entries()) {
    if (part.letter === '') {
      if (!text.startsWith(part.text, at)) return null
      at += part.text.length
      continue
    }
    const isLast = parts[index + 1]?.letter === '' || parts[index + 1] === undefined
    const piece = readPart(part, text.slice(at), isLast)
    if (piece === null) return null
    at += piece.length
    if (part.letter === 'a') isAfternoon = /pm/i.test(piece)
    else store(found, part, piece)
  }
  if (at < text.length && !isLenient) return null
  if (isAfternoon) found.hour = (found.hour % 12) + 12
  return found
}

/** A number consumes all digits, unless another field follows directly. */
function readPart({ letter, count }: Part, rest: string, isLast: boolean): string | null {
  if (letter === 'a') return /^(?:am|pm)/i.exec(rest)?.[0] ?? null
  if (letter === 'E') return /^[A-Za-z]+/.exec(rest)?.[0] ?? null
  if ((letter === 'M' || letter === 'L') && count >= 3) return /^[A-Za-z]+/.exec(rest)?.[0] ?? null
  if (/[zZXxV]/.test(letter)) return /^(?:[+-]\d\d(?::?\d\d)?|[A-Za-z][\w/]*)/.exec(rest)?.[0] ?? null
  const digits = /^\d+/.exec(rest)?.[0] ?? null
  return digits === null ? null : isLast ? digits.slice(0, 10) : digits.slice(0, count)
}

type Mutable = { -readonly [K in keyof Fields]: Fields[K] }

function store(found: Mutable, { letter, count }: Part, piece: string): void {
  const number = Number(piece)
  if (/[yuY]/.test(letter)) found.year = count === 2 && piece.length === 2 ? 2000 + number : number
  else if (letter === 'M' || letter === 'L') {
    found.month =
      count >= 3
        ? MONTHS.findIndex((name) => name.slice(0, 3).toLowerCase() === piece.slice(0, 3).toLowerCase()) + 1
        : number
  } else if (letter === 'd') found.day = number
  else if (/[HkhK]/.test(letter)) found.hour = letter === 'h' && number === 12 ? 0 : number
  else if (letter === 'm') found.minute = number
  else if (letter === 's') found.second = number
  else if (letter === 'S') found.nano = Number(piece.padEnd(9, '0').slice(0, 9))
  else if (/[zZXx]/.test(letter)) found.offset = offsetIn(piece.replace(/^(?:UTC|GMT)/, '')) ?? Number.NaN
}
