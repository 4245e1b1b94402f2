import { InvalidHeaderError, isToken, reasonPhrase } from '#http'

const NOT_TEXT = /[^\t\x20-\x7e\x80-\xff]/

/** The head of a response without its last line, in Latin-1. Throws InvalidHeaderError for a part that would end its line. */
export function responseHead(status: number, reason: string, fields: readonly string[]): string {
  checkReason(reason)
  const head = `HTTP/1.1 ${status} ${reason}\r\n${fieldLines(fields)}`
  return hasDate(fields) ? head : `${head}Date: ${httpDate()}\r\n`
}

/** An informational response (RFC 9110 section 15.2). Throws InvalidHeaderError. */
export function informationalResponse(
  status: number,
  fields: readonly string[],
  reason = reasonPhrase(status),
): string {
  checkReason(reason)
  return `HTTP/1.1 ${status} ${reason}\r\n${fieldLines(fields)}\r\n`
}

function checkReason(reason: string): void {
  if (NOT_TEXT.test(reason))
    throw new InvalidHeaderError('response: the reason phrase holds a character that can not be sent')
}

/** Field lines from a flat list. Throws InvalidHeaderError. */
export function fieldLines(fields: readonly string[]): string {
  let lines = ''
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]!
    const value = fields[i + 1]!
    if (!isToken(name)) throw new InvalidHeaderError(`response: ${JSON.stringify(name)} is not a field name`)
    if (NOT_TEXT.test(value)) throw new InvalidHeaderError(`response: ${name} holds a character that can not be sent`)
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

function hasDate(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2)
    if (fields[i]!.length === 4 && fields[i]!.toLowerCase() === 'date') return true
  return false
}

let second = 0
let text = ''

/** The time in the format of Date (RFC 9110 section 5.6.7), formatted once for each second. */
function httpDate(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    text = new Date(now * 1000).toUTCString()
  }
  return text
}
