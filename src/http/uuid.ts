import { randomFillSync } from 'node:crypto'

const COUNT = 256
const BYTES = 16
const LENGTH = 36
const HEX = Buffer.from('0123456789abcdef')
const DASH = 0x2d

const random = new Uint8Array(COUNT * BYTES)
const texts = Buffer.alloc(COUNT * LENGTH, DASH)
let next = COUNT

/** A random UUID (RFC 9562, version 4). Made many at a time: most requests need two, and one by one they cost several times as much. */
export function uuid(): string {
  if (next === COUNT) fill()
  const at = LENGTH * next++
  return texts.toString('latin1', at, at + LENGTH)
}

function fill(): void {
  randomFillSync(random)
  for (let n = 0; n < COUNT; n++) writeText(n * BYTES, n * LENGTH)
  next = 0
}

function writeText(from: number, to: number): void {
  random[from + 6] = 0x40 | (random[from + 6]! & 0x0f)
  random[from + 8] = 0x80 | (random[from + 8]! & 0x3f)
  let at = to
  for (let n = 0; n < BYTES; n++) {
    if (n === 4 || n === 6 || n === 8 || n === 10) at++
    const byte = random[from + n]!
    texts[at++] = HEX[byte >> 4]!
    texts[at++] = HEX[byte & 0x0f]!
  }
}
