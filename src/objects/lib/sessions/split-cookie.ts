import { SessionTooLargeError } from '#contracts'

/** Browsers store cookies of up to 4,096 bytes, including name and attributes. */
const PART = 3_600
/** All parts have to fit into the header of a request. */
const MAX_PARTS = 3

/** Names of the cookies over which a value is split: `name`, `name-1`, `name-2`. */
export function partNames(name: string): readonly string[] {
  return Array.from({ length: MAX_PARTS }, (_, index) => (index === 0 ? name : `${name}-${index}`))
}

/**
 * Splits a value over cookies. The first holds the number of parts, so that a stale cookie of a longer value is ignored.
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

/** Joins the parts of a value; null where a part is missing. */
export function joinValue(first: string, part: (index: number) => string | undefined): string | null {
  const mark = first.indexOf('~')
  if (mark < 0) return first
  const count = Number(first.slice(0, mark))
  if (!Number.isInteger(count) || count < 2 || count > MAX_PARTS) return null
  const rest = Array.from({ length: count - 1 }, (_, index) => part(index + 1))
  return rest.includes(undefined) ? null : first.slice(mark + 1) + rest.join('')
}
