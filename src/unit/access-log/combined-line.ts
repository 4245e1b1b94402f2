import type { Exchange } from '#http'
import type { AccessEntry } from './access-entry.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MAX_HEADER = 512
const UNSAFE = /[^\x21\x23-\x5b\x5d-\x7e]/gu
const UNSAFE_QUOTED = /[^\x20\x21\x23-\x5b\x5d-\x7e]/gu

/** As nginx logs a request whose client disconnected before a response. */
const NO_RESPONSE = 499

/** Formats entries as the combined format of Apache and nginx; the referrer has no query either. */
export function combinedLine(entry: AccessEntry, exchange: Exchange | null): string {
  const { client, user, method, path, protocol, status, bytes } = entry
  const request = `${method ?? '-'} ${path ?? '-'} ${protocol ?? '-'}`
  const referrer = exchange?.request.headers.get('referer')?.replace(/[?#].*$/s, '') ?? null
  const agent = exchange?.client.userAgent ?? null
  return `${bare(client)} - ${bare(user)} [${clfTime(entry.time)}] "${quoted(request)}" ${status ?? NO_RESPONSE} ${bytes} "${quoted(
    referrer,
  )}" "${quoted(agent)}"\n`
}

function bare(text: string | null): string {
  return text === null || text === '' ? '-' : text.replace(UNSAFE, hexBytes)
}

function quoted(text: string | null): string {
  return text === null || text === '' ? '-' : text.slice(0, 3 * MAX_HEADER).replace(UNSAFE_QUOTED, hexBytes)
}

function hexBytes(character: string): string {
  return Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '\\x$&')
}

/** `10/Oct/2000:13:55:36 +0000`. */
function clfTime(milliseconds: number): string {
  const time = new Date(milliseconds)
  const two = (number: number): string => String(number).padStart(2, '0')
  const date = `${two(time.getUTCDate())}/${MONTHS[time.getUTCMonth()]}/${time.getUTCFullYear()}`
  return `${date}:${two(time.getUTCHours())}:${two(time.getUTCMinutes())}:${two(time.getUTCSeconds())} +0000`
}
