import { randomFillSync } from 'node:crypto'

/** Random bytes are made many at a time: a call costs more than the bytes. */
const BYTES = 24_576
/** Bytes of one text: an id that is kept, such as that of an exemplar, keeps the text it is a part of. */
const TEXT_BYTES = 1_536

const random = Buffer.alloc(BYTES)
let used = BYTES
let text = ''
let at = 0

/** Random hexadecimal digits. */
export function randomHex(digits: number): string {
  if (at + digits > text.length) nextText()
  at += digits
  return text.slice(at - digits, at)
}

function nextText(): void {
  if (used === BYTES) {
    randomFillSync(random)
    used = 0
  }
  text = random.toString('hex', used, used + TEXT_BYTES)
  used += TEXT_BYTES
  at = 0
}

export const TRACE_DIGITS = 32
export const SPAN_DIGITS = 16
