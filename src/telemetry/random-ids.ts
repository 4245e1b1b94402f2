import { randomFillSync } from 'node:crypto'

const BYTES = 24_576
const random = Buffer.alloc(BYTES)
let text = ''
let at = 0

/** Random hexadecimal digits. Made many at a time: one by one they cost several times as much. */
export function randomHex(digits: number): string {
  if (at + digits > text.length) {
    text = randomFillSync(random).toString('hex')
    at = 0
  }
  at += digits
  return text.slice(at - digits, at)
}

export const TRACE_DIGITS = 32
export const SPAN_DIGITS = 16
