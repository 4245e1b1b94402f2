// Java's modified UTF-8 (java.io.DataInput): each UTF-16 unit is encoded alone, and U+0000 takes two bytes.

/** Units whose encoding differs from UTF-8. */
const DIFFERS = /[\0\ud800-\udfff]/

/** The length of a text in bytes. */
export function modifiedUtf8Length(text: string): number {
  if (!DIFFERS.test(text)) return Buffer.byteLength(text)
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    length += unit >= 0x80 ? (unit >= 0x800 ? 3 : 2) : unit === 0 ? 2 : 1
  }
  return length
}

/** Bytes of a UTF-16 unit, at most. */
export const MAX_UNIT_BYTES = 3

/** Writes a text at a position of a buffer that has room for it, and returns its length in bytes. */
export function writeModifiedUtf8(text: string, buffer: Buffer, position: number): number {
  const written = buffer.write(text, position)
  // Of ASCII, whose units are bytes, only U+0000 differs.
  const differs = written === text.length ? text.includes('\0') : DIFFERS.test(text)
  return differs ? writeUnits(text, buffer, position) : written
}

function writeUnits(text: string, buffer: Buffer, position: number): number {
  let at = position
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit !== 0 && unit < 0x80) {
      buffer[at++] = unit
    } else if (unit < 0x800) {
      buffer[at++] = 0xc0 | (unit >> 6)
      buffer[at++] = 0x80 | (unit & 0x3f)
    } else {
      buffer[at++] = 0xe0 | (unit >> 12)
      buffer[at++] = 0x80 | ((unit >> 6) & 0x3f)
      buffer[at++] = 0x80 | (unit & 0x3f)
    }
  }
  return at - position
}

/** Reads a text; invalid sequences become U+FFFD. */
export function readModifiedUtf8(bytes: Buffer): string {
  let text = ''
  let from = 0
  // Runs of plain UTF-8 are decoded at once; the two exceptions begin with C0 (U+0000) and ED (surrogates).
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at]
    if (lead !== 0xc0 && lead !== 0xed) continue
    text += bytes.toString('utf8', from, at)
    const second = (bytes[at + 1] ?? 0) & 0x3f
    if (lead === 0xc0) {
      text += '\0'
      from = at + 2
    } else {
      text += String.fromCharCode(0xd000 | (second << 6) | ((bytes[at + 2] ?? 0) & 0x3f))
      from = at + 3
    }
    at = from - 1
  }
  return text + bytes.toString('utf8', from)
}
