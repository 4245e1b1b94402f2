import { write, writeSync } from 'node:fs'
import type { LogDestination } from './destination.ts'
import { LineQueue } from './line-queue.ts'
import { openOutput } from './output-descriptor.ts'
import type { OutputLock } from './output-lock.ts'

/** Limit of buffered bytes while the reader is slow or the disk full; log lines beyond it are lost. */
export const MAX_WAITING = 1024 * 1024
/** Milliseconds until the next attempt: short for a reader that keeps up, longer for one that does not read. */
const SHORTEST_RETRY = 1
const LONGEST_RETRY = 25
/** The same after a failure: a full disk or a closed reader lasts. */
const FAILURE_RETRY = 250
/** Milliseconds without a written byte after which sent lines are returned to their sender. */
const STALL_LIMIT = 2_000
/** Longest delay of the exit of the process for buffered lines, in milliseconds. */
const FLUSH_LIMIT = 1_000

/** Failure counts of this thread's log. */
export interface LogFailures {
  /** Failed writes; their lines stay buffered for the next attempt. */
  readonly failed: number
  /** Lost lines. */
  readonly lost: number
}

/** For whole lines, with their line ends. */
export interface LineOutput {
  /** Bytes that `writeLines` accepts now: lines of the log have half of the buffer for themselves. */
  readonly room: number
  /** Called when all buffered lines are written. */
  onDrained: () => void
  writeLines(bytes: Uint8Array): void
  /**
   * Resolves when the descriptor has accepted all bytes, in the order of the calls; they take no room. Rejects with
   * `LinesNotWritten` where a write fails, nothing is read for a while, or the signal aborts: what is not begun is not written then.
   */
  send(bytes: Uint8Array, signal: AbortSignal): Promise<void>
}

/**
 * Standard output of one thread. It never blocks: pipes, sockets and terminals are written to in non-blocking mode, files
 * by the thread pool. Lines that can not be written are buffered up to a limit, and retried.
 */
export class StandardOutput implements LogDestination, LogFailures, LineOutput {
  failed = 0
  lost = 0
  /** Called with the number of lost lines when output can be written again. */
  onRecovery: (lost: number) => void = () => {}
  onDrained: () => void = () => {}
  readonly #lock: OutputLock
  readonly #output = openOutput()
  readonly #queue = new LineQueue()
  #reported = 0
  /** Calls of `send` that have no outcome. */
  #senders = 0
  #progressAt = 0
  #timer: NodeJS.Timeout | null = null
  #retry = SHORTEST_RETRY
  /** What the thread pool writes. */
  #inFlight: Buffer | null = null
  #isFlushing = false

  constructor(lock: OutputLock) {
    this.#lock = lock
    process.on('exit', () => this.#flush())
  }

  write(line: string): void {
    if (this.#queue.bytes + Buffer.byteLength(line) > MAX_WAITING) this.lost++
    else this.#add(Buffer.from(line))
  }

  get room(): number {
    const { bytes } = this.#queue
    return bytes === 0 ? MAX_WAITING : Math.max(0, MAX_WAITING / 2 - bytes)
  }

  writeLines(bytes: Uint8Array): void {
    this.#add(bufferOf(bytes))
  }

  async send(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const withdraw = () => this.#withdrawAborted()
    signal.addEventListener('abort', withdraw)
    this.#senders++
    try {
      const sent = this.#queue.send(bufferOf(bytes), signal)
      if (signal.aborted) withdraw()
      this.#start()
      await sent
    } finally {
      this.#senders--
      signal.removeEventListener('abort', withdraw)
    }
  }

  /** Another thread has ended: terminates its partially written line. */
  threadEnded(thread: number): void {
    if (!this.#lock.inherit(thread)) return
    this.#queue.endLine()
    this.#start()
  }

  #add(bytes: Buffer): void {
    this.#queue.add(bytes)
    this.#start()
  }

  #start(): void {
    if (this.#timer === null && this.#inFlight === null && !this.#isFlushing) this.#drain()
  }

  #drain(): void {
    if (this.#output.blocks) {
      this.#writeByPool()
      return
    }
    while (!this.#queue.isEmpty) {
      if (this.#writeNow()) continue
      this.#retryLater()
      return
    }
    this.#drained()
  }

  /** One system call; false where the rest has to wait. */
  #writeNow(): boolean {
    if (!this.#lock.acquire()) return false
    const chunk = this.#queue.next()
    try {
      const count = writeSync(this.#output.descriptor, chunk)
      this.#written(chunk, count)
      // What takes less is full now: another call would fail, and an exception costs as much as to write some hundred lines.
      return count === chunk.length
    } catch (error) {
      this.#fail(error as NodeJS.ErrnoException)
      return false
    } finally {
      // The lock is held within a line, so that no other thread writes into it.
      if (!this.#queue.isMidLine) this.#lock.release()
    }
  }

  /**
   * Writes to disks may block, so that the thread pool does them. Those of threads are not interleaved, and none waits for
   * another, unless a full disk has torn a line: then nothing is written before its rest.
   */
  #writeByPool(): void {
    if (this.#queue.isEmpty) return
    if (!this.#lock.isFree) {
      this.#retryLater()
      return
    }
    const chunk = this.#queue.next()
    this.#inFlight = chunk
    write(this.#output.descriptor, chunk, (error, count) => {
      this.#inFlight = null
      if (error === null) this.#written(chunk, count)
      else this.#fail(error)
      if (this.#queue.isMidLine) this.#lock.acquire()
      else this.#lock.release()
      this.#withdrawAborted()
      if (error !== null) this.#retryLater()
      else if (this.#queue.isEmpty) this.#drained()
      else this.#writeByPool()
    })
  }

  #written(chunk: Buffer, count: number): void {
    this.#queue.written(chunk, count)
    this.#progressAt = performance.now()
    this.#retry = SHORTEST_RETRY
  }

  /** A full pipe is not a failure; a full disk or a closed reader is. */
  #fail(error: NodeJS.ErrnoException): void {
    if (error.code === 'EAGAIN') return
    this.failed++
    this.#retry = FAILURE_RETRY
    this.#queue.reject(error)
    if (error.code === 'EPIPE') this.lost += this.#queue.drop()
  }

  #retryLater(): void {
    // A closed reader has lost all lines: one about them would be lost as well, and so on.
    if (this.#queue.isEmpty) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#retry = Math.min(LONGEST_RETRY, this.#retry * 2)
      this.#drain()
      this.#rejectStalled()
    }, this.#retry).unref()
  }

  #withdrawAborted(): void {
    // Bytes that are being written are not withdrawn: they may end within a line.
    if (this.#inFlight !== null || this.#senders === 0) return
    this.#queue.reject(new Error('the write was aborted'), ({ signal }) => signal.aborted)
  }

  #rejectStalled(): void {
    const limit = performance.now() - STALL_LIMIT
    if (this.#inFlight !== null || this.#senders === 0 || this.#progressAt > limit) return
    const error = Object.assign(new Error('standard output is not read'), { code: 'ETIMEDOUT' })
    this.#queue.reject(error, ({ since }) => since <= limit)
  }

  #drained(): void {
    this.onDrained()
    if (this.lost === this.#reported) return
    const lost = this.lost - this.#reported
    this.#reported = this.lost
    this.onRecovery(lost)
  }

  /** Writes the buffered lines and the number of lost ones at the end of the thread, within a second. */
  #flush(): void {
    const end = performance.now() + FLUSH_LIMIT
    this.#isFlushing = true
    // The thread pool ends its write without this thread.
    if (this.#inFlight !== null) this.#written(this.#inFlight, this.#inFlight.length)
    this.#inFlight = null
    this.#writeUntil(end)
    if (this.#queue.isEmpty) this.#drained()
    this.#writeUntil(end)
    this.#isFlushing = false
  }

  #writeUntil(end: number): void {
    while (!this.#queue.isEmpty && performance.now() < end) {
      if (!this.#writeNow()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONGEST_RETRY)
    }
  }
}

/** The same memory. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}
