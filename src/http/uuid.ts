import { randomFillSync } from 'node:crypto'

const COUNT = 256
const BYTES = 16
const DASH = 0x2d
const DIGITS = Buffer.from('0123456789abcdef')

/** Codes of the two hexadecimal digits of each byte. */
const high = Uint8Array.from({ length: 256 }, (_, byte) => DIGITS[byte >> 4]!)
const low = Uint8Array.from({ length: 256 }, (_, byte) => DIGITS[byte & 0x0f]!)

/** Random bytes of many ids: one by one they cost several times as much. */
const random = new Uint8Array(COUNT * BYTES)
let used = random.length

/** A random UUID (RFC 9562, version 4). */
export function uuid(): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  const at = used
  used += BYTES
  random[at + 6] = 0x40 | (random[at + 6]! & 0x0f)
  random[at + 8] = 0x80 | (random[at + 8]! & 0x3f)
  return textOf(random, at)
}

/** One call with all codes: loops over texts or memory, and decoding that memory, take twice as long. */
// biome-ignore format: a line for each group.
function textOf(r: Uint8Array, at: number): string {
  const [h, l] = [high, low]
  return String.fromCharCode(
    h[r[at]!]!, l[r[at]!]!, h[r[at + 1]!]!, l[r[at + 1]!]!, h[r[at + 2]!]!, l[r[at + 2]!]!, h[r[at + 3]!]!, l[r[at + 3]!]!, DASH,
    h[r[at + 4]!]!, l[r[at + 4]!]!, h[r[at + 5]!]!, l[r[at + 5]!]!, DASH,
    h[r[at + 6]!]!, l[r[at + 6]!]!, h[r[at + 7]!]!, l[r[at + 7]!]!, DASH,
    h[r[at + 8]!]!, l[r[at + 8]!]!, h[r[at + 9]!]!, l[r[at + 9]!]!, DASH,
    h[r[at + 10]!]!, l[r[at + 10]!]!, h[r[at + 11]!]!, l[r[at + 11]!]!, h[r[at + 12]!]!, l[r[at + 12]!]!,
    h[r[at + 13]!]!, l[r[at + 13]!]!, h[r[at + 14]!]!, l[r[at + 14]!]!, h[r[at + 15]!]!, l[r[at + 15]!]!,
  )
}
