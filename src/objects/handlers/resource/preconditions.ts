import type { Headers } from '#http'

/** Validators of a file (RFC 9110 section 8.8). */
interface Validators {
  readonly etag: string
  /** Time of the last change in milliseconds, rounded to seconds as in headers. */
  readonly modified: number
}

// A file that has just changed may change again within the resolution of its time (RFC 9110 section 8.8.1).
const SETTLED_AFTER = 2_000

/** Validators from size and time of change, without the inode, which differs between gateways and discloses data of the disk. */
export function validatorsOf({ size, mtimeNs }: { size: bigint; mtimeNs: bigint }, now: number): Validators {
  const changed = Number(mtimeNs / 1_000_000n)
  const tag = `"${size.toString(16)}-${mtimeNs.toString(16)}"`
  // RFC 9110 section 8.8.2.1: never later than the message.
  const modified = Math.floor(Math.min(changed, now) / 1_000) * 1_000
  return { etag: now - changed < SETTLED_AFTER ? `W/${tag}` : tag, modified }
}

/** The status for the preconditions of a GET or HEAD (RFC 9110 section 13.2.2). */
export function preconditions(headers: Headers, { etag, modified }: Validators): 200 | 304 | 412 {
  const match = headers.all('if-match')
  if (match.length > 0) {
    if (!isListed(match, etag, 'strong')) return 412
  } else {
    const unmodifiedSince = dateIn(headers, 'if-unmodified-since')
    if (unmodifiedSince !== null && modified > unmodifiedSince) return 412
  }
  const noneMatch = headers.all('if-none-match')
  if (noneMatch.length > 0) return isListed(noneMatch, etag, 'weak') ? 304 : 200
  const modifiedSince = dateIn(headers, 'if-modified-since')
  return modifiedSince !== null && modified <= modifiedSince ? 304 : 200
}

/** Whether a range applies: If-Range is absent or matches (RFC 9110 section 13.1.5). */
export function isRangeApplicable(headers: Headers, { etag, modified }: Validators): boolean {
  const values = headers.all('if-range')
  if (values.length === 0) return true
  if (values.length > 1 || etag.startsWith('W/')) return false
  const [value] = values
  return value === etag || httpDate(value!) === modified
}

/** Comparison of RFC 9110 section 8.8.3.2. */
function isListed(values: readonly string[], etag: string, comparison: 'strong' | 'weak'): boolean {
  const text = values.join(',')
  if (text.trim() === '*') return true
  if (comparison === 'strong' && etag.startsWith('W/')) return false
  const tag = etag.replace(/^W\//, '')
  for (const [each, weak] of text.matchAll(/(W\/)?"[^"]*"/g)) {
    if (comparison === 'strong' ? each === tag : (weak === undefined ? each : each.slice(2)) === tag) return true
  }
  return false
}

function dateIn(headers: Headers, name: string): number | null {
  const values = headers.all(name)
  return values.length === 1 ? httpDate(values[0]!) : null
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const TIME = '\\d{2}:\\d{2}:\\d{2}'
const DATES = new RegExp(
  `^(?:[A-Z][a-z]{2}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT|[A-Z][a-z]{5,8}, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT)$`,
)
const ASCTIME = new RegExp(`^[A-Z][a-z]{2} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`)

/** Parses the three formats of a date (RFC 9110 section 5.6.7); null for other text. */
export function httpDate(text: string): number | null {
  const spelled = ASCTIME.test(text) ? `${text} GMT` : text
  if (spelled === text && !DATES.test(text)) return null
  const time = Date.parse(spelled)
  return Number.isNaN(time) ? null : time
}
