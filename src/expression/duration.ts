const unlimitedWords: ReadonlySet<string> = new Set(['unlimited', 'indefinite', 'infinity', 'undefined', 'none'])
const zeroWords: ReadonlySet<string> = new Set(['zero', 'disabled'])

const day = 86_400_000
const hour = 3_600_000
const minute = 60_000
const microsecond = 1 / 1_000
const nanosecond = 1 / 1_000_000

const units: ReadonlyMap<string, number> = new Map([
  ...named(day, 'days', 'day', 'd'),
  ...named(hour, 'hours', 'hour', 'h'),
  ...named(minute, 'minutes', 'minute', 'min', 'm'),
  ...named(1_000, 'seconds', 'second', 'sec', 's'),
  ...named(1, 'milliseconds', 'millisecond', 'millisec', 'millis', 'milli', 'ms'),
  ...named(microsecond, 'microseconds', 'microsecond', 'microsec', 'micros', 'micro', 'us', 'µs', 'μs'),
  ...named(nanosecond, 'nanoseconds', 'nanosecond', 'nanosec', 'nanos', 'nano', 'ns'),
])

const piece = /^(\d{1,15})\s*([a-zµμ]+)$/

/**
 * Parses a duration such as `10 s` or `1 hour and 30 minutes` to milliseconds: `Infinity` for unlimited, 0 for the zero words,
 * null for invalid text.
 */
export function parseDuration(text: string): number | null {
  if (text.length > 256) return null
  const words = text.trim().toLowerCase()
  if (unlimitedWords.has(words)) return Number.POSITIVE_INFINITY
  if (zeroWords.has(words)) return 0
  let total = 0
  for (const part of words.split(/\s*,\s*|\s+and\s+/)) {
    const [, amount, unit] = piece.exec(part) ?? []
    const factor = units.get(unit ?? '')
    if (amount === undefined || factor === undefined) return null
    total += Number(amount) * factor
  }
  return Number.isFinite(total) && total <= Number.MAX_SAFE_INTEGER ? total : null
}

/** The texts that `parseDuration` accepts, as a pattern without flags. */
export const DURATION_PATTERN = durationPattern()

function durationPattern(): string {
  const oneOf = (words: Iterable<string>) => `(?:${[...words].map(inAnyCase).join('|')})`
  const part = `\\d{1,15}\\s*${oneOf(units.keys())}`
  const parts = `${part}(?:(?:\\s*,\\s*|\\s+${inAnyCase('and')}\\s+)${part})*`
  return `^\\s*(?:${parts}|${oneOf([...unlimitedWords, ...zeroWords])})\\s*$`
}

function inAnyCase(word: string): string {
  return word.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
}

function named(milliseconds: number, ...names: string[]): [string, number][] {
  return names.map((name) => [name, milliseconds])
}
