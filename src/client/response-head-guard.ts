import type { Socket } from 'node:net'
import { UpstreamError } from './upstream-error.ts'

const PREFIX = Buffer.from('HTTP/1.')
const HEAD_END = Buffer.from('\r\n\r\n')
const CRLF_LINES = /^(?:[^\r\n]*\r\n)+$/
const MAX_STATUS_LINE_BYTES = 8_192
const MAX_CONTINUES = 32
const CR = 0x0d
const LF = 0x0a
const SP = 0x20
const ZERO = 0x30
const ONE = 0x31
const NINE = 0x39

const INCOMPLETE = -1
const MALFORMED = -2

/** Observer of the first byte of a response. */
export interface FirstByteObserver {
  onResponseStarted(): void
}

/**
 * Checks status lines before undici's parser, which accepts other protocol versions and leading empty lines: an ambiguous
 * status line closes the connection. Unsolicited `100 Continue` responses are dropped (RFC 9110 section 15.2), since undici
 * closes the connection for them. It wraps `read()` of the socket; after the final head the cost is one flag check.
 */
export class ResponseHeadGuard {
  readonly #maxHeadBytes: number
  #continues = 0
  #partial: Buffer | null = null
  #awaiting: FirstByteObserver | null = null
  #isInHead = false

  constructor(maxHeadBytes: number) {
    this.#maxHeadBytes = maxHeadBytes
  }

  /** Called when a request is written: the next bytes are a response head. */
  expectHead(observer: FirstByteObserver): void {
    this.#continues = 0
    this.#partial = null
    this.#awaiting = observer
    this.#isInHead = true
  }

  attach(socket: Socket): void {
    const read = socket.read.bind(socket)
    this.#partial = null
    socket.read = (size?: number) => {
      for (;;) {
        const chunk: Buffer | null = read(size)
        if (chunk === null || !this.#isInHead) return chunk
        this.#awaiting?.onResponseStarted()
        this.#awaiting = null
        try {
          const bytes = this.#checked(this.#partial === null ? chunk : Buffer.concat([this.#partial, chunk]))
          if (bytes !== null) return bytes
        } catch (error) {
          this.#partial = null
          socket.destroy(error as Error)
          return null
        }
      }
    }
  }

  /** The bytes for the parser; null without any. */
  #checked(received: Buffer): Buffer | null {
    const passed: Buffer[] = []
    let rest = received
    this.#partial = null
    while (rest.length > 0) {
      const status = statusOf(rest)
      if (status === MALFORMED) throw malformed('status line: expected "HTTP/1.1 <three digits> <reason>"')
      if (status >= 200 || status === 101) {
        this.#isInHead = false
        passed.push(rest)
        break
      }
      const end = status === INCOMPLETE ? -1 : rest.indexOf(HEAD_END)
      if (end < 0) {
        if (rest.length > this.#maxHeadBytes) throw malformed('informational response: expected an end of its head')
        this.#partial = rest
        break
      }
      const head = rest.subarray(0, end + HEAD_END.length)
      if (status === 100) this.#dropContinue(head)
      else passed.push(head)
      rest = rest.subarray(head.length)
    }
    if (passed.length < 2) return passed[0] ?? null
    return Buffer.concat(passed)
  }

  /** The parser never sees dropped heads: ambiguous line ends are detected here. */
  #dropContinue(head: Buffer): void {
    if (++this.#continues > MAX_CONTINUES) throw malformed('100 Continue: expected an end of them')
    if (!CRLF_LINES.test(head.toString('latin1'))) throw malformed('100 Continue: expected lines that end in CR LF')
  }
}

/** The status of a status line (RFC 9112 section 4), also without the space before an empty reason phrase. */
function statusOf(bytes: Buffer): number {
  const { length } = bytes
  for (let i = 0; i < PREFIX.length && i < length; i++) if (bytes[i] !== PREFIX[i]) return MALFORMED
  if (length > 7 && bytes[7] !== ZERO && bytes[7] !== ONE) return MALFORMED
  if (length > 8 && bytes[8] !== SP) return MALFORMED
  let status = 0
  for (let i = 9; i < 12 && i < length; i++) {
    if (bytes[i]! < ZERO || bytes[i]! > NINE) return MALFORMED
    status = status * 10 + bytes[i]! - ZERO
  }
  if (length <= 12) return INCOMPLETE
  if (status < 100 || (bytes[12] !== SP && bytes[12] !== CR)) return MALFORMED
  const bound = Math.min(length, MAX_STATUS_LINE_BYTES)
  let end = 12
  while (end < bound && bytes[end] !== CR && bytes[end] !== LF) end++
  if (end === MAX_STATUS_LINE_BYTES || bytes[end] === LF) return MALFORMED
  if (end + 1 >= length) return INCOMPLETE
  return bytes[end + 1] === LF ? status : MALFORMED
}

function malformed(problem: string): UpstreamError {
  return new UpstreamError('GW_UPSTREAM_PROTOCOL', new Error(problem))
}
