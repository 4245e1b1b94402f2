// Frames of AMQP 1.0 (part 2.3) are checked before the library reads them: it trusts sizes and counts of the peer.

/** Largest frame that is announced to the peer, and accepted. */
export const MAX_FRAME_SIZE = 64 * 1024

const HEADER_SIZE = 8
const MAX_DEPTH = 16
/** Elements of an array whose type takes no bytes. */
const MAX_EMPTY_ELEMENTS = 256

/** The peer sent bytes that are not AMQP 1.0, or beyond the bounds. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** Splits a stream of bytes into protocol headers and frames, each complete and with sound counts. */
export class AmqpFrames {
  #pending: Buffer = Buffer.alloc(0);

  /** Headers and frames that are complete with these bytes. Throws FrameError. */
  *read(chunk: Buffer): Generator<Buffer> {
    let bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    for (let size = sizeOf(bytes); size !== null && bytes.length >= size; size = sizeOf(bytes)) {
      const frame = bytes.subarray(0, size)
      if (!isHeader(frame)) checkFrame(frame)
      yield frame
      bytes = bytes.subarray(size)
    }
    // A copy, so that the chunk is not kept; it is shorter than a frame.
    this.#pending = Buffer.from(bytes)
  }
}

function isHeader(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'AMQP'
}

/** The size of the header or frame at the start; null for too few bytes. */
function sizeOf(bytes: Buffer): number | null {
  if (bytes.length < 4) return null
  if (isHeader(bytes)) return HEADER_SIZE
  const size = bytes.readUInt32BE(0)
  if (size >= HEADER_SIZE && size <= MAX_FRAME_SIZE) return size
  const start = bytes
    .subarray(0, 16)
    .toString('latin1')
    .replace(/[^ -~]/g, '.')
  throw new FrameError(`the peer does not speak AMQP 1.0: a frame of ${size} bytes, which begins with "${start}"`)
}

/** Walks the performative of a frame. */
function checkFrame(frame: Buffer): void {
  const body = 4 * (frame[4] as number)
  if (body < HEADER_SIZE || body > frame.length) throw new FrameError(`a frame whose body begins at ${body}`)
  if (body < frame.length) checkValue(frame, body, 0)
}

/** The position after a value. */
function checkValue(bytes: Buffer, at: number, depth: number): number {
  if (depth > MAX_DEPTH) throw new FrameError(`values nested deeper than ${MAX_DEPTH}`)
  const code = byteAt(bytes, at)
  // A described value: descriptor, then the value.
  if (code === 0) return checkValue(bytes, checkValue(bytes, at + 1, depth + 1), depth + 1)
  return checkContent(bytes, at + 1, code, depth)
}

/** The position after the content of a value with this type (part 1.2). */
function checkContent(bytes: Buffer, at: number, code: number, depth: number): number {
  const category = code >> 4
  if (category >= 0x4 && category <= 0x9) return within(bytes, at + (category === 0x4 ? 0 : 1 << (category - 0x5)))
  const width = category % 2 === 0 ? 1 : 4
  if (category < 0xa) throw new FrameError(`a value of the unknown type 0x${code.toString(16)}`)
  const start = at + width
  const end = within(bytes, start + uintAt(bytes, at, width))
  if (category <= 0xb) return end
  const count = uintAt(bytes, start, width)
  const elements = start + width
  if (category <= 0xd) checkElements(bytes, elements, end, count, depth)
  else checkArray(bytes, elements, end, count, depth)
  return end
}

/** Elements of a list or map: each takes at least one byte. */
function checkElements(bytes: Buffer, start: number, end: number, count: number, depth: number): void {
  if (count > end - start) throw new FrameError(`${count} elements in ${end - start} bytes`)
  let at = start
  for (let index = 0; index < count; index++) at = checkValue(bytes, at, depth + 1)
  if (at > end) throw new FrameError('elements beyond the end of their list')
}

/** Elements of an array have one type, which may take no bytes. */
function checkArray(bytes: Buffer, start: number, end: number, count: number, depth: number): void {
  let at = start
  while (byteAt(bytes, at) === 0) at = checkValue(bytes, at + 1, depth + 1)
  const code = byteAt(bytes, at)
  at += 1
  if (count > Math.max(MAX_EMPTY_ELEMENTS, end - at)) throw new FrameError(`${count} elements in ${end - at} bytes`)
  for (let index = 0; index < count; index++) at = checkContent(bytes, at, code, depth + 1)
  if (at > end) throw new FrameError('elements beyond the end of their array')
}

function byteAt(bytes: Buffer, at: number): number {
  within(bytes, at + 1)
  return bytes[at] as number
}

function uintAt(bytes: Buffer, at: number, width: number): number {
  within(bytes, at + width)
  return width === 1 ? (bytes[at] as number) : bytes.readUInt32BE(at)
}

function within(bytes: Buffer, end: number): number {
  if (end > bytes.length) throw new FrameError('a frame ends within a value')
  return end
}
