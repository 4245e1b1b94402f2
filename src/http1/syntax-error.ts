/**
 * Received bytes that are not an HTTP/1.1 message, or exceed a limit. The message quotes at most one byte, as a number, so that
 * it can be logged.
 */
export class Http1SyntaxError extends Error {
  override readonly name = 'Http1SyntaxError'
  /** Part of the message, such as `chunk size`. */
  readonly part: string
  /** Position of the offending byte, counted from the first byte of the message. */
  readonly offset: number
  /** Whether the bytes may be valid, but are too many. */
  readonly isOverLimit: boolean

  constructor(part: string, expected: string, actual: string, offset: number, isOverLimit = false) {
    super(`${part}: expected ${expected}, got ${actual} at byte ${offset}`)
    this.part = part
    this.offset = offset
    this.isOverLimit = isOverLimit
  }
}

export function unexpectedByte(part: string, expected: string, byte: number, offset: number): Http1SyntaxError {
  return new Http1SyntaxError(part, expected, `0x${byte.toString(16).padStart(2, '0')}`, offset)
}

export function overLimit(part: string, limit: string, offset: number): Http1SyntaxError {
  return new Http1SyntaxError(part, `at most ${limit}`, 'more', offset, true)
}
