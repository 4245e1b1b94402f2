import type { Socket } from 'node:net'
import { boundedWait } from '#timing'

/** Characters of one message; a longer one ends the connection. */
const MAX_MESSAGE = 8 * 1024 * 1024

/** Bytes that wait for a peer which does not read; more end the connection. */
const MAX_UNSENT = 64 * 1024 * 1024

/** Milliseconds in which a peer reads what is sent; then it is not waited for until it has caught up. */
const FLUSH_LIMIT = 2_000

/** Messages of a channel over a socket, one JSON text on each line. */
export class SocketPort {
  readonly #socket: Socket
  #listener: (message: unknown) => void = () => {}
  /** Of the message that has begun. They are joined at its end: joined with each part, it would cost the square of its length. */
  #parts: string[] = []
  #length = 0
  /** When the peer was found to be behind. */
  #behindSince: number | null = null

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('utf8')
    socket.on('data', (text) => this.#receive(String(text)))
    // The close that follows says enough.
    socket.on('error', () => {})
    readToTheEnd(socket)
  }

  postMessage(message: unknown): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`)
    if (this.#socket.writableLength > MAX_UNSENT) this.#socket.destroy()
  }

  /**
   * Resolves when the system has all messages, so that the peer gets them whatever becomes of this process; null where it has, and where
   * the peer does not read.
   */
  get flushed(): Promise<unknown> | null {
    if (this.#socket.writableLength === 0) this.#behindSince = null
    else this.#behindSince ??= performance.now()
    const left = this.#behindSince === null ? 0 : this.#behindSince + FLUSH_LIMIT - performance.now()
    if (left <= 0) return null
    return boundedWait(new Promise((resolve) => this.#socket.write('', resolve)), left)
  }

  on(_event: 'message', listener: (message: unknown) => void): void {
    this.#listener = listener
  }

  #receive(text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const message = parsed(this.#parts.join('') + text.slice(from, end))
      this.#parts = []
      this.#length = 0
      from = end + 1
      if (!Array.isArray(message)) {
        this.#socket.destroy()
        return
      }
      this.#listener(message)
      if (this.#socket.destroyed) return
    }
    this.#parts.push(text.slice(from))
    this.#length += text.length - from
    if (this.#length > MAX_MESSAGE) this.#socket.destroy()
  }
}

/**
 * A write to a peer that has ended fails, and a socket drops what it has not read then. Without that failure it is closed by its end,
 * after all that the peer has sent.
 */
function readToTheEnd(socket: Socket): void {
  const { _write: write, _writev: writev } = socket
  socket._write = (chunk, encoding, done) => write.call(socket, chunk, encoding, () => done())
  socket._writev = (chunks, done) => writev?.call(socket, chunks, () => done())
}

/** Undefined where it is not JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
