import { crc32 } from 'node:zlib'
import type { AuditRecord } from './transport.ts'

const NEWLINE = 0x0a
const CHECKSUM_DIGITS = 8

/** A part of a segment file. */
export interface SpoolChunk {
  /** Null for each line with a wrong checksum. */
  readonly lines: readonly (AuditRecord | null)[]
  /** Bytes of the whole lines. */
  readonly bytes: number
}

/** A line of a segment: CRC-32 in hexadecimal digits, then `[time,topic,id,text]`. JSON has no line end inside. */
export function spoolLine({ time, topic, id, text }: AuditRecord): string {
  const json = JSON.stringify([time, topic, id, text])
  return `${crc32(json).toString(16).padStart(CHECKSUM_DIGITS, '0')} ${json}\n`
}

/** Reads whole lines, at most `limit`; a line without its end is left. */
export function readSpoolLines(content: Buffer, limit: number): SpoolChunk {
  const lines: (AuditRecord | null)[] = []
  let start = 0
  while (lines.length < limit) {
    const end = content.indexOf(NEWLINE, start)
    if (end === -1) break
    lines.push(recordIn(content.subarray(start, end)))
    start = end + 1
  }
  return { lines, bytes: start }
}

function recordIn(line: Buffer): AuditRecord | null {
  const json = line.subarray(CHECKSUM_DIGITS + 1)
  const checksum = line.toString('latin1', 0, CHECKSUM_DIGITS + 1)
  if (checksum !== `${crc32(json).toString(16).padStart(CHECKSUM_DIGITS, '0')} `) return null
  try {
    const [time, topic, id, text] = JSON.parse(json.toString('utf8')) as [number, string, string, string]
    return { time, topic, id, text }
  } catch {
    return null
  }
}
