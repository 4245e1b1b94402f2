import { reasonPhrase } from '#http'
import { CR, Http1SyntaxError, LF, SP, TEXT_OCTETS, unexpectedByte, ZERO } from '#http1'

const PREFIX = Buffer.from('HTTP/1.')
const VERSION_AT = 7
const STATUS_AT = 9
const REASON_AT = 12
const MAX_STATUS_LINE_BYTES = 8_192

/** Phase after the fixed part of the line. */
const IN_REASON = 1
const AT_LF = 2

/**
 * Incremental scanner of a status line (RFC 9112 section 4): `HTTP/1.0` or `HTTP/1.1`, one space, three digits from 100,
 * then CR LF, or a space and the reason phrase before it. An octet is rejected as soon as it is received.
 */
export class StatusLine {
  status = 0
  minor: 0 | 1 = 1
  /** As received, in Latin-1. */
  reason = ''
  /** Scanned bytes of the line. */
  length = 0
  #phase = 0

  begin(): void {
    this.status = 0
    this.reason = ''
    this.length = 0
    this.#phase = 0
  }

  /** Scans `chunk` from `from` on; returns the position after the line, or -1 where it is not complete. */
  scan(chunk: Buffer, from: number, base: number): number {
    let i = this.length < REASON_AT ? this.#scanFixedPart(chunk, from, base) : from
    if (i === chunk.length) return -1
    if (this.length === REASON_AT && this.#phase === 0) {
      if (chunk[i] !== SP && chunk[i] !== CR) throw unexpectedByte('status line', 'a space or CR', chunk[i]!, base + i)
      if (chunk[i] === SP) {
        i++
        this.length++
      }
      this.#phase = IN_REASON
    }
    if (this.#phase === IN_REASON) {
      i = this.#scanReason(chunk, i, base)
      if (i < 0) return -1
    }
    if (i === chunk.length) return -1
    if (chunk[i] !== LF) throw unexpectedByte('status line', 'LF after CR', chunk[i]!, base + i)
    this.length++
    return i + 1
  }

  #scanFixedPart(chunk: Buffer, from: number, base: number): number {
    let { length } = this
    let i = from
    for (; i < chunk.length && length < REASON_AT; i++, length++) {
      const octet = chunk[i]!
      if (length < VERSION_AT) {
        if (octet !== PREFIX[length]) throw notHttp(octet, base + i, length)
      } else if (length === VERSION_AT) {
        if (octet !== ZERO && octet !== ZERO + 1) throw notHttp(octet, base + i, length)
        this.minor = octet === ZERO ? 0 : 1
      } else if (length < STATUS_AT) {
        if (octet !== SP) throw unexpectedByte('status line', 'one space after the version', octet, base + i)
      } else {
        // The first digit is not zero: a status is at least 100.
        if (octet > ZERO + 9 || octet < (length === STATUS_AT ? ZERO + 1 : ZERO))
          throw unexpectedByte('status line', 'a status from 100 to 999', octet, base + i)
        this.status = this.status * 10 + octet - ZERO
      }
    }
    this.length = length
    return i
  }

  /** Returns the position after the CR, or -1 where it is not in the chunk. */
  #scanReason(chunk: Buffer, from: number, base: number): number {
    // The CR LF is part of the line.
    const limit = Math.min(chunk.length, from + MAX_STATUS_LINE_BYTES - 2 - this.length)
    let i = from
    while (i < limit && TEXT_OCTETS[chunk[i]!] === 1) i++
    const text = reasonText(chunk, from, i, this.status)
    this.reason = this.reason === '' ? text : this.reason + text
    this.length += i - from
    if (i === chunk.length) return -1
    if (chunk[i] !== CR) {
      if (TEXT_OCTETS[chunk[i]!] === 1)
        throw new Http1SyntaxError('status line', `at most ${MAX_STATUS_LINE_BYTES} bytes`, 'more', base + i)
      throw unexpectedByte('status line', 'a reason phrase and CR LF', chunk[i]!, base + i)
    }
    this.length++
    this.#phase = AT_LF
    return i + 1
  }
}

/** The usual phrase of a status is not allocated again. */
function reasonText(chunk: Buffer, from: number, end: number, status: number): string {
  if (from === end) return ''
  const usual = reasonPhrase(status)
  if (usual.length !== end - from) return chunk.toString('latin1', from, end)
  for (let i = 0; i < usual.length; i++) {
    if (usual.charCodeAt(i) !== chunk[from + i]) return chunk.toString('latin1', from, end)
  }
  return usual
}

const TLS_ALERT = 0x15

function notHttp(octet: number, offset: number, index: number): Http1SyntaxError {
  if (index === 0 && octet === TLS_ALERT)
    return new Http1SyntaxError('status line', 'HTTP/1.0 or HTTP/1.1', 'an alert of TLS', offset)
  return unexpectedByte('status line', 'HTTP/1.0 or HTTP/1.1', octet, offset)
}
