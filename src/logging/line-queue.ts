/** Maximum bytes of one system call, unless one piece has more. */
const MAX_CHUNK = 64 * 1024
const LINE_END = 0x0a
const NONE = Buffer.alloc(0)

/** Sent lines were not all written. */
export class LinesNotWritten extends Error {
  override readonly name = 'LinesNotWritten'
  readonly code: string | undefined
  /** Bytes of the first lines, which are not to be sent again: the rest of the last one is written before anything else. */
  readonly begun: number

  constructor(cause: unknown, begun: number) {
    const { message, code } = cause as NodeJS.ErrnoException
    super(message, { cause })
    this.code = code
    this.begun = begun
  }
}

/** Lines whose sender waits for their end. */
interface SentLines {
  readonly signal: AbortSignal
  /** Time of the call, in milliseconds. */
  readonly since: number
}

interface Waiting extends SentLines {
  readonly length: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** One or more lines with their line ends; the first piece may be the rest of a line. */
interface Piece {
  readonly bytes: Buffer
  /** Null for lines of the log, and the rest of a line whose sender does not wait any more. */
  readonly sent: Waiting | null
}

/** Lines that wait for an output, in order. The rest of a line that was begun is never removed: the line would be torn. */
export class LineQueue {
  /** Bytes that no sender waits for. */
  bytes = 0
  #pieces: Piece[] = []
  #isMidLine = false

  get isEmpty(): boolean {
    return this.#pieces.length === 0
  }

  /** Whether the last written byte is inside of a line. */
  get isMidLine(): boolean {
    return this.#isMidLine
  }

  add(bytes: Buffer): void {
    this.#pieces.push({ bytes, sent: null })
    this.bytes += bytes.length
  }

  /** The bytes are not copied. Without any, the result is that of all lines before. */
  send(bytes: Buffer, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sent = { signal, since: performance.now(), length: bytes.length, resolve, reject }
    this.#pieces.push({ bytes, sent })
    return promise
  }

  /** Ends a line that another thread has begun. */
  endLine(): void {
    this.#pieces.unshift({ bytes: Buffer.of(LINE_END), sent: null })
    this.bytes++
    this.#isMidLine = true
  }

  /** The bytes of the next system call. */
  next(): Buffer {
    const chunk: Buffer[] = []
    let length = 0
    for (const { bytes } of this.#pieces) {
      if (chunk.length > 0 && length + bytes.length > MAX_CHUNK) break
      chunk.push(bytes)
      length += bytes.length
    }
    return chunk.length === 1 ? (chunk[0] as Buffer) : Buffer.concat(chunk, length)
  }

  /** So many bytes of `next` were written. */
  written(chunk: Buffer, count: number): void {
    if (count > 0) this.#isMidLine = chunk[count - 1] !== LINE_END
    let left = count
    let whole = 0
    for (const { bytes, sent } of this.#pieces) {
      if (bytes.length > left) break
      left -= bytes.length
      whole++
      if (sent === null) this.bytes -= bytes.length
      else sent.resolve()
    }
    this.#pieces = this.#pieces.slice(whole)
    if (left === 0) return
    const { bytes, sent } = this.#pieces[0] as Piece
    if (sent === null) this.bytes -= left
    this.#pieces[0] = { bytes: bytes.subarray(left), sent }
  }

  /** Removes lines whose senders wait, and notifies these. */
  reject(cause: unknown, which: (sent: SentLines) => boolean = () => true): void {
    this.#keep(({ bytes, sent }, rest) => {
      if (sent === null || !which(sent)) return bytes
      sent.reject(new LinesNotWritten(cause, sent.length - bytes.length + rest.length))
      this.bytes += rest.length
      return rest
    })
  }

  /** Removes the lines that no sender waits for; returns their number. */
  drop(): number {
    let lines = 0
    this.#keep(({ bytes, sent }, rest) => {
      if (sent !== null) return bytes
      lines += linesIn(bytes.subarray(rest.length))
      this.bytes -= bytes.length - rest.length
      return rest
    })
    return lines
  }

  /** Reduces each piece to what `kept` returns: all of it, or the rest of a begun line that it has. */
  #keep(kept: (piece: Piece, rest: Buffer) => Buffer): void {
    const pieces: Piece[] = []
    for (const [at, piece] of this.#pieces.entries()) {
      const rest = at === 0 && this.#isMidLine ? restOfLine(piece.bytes) : NONE
      const bytes = kept(piece, rest)
      if (bytes === piece.bytes) pieces.push(piece)
      else if (bytes.length > 0) pieces.push({ bytes, sent: null })
    }
    this.#pieces = pieces
  }
}

function restOfLine(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.indexOf(LINE_END) + 1)
}

function linesIn(bytes: Buffer): number {
  let lines = 0
  for (const byte of bytes) if (byte === LINE_END) lines++
  return lines
}
