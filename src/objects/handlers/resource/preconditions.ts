import type { Headers } from '#http'

/** What tells one state of a file from another. */
interface Validators {
  readonly etag: string
  /** Time of the last change in milliseconds, in whole seconds as headers can say it. */
  readonly modified: number
}

// A file that changed just now may change again within the resolution of its time (RFC 9110 section 8.8.1).
const SETTLED_AFTER = 2_000

/** Validators from size and time of change; the inode stays out, as it differs between gateways and tells of the disk. */
export function validatorsOf({ size, mtimeNs }: { size: bigint; mtimeNs: bigint }, now: number): Validators {
  const changed = Number(mtimeNs / 1_000_000n)
  const tag = `"${size.toString(16)}-${mtimeNs.toString(16)}"`
  // RFC 9110 section 8.8.2.1: never later than the message it stands in.
  const modified = Math.floor(Math.min(changed, now) / 1_000) * 1_000
  return { etag: now - changed < SETTLED_AFTER ? `W/${tag}` : tag, modified }
}

/** What the conditions of a GET or HEAD ask for (RFC 9110 section 13.2.2): the file, that it is the same, or a refusal. */
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

/** Whether a range is still wanted: If-Range is absent or names exactly this state (RFC 9110 section 13.1.5). */
export function rangeStillWanted(headers: Headers, { etag, modified }: Validators): boolean {
  const values = headers.all('if-range')
  if (values.length === 0) return true
  if (values.length > 1 || etag.startsWith('W/')) return false
  const [value] = values
  return value === etag || httpDate(value!) === modified
}

/** Compares as RFC 9110 section 8.8.3.2 says: strongly, weak tags equal nothing. */
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

/** The three forms of a date (RFC 9110 section 5.6.7); anything else is as if it were not there. */
export function httpDate(text: string): number | null {
  const spelled = ASCTIME.test(text) ? `${text} GMT` : text
  if (spelled === text && !DATES.test(text)) return null
  const time = Date.parse(spelled)
  return Number.isNaN(time) ? null : time
}
