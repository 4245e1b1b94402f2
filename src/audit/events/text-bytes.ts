/** In place of a position, where a text could not be written: passed on by all functions that write, so that a line is checked once. */
export const NOT_WRITTEN = -1

/** Characters of one text; a longer one is not written. */
export const MAX_TEXT = 2_048
const MAX_INT32 = 2 ** 31 - 1
const DIGIT_0 = 0x30
/**
 * Longer texts are encoded by a call of native code. In a running gateway its code is usually in no cache: it costs as much as to copy so
 * many characters.
 */
const MAX_SHORT = 64

/** Writes ASCII at a position; returns the position after it. */
export function writeBytes(memory: Buffer, at: number, bytes: Uint8Array): number {
  if (at < 0) return NOT_WRITTEN
  memory.set(bytes, at)
  return at + bytes.length
}

/** Writes a text of ASCII. */
export function writeAscii(memory: Buffer, at: number, text: string): number {
  if (at < 0 || text.length > MAX_TEXT) return NOT_WRITTEN
  return memory.write(text, at) === text.length ? at + text.length : NOT_WRITTEN
}

/** Writes a text of printable ASCII that JSON does not escape. */
export function writePlain(memory: Buffer, at: number, text: string): number {
  const { length } = text
  if (length > MAX_SHORT) return writeLongPlain(memory, at, text)
  if (at < 0) return NOT_WRITTEN
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index)
    if (!isPlain(code)) return NOT_WRITTEN
    memory[at + index] = code
  }
  return at + length
}

function writeLongPlain(memory: Buffer, at: number, text: string): number {
  const end = writeAscii(memory, at, text)
  for (let each = at; each < end; each++) if (!isPlain(memory[each]!)) return NOT_WRITTEN
  return end
}

/** Printable ASCII that JSON does not escape. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code <= 0x7e && code !== 0x22 && code !== 0x5c
}

/** Writes an integer that is not negative. */
export function writeDecimal(memory: Buffer, at: number, value: number): number {
  if (at < 0 || !(Number.isSafeInteger(value) && value >= 0)) return NOT_WRITTEN
  if (value > MAX_INT32) return writeAscii(memory, at, String(value))
  let digits = 1
  for (let left = value | 0; left >= 10; left = (left / 10) | 0) digits++
  writeDigits(memory, at + digits - 1, digits, value)
  return at + digits
}

/**
 * Writes so many digits, with leading zeros, of the integer part of a number from 0 to 2^31 - 1: the last one at a position, the others
 * before it.
 */
export function writeDigits(memory: Uint8Array, last: number, digits: number, value: number): void {
  // Integer arithmetic is faster than that of numbers.
  let rest = value | 0
  for (let at = last; at > last - digits; at--) {
    const tenth = (rest / 10) | 0
    memory[at] = DIGIT_0 + rest - 10 * tenth
    rest = tenth
  }
}
