import { SessionTooLargeError } from '#contracts'

/** Browsers keep cookies of 4,096 bytes with name and attributes. */
const PART = 3_600
/** Together they have to fit into the header of a request, beside everything else in it. */
const MAX_PARTS = 3

/** Names of the cookies that a value is spread over: `name`, `name-1`, `name-2`. */
export function partNames(name: string): readonly string[] {
  return Array.from({ length: MAX_PARTS }, (_, index) => (index === 0 ? name : `${name}-${index}`))
}

/**
 * Spreads a value over cookies. The first says how many there are, so that one left over from a longer value is not
 * taken for a part of it.
 */
export function splitValue(value: string): readonly string[] {
  if (value.length <= PART) return [value]
  const count = Math.ceil(value.length / PART)
  if (count > MAX_PARTS) {
    throw new SessionTooLargeError(
      `the session needs ${value.length} characters of cookies, and ${MAX_PARTS * PART} is the most: use a RedisSessionManager (or an InMemorySessionManager for one gateway), or keep less in the session (sessionContent of ClientRegistration)`,
    )
  }
  const parts = Array.from({ length: count }, (_, index) => value.slice(index * PART, (index + 1) * PART))
  return [`${count}~${parts[0]}`, ...parts.slice(1)]
}

/** Puts a value together again; null where a part is missing. */
export function joinValue(first: string, part: (index: number) => string | undefined): string | null {
  const mark = first.indexOf('~')
  if (mark < 0) return first
  const count = Number(first.slice(0, mark))
  if (!Number.isInteger(count) || count < 2 || count > MAX_PARTS) return null
  const rest = Array.from({ length: count - 1 }, (_, index) => part(index + 1))
  return rest.includes(undefined) ? null : first.slice(mark + 1) + rest.join('')
}
