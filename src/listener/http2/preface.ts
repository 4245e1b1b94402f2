/** First bytes of a client of HTTP/2 (RFC 9113 section 3.4). */
export const PREFACE: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

/** How many bytes of the preface have arrived when `chunk` follows `matched` of them; -1 for other bytes. */
export function matchPreface(chunk: Buffer, matched: number): number {
  const end = Math.min(PREFACE.length, matched + chunk.length)
  return chunk.compare(PREFACE, matched, end, 0, end - matched) === 0 ? end : -1
}
