import type { Socket } from 'node:net'

const PREFIXES = [Buffer.from('HTTP/1.1 100'), Buffer.from('HTTP/1.0 100')]
const HEAD_END = Buffer.from('\r\n\r\n')
const MAX_HEAD_BYTES = 8_192
const MAX_HEADS = 32
const FIRST_DIGIT = 9
const ONE = 0x31

/**
 * Takes `100 Continue` out of what a connection receives before a response. Servers send it unasked, and a client may
 * ignore it (RFC 9110 section 15.2); undici breaks the connection instead. It reads by `read()`, which is where this sits.
 */
export class UnaskedContinue {
  #heads = 0
  #held: Buffer | null = null
  #looking = false

  /** A request is written: what comes next on the connection begins with the head of a response. */
  expectHead(): void {
    this.#heads = 0
    this.#held = null
    this.#looking = true
  }

  attach(socket: Socket): void {
    const read = socket.read.bind(socket)
    this.#held = null
    socket.read = (size?: number) => {
      for (;;) {
        const chunk: Buffer | null = read(size)
        if (chunk === null || !this.#looking) return chunk
        const rest = this.#withoutContinue(this.#held === null ? chunk : Buffer.concat([this.#held, chunk]))
        if (rest !== null) return rest
      }
    }
  }

  /** What is left for the parser; null while there is nothing for it yet. */
  #withoutContinue(received: Buffer): Buffer | null {
    let bytes = received
    while (this.#heads < MAX_HEADS && mayBeContinue(bytes)) {
      const end = bytes.indexOf(HEAD_END)
      if (end < 0 && bytes.length < MAX_HEAD_BYTES) {
        this.#held = bytes
        return null
      }
      if (end < 0) break
      this.#heads++
      bytes = bytes.subarray(end + HEAD_END.length)
    }
    this.#held = null
    if (bytes.length === 0) return null
    this.#looking = false
    return bytes
  }
}

function mayBeContinue(bytes: Buffer): boolean {
  // `HTTP/1.1 1`: nothing but a 1xx has a 1 here, and most responses are something else.
  if (bytes.length > FIRST_DIGIT && bytes[FIRST_DIGIT] !== ONE) return false
  const length = Math.min(bytes.length, PREFIXES[0]!.length)
  return length > 0 && PREFIXES.some((prefix) => prefix.compare(bytes, 0, length, 0, length) === 0)
}
