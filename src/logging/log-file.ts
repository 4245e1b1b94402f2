import { closeSync, constants, openSync, statSync, write, writeSync } from 'node:fs'
import { LineQueue } from './line-queue.ts'

/** Limit of buffered bytes while the disk is slow or full, and of one turn of the event loop, in which no write ends. */
const MAX_WAITING = 8 * 1024 * 1024
/** Milliseconds until the next attempt after a failed write. */
const RETRY = 250
/** The same for a FIFO that is full. */
const FULL_RETRY = 25
/** Longest time for which a close waits for the reader of a full FIFO, in milliseconds. */
const FLUSH_LIMIT = 1_000
/** Bytes of the memory that is used again for each chunk of lines. */
const REUSED = 128 * 1024
/** Bytes of a UTF-16 code unit in UTF-8, at most. */
const MAX_UNIT = 3

const NO_READER = 'the file is a FIFO, and no process reads it'

/** What happens to the lines of a file. */
interface LogFileEvents {
  /** An attempt failed; its lines stay buffered for the next one. */
  failed(error: Error): void
  /** All lines are written. */
  drained(): void
  /** So many lines were given up, as the file was closed. */
  lost(lines: number): void
  /** The file could not be opened again: lines go to the one that is open. */
  notReopened(error: Error): void
}

/**
 * A file of lines that several threads may append to. Writes run in the thread pool: a slow disk delays no request. What can not
 * be written is buffered up to a limit, and retried.
 */
export class LogFile {
  readonly #path: string
  readonly #events: LogFileEvents
  readonly #queue = new LineQueue()
  /** Null for a FIFO that had no reader so far. */
  #descriptor: number | null
  /** What the thread pool writes. */
  #inFlight: Buffer | null = null
  #mustReopen = false
  #timer: NodeJS.Timeout | null = null
  /** Whether the last write found a full FIFO. */
  #isFull = false
  /** Called after each write. */
  #attempted: (() => void) | null = null
  #reused: Buffer | null = null
  #isReusedWaiting = false
  /** Failed attempts. */
  failed = 0

  /** Throws where the file can not be opened; a FIFO without a reader is opened when it has one. */
  constructor(path: string, events: LogFileEvents) {
    this.#path = path
    this.#events = events
    this.#descriptor = openLogFile(path)
    if (this.#descriptor === null) this.#openLater(new Error(NO_READER))
  }

  /** Bytes of lines that are accepted now. */
  get room(): number {
    return MAX_WAITING - this.#queue.bytes
  }

  /**
   * The bytes of lines for `writeLines`, which must be the next call. They are in the same memory each time, unless lines are
   * not yet written: new memory for each chunk costs as much as formatting its lines.
   */
  encode(lines: string): Buffer {
    if (this.#isReusedWaiting || lines.length * MAX_UNIT > REUSED) return Buffer.from(lines)
    this.#reused ??= Buffer.allocUnsafeSlow(REUSED)
    this.#isReusedWaiting = true
    return this.#reused.subarray(0, this.#reused.write(lines))
  }

  /** Writes whole lines with their line ends. */
  writeLines(bytes: Buffer): void {
    this.#queue.add(bytes)
    if (this.#inFlight === null && this.#timer === null) this.#drain()
  }

  /** Opens the file again, after another process has renamed it. */
  reopen(): void {
    this.#mustReopen = true
    if (this.#inFlight === null) this.#swap()
  }

  /** Resolves when all lines are written, or given up after a last attempt. */
  async close(): Promise<void> {
    const end = performance.now() + FLUSH_LIMIT
    while (this.#inFlight !== null || (this.#isFull && performance.now() < end)) {
      this.#timer?.ref()
      await new Promise<void>((resolve) => (this.#attempted = resolve))
    }
    this.writeRest()
    if (this.#descriptor !== null) closeSync(this.#descriptor)
  }

  /** The same at once, for the end of the process. */
  writeRest(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    // The thread pool ends its write without this thread.
    if (this.#inFlight !== null) this.#queue.written(this.#inFlight, this.#inFlight.length)
    this.#inFlight = null
    try {
      while (this.#descriptor !== null && !this.#queue.isEmpty) {
        const chunk = this.#queue.next()
        this.#queue.written(chunk, writeSync(this.#descriptor, chunk))
      }
    } catch (error) {
      this.#fail(error as Error)
    }
    this.#giveUp()
  }

  #drain(): void {
    if (this.#descriptor === null || this.#queue.isEmpty) return
    const chunk = this.#queue.next()
    this.#inFlight = chunk
    write(this.#descriptor, chunk, (error, count) => {
      this.#inFlight = null
      if (error === null) this.#queue.written(chunk, count)
      if (this.#mustReopen) this.#swap()
      this.#isFull = error?.code === 'EAGAIN'
      if (this.#isFull) this.#retryLater(FULL_RETRY)
      else if (error !== null) {
        this.#fail(error)
        this.#retryLater(RETRY)
      } else if (this.#queue.isEmpty) {
        this.#isReusedWaiting = false
        this.#events.drained()
      } else this.#drain()
      this.#attempted?.()
    })
  }

  /** Opens a FIFO when it has a reader. */
  #openLater(problem: Error): void {
    this.#fail(problem)
    this.#timer = setTimeout(() => {
      this.#timer = null
      try {
        this.#descriptor ??= openLogFile(this.#path)
      } catch (error) {
        this.#openLater(error as Error)
        return
      }
      if (this.#descriptor === null) this.#openLater(problem)
      else if (this.#queue.isEmpty) this.#events.drained()
      else this.#drain()
    }, RETRY).unref()
  }

  #fail(error: Error): void {
    this.failed++
    this.#events.failed(error)
  }

  #retryLater(pause: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#drain()
    }, pause).unref()
  }

  /** A new file that can not be opened: the lines go to the old one, and the next reload tries again. */
  #swap(): void {
    this.#mustReopen = false
    try {
      const descriptor = openLogFile(this.#path)
      if (descriptor === null) {
        if (this.#descriptor === null) return
        throw new Error(NO_READER)
      }
      if (this.#descriptor !== null) closeSync(this.#descriptor)
      this.#descriptor = descriptor
    } catch (error) {
      this.failed++
      this.#events.notReopened(error as Error)
    }
  }

  #giveUp(): void {
    const whole = this.#queue.drop()
    // What is left is the rest of a line that was begun.
    const lines = this.#queue.isEmpty ? whole : whole + 1
    if (lines > 0) this.#events.lost(lines)
  }
}

/** Creates the file where it is missing. Null for a FIFO without a reader: a blocking call would wait for one. */
export function openLogFile(path: string): number | null {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants
  try {
    return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o640)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO' && statSync(path).isFIFO()) return null
    throw error
  }
}
