import { equalsIgnoreCase } from '#http'
import { Http1SyntaxError } from '#http1'
import { CHUNKED, type ResponseHead, UNTIL_CLOSE } from './response-head.ts'

const CLOSE = 'close'
const KEEP_ALIVE = 'keep-alive'
const TIMEOUT = /(?:^|[,; \t])timeout=(\d{1,9})(?![^,; \t])/i

/**
 * Sets length and persistence of a response by RFC 9112 sections 6.3 and 9.3. Whatever the RFC calls unrecoverable is
 * rejected, and also lengths that are repeated with the same value, any coding but `chunked`, and codings in HTTP/1.0.
 */
export function settleFraming(head: ResponseHead, hasNoBody: boolean, offset: number): void {
  const { fields } = head
  let length = -1
  let isChunked = false
  let isClosing = false
  let isPersistent = head.minor === 1
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]!
    const value = fields[i + 1]!
    switch (name.length) {
      case 10:
        if (is(name, 'Connection', 'connection')) {
          if (hasOption(value, CLOSE)) isClosing = true
          else if (hasOption(value, KEEP_ALIVE)) isPersistent = true
        } else if (is(name, 'Keep-Alive', KEEP_ALIVE)) head.keepAliveHint = Number(TIMEOUT.exec(value)?.[1] ?? -1)
        break
      case 14:
        if (!is(name, 'Content-Length', 'content-length')) break
        if (length >= 0) throw rejected('one Content-Length', 'another one', offset)
        length = lengthOf(value)
        if (length < 0) throw rejected('a number as Content-Length', 'another value', offset)
        break
      case 16:
        if (equalsIgnoreCase(name, 'proxy-connection') && hasOption(value, CLOSE)) isClosing = true
        break
      case 17:
        if (!is(name, 'Transfer-Encoding', 'transfer-encoding')) break
        if (isChunked || !equalsIgnoreCase(value, 'chunked'))
          throw rejected('chunked as the only Transfer-Encoding', 'other ones', offset)
        isChunked = true
    }
  }
  if (isChunked && length >= 0) throw rejected('either Content-Length or Transfer-Encoding', 'both', offset)
  if (isChunked && head.minor === 0) throw rejected('no Transfer-Encoding in HTTP/1.0', 'one', offset)
  if (hasNoBody) head.length = 0
  else if (isChunked) head.length = CHUNKED
  else head.length = length < 0 ? UNTIL_CLOSE : length
  head.keepAlive = isPersistent && !isClosing && head.length !== UNTIL_CLOSE
}

/** Compares with the usual spelling first. */
function is(name: string, usual: string, lowerCase: string): boolean {
  return name === usual || equalsIgnoreCase(name, lowerCase)
}

/** Whether a comma-separated list contains an option, in any case. */
function hasOption(list: string, option: string): boolean {
  if (list.length === option.length) return equalsIgnoreCase(list, option)
  if (!list.includes(',')) return false
  return list.split(',').some((part) => equalsIgnoreCase(part.trim(), option))
}

/** The value of a Content-Length; -1 where it is not a number or too large. */
function lengthOf(value: string): number {
  let length = 0
  for (let i = 0; i < value.length; i++) {
    const digit = value.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) return -1
    length = length * 10 + digit
    if (length > Number.MAX_SAFE_INTEGER) return -1
  }
  return value === '' ? -1 : length
}

function rejected(expected: string, actual: string, offset: number): Http1SyntaxError {
  return new Http1SyntaxError('response head', expected, actual, offset)
}
