import { closeSync, constants, openSync, write, writeSync } from 'node:fs'

/** Limit of buffered bytes while the disk is slow or full. */
const MAX_WAITING = 1024 * 1024
/** Milliseconds until the next attempt after a failed write. */
const RETRY = 250
/** Bytes of the memory that is used again for each chunk of lines. */
const REUSED = 128 * 1024
/** Bytes of a UTF-16 code unit in UTF-8, at most. */
const MAX_UNIT = 3

/**
 * A file of lines that several threads may append to. Writes run in the thread pool: a slow disk delays no request. What can not
 * be written is buffered up to a limit, and retried.
 */
export class LogFile {
  readonly #path: string
  #descriptor: number
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #isWriting = false
  #mustReopen = false
  #timer: NodeJS.Timeout | null = null
  #idle: (() => void) | null = null
  #reused: Buffer | null = null
  #isReusedWaiting = false
  /** Failed writes. */
  failed = 0
  #error: Error | null = null
  readonly #onExit = (): void => this.#writeRest()

  /** Throws where the file can not be opened. */
  constructor(path: string) {
    this.#path = path
    this.#descriptor = open(path)
    process.on('exit', this.#onExit)
  }

  /** The last failure, until a write succeeds. */
  get error(): Error | null {
    return this.#error
  }

  /** Bytes of lines that are accepted now. */
  get room(): number {
    return MAX_WAITING - this.#waitingBytes
  }

  /**
   * The bytes of lines for `writeLines`, which must be the next call. They are in the same memory each time, unless its last
   * chunk is not yet written: new memory for each chunk costs as much as formatting its lines.
   */
  encode(lines: string): Uint8Array {
    if (this.#isReusedWaiting || lines.length * MAX_UNIT > REUSED) return Buffer.from(lines)
    this.#reused ??= Buffer.allocUnsafeSlow(REUSED)
    this.#isReusedWaiting = true
    return this.#reused.subarray(0, this.#reused.write(lines))
  }

  /** Writes whole lines with their line ends. */
  writeLines(bytes: Uint8Array): void {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (!this.#isWriting && this.#timer === null) this.#drain()
  }

  /** Opens the file again, after another process has renamed it. */
  reopen(): void {
    this.#mustReopen = true
    if (!this.#isWriting) this.#swap()
  }

  /** Resolves when all lines are written, or the last attempt failed. */
  async close(): Promise<void> {
    if (this.#isWriting) await new Promise<void>((resolve) => (this.#idle = resolve))
    process.off('exit', this.#onExit)
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#writeRest()
    closeSync(this.#descriptor)
  }

  #drain(): void {
    const [first] = this.#waiting
    if (first === undefined) {
      this.#idle?.()
      return
    }
    this.#isWriting = true
    write(this.#descriptor, first, (error, written) => {
      this.#isWriting = false
      this.#error = error
      if (this.#mustReopen) this.#swap()
      if (error !== null) {
        this.failed++
        this.#retryLater()
        return
      }
      this.#waitingBytes -= written
      if (written === first.length) this.#remove(first)
      else this.#waiting[0] = first.subarray(written)
      this.#drain()
    })
  }

  #remove(first: Uint8Array): void {
    this.#waiting.shift()
    if (first.buffer === this.#reused?.buffer) this.#isReusedWaiting = false
  }

  /** A new file that can not be opened: the lines go to the old one, and the next reload tries again. */
  #swap(): void {
    this.#mustReopen = false
    try {
      const descriptor = open(this.#path)
      closeSync(this.#descriptor)
      this.#descriptor = descriptor
    } catch (error) {
      this.failed++
      this.#error = error as Error
    }
  }

  #retryLater(): void {
    this.#idle?.()
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#drain()
    }, RETRY).unref()
  }

  #writeRest(): void {
    // The chunk of a write in flight is written by the thread pool.
    const rest = this.#isWriting ? this.#waiting.slice(1) : this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    try {
      for (const bytes of rest) writeSync(this.#descriptor, bytes)
    } catch (error) {
      this.failed++
      this.#error = error as Error
    }
  }
}

/** Not blocking for a FIFO without a reader, which fails. */
function open(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o640)
}
