import type { ParsedResponse } from '#test/parsed-response'
import { readResponses } from '#test/strict-http'

/** Rejected by the parser, and not by the strict reading, which does not examine these parts. */
const NOT_EXAMINED =
  /^(?:trailers|chunk size): |response head: expected (?:chunked|one|a number|either|no Transfer-Encoding)|a status that the request allows/

/** The error in a result for a closed connection, by a strict reading of the whole input with regular expressions. */
export function strictProblemOf(bytes: Buffer, method: string, ours: ParsedResponse): string | null {
  const { messages } = readResponses(bytes.toString('latin1'), method, true)
  const final = messages.findIndex(({ line }) => !/^\S+ 1/.test(line))
  const expected = messages[final]
  const isExpected = expected !== undefined && expected.body !== null
  if (ours.head?.upgrade) return null
  if (ours.error !== null) {
    return isExpected && !NOT_EXAMINED.test(ours.error.message) ? `rejected: ${ours.error.message}` : null
  }
  if (!isExpected) return 'accepted'
  const { status, reason, fields } = ours.head!
  if (ours.interims.length !== final) return 'another number of informational responses'
  if (!expected.line.startsWith(`HTTP/1.${ours.head!.minor} ${status}`)) return 'another status'
  if (expected.line.slice(13) !== reason) return 'another reason phrase'
  const names = fields.map((each, at) => (at % 2 === 0 ? each.toLowerCase() : each))
  if (JSON.stringify(names) !== JSON.stringify(expected.fields.flat())) return 'other fields'
  return ours.body === expected.body ? null : 'another body'
}
