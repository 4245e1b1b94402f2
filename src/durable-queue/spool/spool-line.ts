import { crc32 } from 'node:zlib'
import type { QueuedRecord } from '../delivery/transport.ts'

const NEWLINE = 0x0a
const SPACE = 0x20
const CHECKSUM_DIGITS = 8
/** The checksum and a space. */
const START = CHECKSUM_DIGITS + 1
/** Printable ASCII. */
const WORD = /^[!-~]+$/

/** A part of a segment file. */
export interface SpoolChunk {
  /** Null for each line with a wrong checksum. */
  readonly lines: readonly (QueuedRecord | null)[]
  /** Bytes of the whole lines. */
  readonly bytes: number
}

/** A line of a segment: CRC-32 in hexadecimal digits, then `[time,topic,id,text]`. JSON has no line end inside. */
export function spoolLine({ time, topic, id, text }: QueuedRecord): string {
  const json = JSON.stringify([time, topic, id, text])
  return `${checksumOf(json)} ${json}\n`
}

/** Bytes of a line in the other form, which takes encoded texts as they are: `time topic id text`. */
export function plainLineSize(record: QueuedRecord, encoded: Encoded): number {
  return START + headOf(record).length + encoded.idEnd - encoded.idStart + 1 + encoded.end - encoded.start + 1
}

type Encoded = NonNullable<QueuedRecord['encoded']>

/** Whether a record can be a plain line: one line of text, and no spaces in topic and id. */
export function isPlain({ topic }: QueuedRecord, { bytes, start, end, idStart, idEnd }: Encoded): boolean {
  if (bytes.indexOf(NEWLINE, start) !== end || !WORD.test(topic)) return false
  return idEnd > idStart && isWithout(SPACE, bytes, idStart, idEnd) && isWithout(NEWLINE, bytes, idStart, idEnd)
}

function isWithout(byte: number, bytes: Buffer, start: number, end: number): boolean {
  const at = bytes.indexOf(byte, start)
  return at === -1 || at >= end
}

/** Writes a plain line at a position of a buffer that has room for it, and returns the position after it. */
export function writePlainLine(buffer: Buffer, position: number, record: QueuedRecord, encoded: Encoded): number {
  const { bytes, start, end, idStart, idEnd } = encoded
  const from = position + START
  let at = from + buffer.write(headOf(record), from)
  at += bytes.copy(buffer, at, idStart, idEnd)
  buffer[at++] = SPACE
  at += bytes.copy(buffer, at, start, end)
  buffer.write(`${checksumOf(buffer.subarray(from, at))} `, position, 'latin1')
  buffer[at++] = NEWLINE
  return at
}

function headOf({ time, topic }: QueuedRecord): string {
  return `${time} ${topic} `
}

function checksumOf(data: string | Buffer): string {
  return crc32(data).toString(16).padStart(CHECKSUM_DIGITS, '0')
}

/** Reads whole lines, at most `limit`; a line without its end is left. */
export function readSpoolLines(content: Buffer, limit: number): SpoolChunk {
  const lines: (QueuedRecord | null)[] = []
  let start = 0
  while (lines.length < limit) {
    const end = content.indexOf(NEWLINE, start)
    if (end === -1) break
    lines.push(recordIn(content.subarray(start, end)))
    start = end + 1
  }
  return { lines, bytes: start }
}

function recordIn(line: Buffer): QueuedRecord | null {
  const content = line.subarray(START)
  const checksum = line.toString('latin1', 0, START)
  if (checksum !== `${checksumOf(content)} `) return null
  const text = content.toString('utf8')
  return text.startsWith('[') ? recordInJson(text) : recordInPlain(text)
}

function recordInJson(json: string): QueuedRecord | null {
  try {
    const [time, topic, id, text] = JSON.parse(json) as [number, string, string, string]
    return { time, topic, id, text }
  } catch {
    return null
  }
}

function recordInPlain(line: string): QueuedRecord | null {
  const afterTime = line.indexOf(' ')
  const afterTopic = line.indexOf(' ', afterTime + 1)
  const afterId = line.indexOf(' ', afterTopic + 1)
  if (afterTime === -1 || afterTopic === -1 || afterId === -1) return null
  return {
    time: Number(line.slice(0, afterTime)),
    topic: line.slice(afterTime + 1, afterTopic),
    id: line.slice(afterTopic + 1, afterId),
    text: line.slice(afterId + 1),
  }
}
