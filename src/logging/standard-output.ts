import { constants, fstatSync, openSync, readFileSync, write, writeSync } from 'node:fs'
import { isMainThread, threadId } from 'node:worker_threads'
import type { LogDestination } from './destination.ts'
import { OutputLock } from './output-lock.ts'

const STANDARD_OUTPUT = 1

/** Limit of buffered bytes while the reader is slow or the disk full; lines beyond it are lost. */
const MAX_WAITING = 1024 * 1024
/** Maximum bytes of one system call. */
const MAX_CHUNK = 64 * 1024
/** Milliseconds until the next attempt: short for a reader that keeps up, longer for one that does not read. */
const SHORTEST_RETRY = 1
const LONGEST_RETRY = 25
/** Longest delay of the exit of the process for buffered lines, in milliseconds. */
const FLUSH_LIMIT = 1_000

/** Failure counts of this thread's log. */
interface LogFailures {
  /** Failed writes; their lines stay buffered for the next attempt. */
  readonly failed: number
  /** Lost lines. */
  readonly lost: number
}

/** For lines that can be repeated later, unlike those of the log: they leave half of the buffer to it. */
interface LineOutput {
  /** Bytes of lines that are accepted now. */
  readonly room: number
  /** Writes whole lines with their line ends. */
  writeLines(bytes: Uint8Array): void
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
  readonly #lock: OutputLock
  readonly #descriptor: number
  readonly #isFile: boolean
  /** Buffered lines with their line ends, one or more each; the first may be the rest of a partially written one. */
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #reported = 0
  #timer: NodeJS.Timeout | null = null
  #retry = SHORTEST_RETRY
  #isWriting = false
  #isFlushing = false
  #isMidLine = false

  constructor(lock: OutputLock) {
    this.#lock = lock
    const { descriptor, isFile } = openOutput()
    this.#descriptor = descriptor
    this.#isFile = isFile
    process.on('exit', () => this.flush())
  }

  write(line: string): void {
    if (this.#waitingBytes + Buffer.byteLength(line) > MAX_WAITING) this.lost++
    else this.#add(Buffer.from(line))
  }

  get room(): number {
    return this.#waitingBytes === 0 ? MAX_WAITING : Math.max(0, MAX_WAITING / 2 - this.#waitingBytes)
  }

  writeLines({ buffer, byteOffset, length }: Uint8Array): void {
    this.#add(Buffer.from(buffer, byteOffset, length))
  }

  #add(bytes: Buffer): void {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#timer === null && !this.#isWriting && !this.#isFlushing) this.#drain()
  }

  /** Writes the buffered lines and the number of lost ones, within a second. */
  flush(): void {
    const end = performance.now() + FLUSH_LIMIT
    this.#isFlushing = true
    this.#writeUntil(end)
    if (this.#waiting.length === 0) this.#reportLost()
    this.#writeUntil(end)
    this.#isFlushing = false
  }

  #writeUntil(end: number): void {
    while (this.#waiting.length > 0 && performance.now() < end) {
      if (!this.#writeNow()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONGEST_RETRY)
    }
  }

  /** Another thread has ended: terminates its partially written line. */
  threadEnded(thread: number): void {
    if (!this.#lock.inherit(thread)) return
    this.#waiting.unshift(Buffer.from('\n'))
    this.#waitingBytes++
    if (this.#timer === null) this.#drain()
  }

  #drain(): void {
    if (this.#isFile) {
      this.#writeByPool()
      return
    }
    while (this.#waiting.length > 0) {
      if (this.#writeNow()) continue
      this.#retryLater()
      return
    }
    this.#reportLost()
  }

  /** One system call; false where nothing could be written. */
  #writeNow(): boolean {
    if (!this.#lock.acquire()) return false
    const chunk = this.#chunk()
    try {
      const written = writeSync(this.#descriptor, chunk)
      this.#remove(written)
      this.#isMidLine = chunk[written - 1] !== LINE_END
      return true
    } catch (error) {
      this.#countFailure(error as NodeJS.ErrnoException)
      return false
    } finally {
      // The lock is held within a line, so that no other thread writes into it.
      if (!this.#isMidLine) this.#lock.release()
    }
  }

  /** Writes to disks may block, so that the thread pool does them. Writes to a file are not interleaved. */
  #writeByPool(): void {
    if (this.#waiting.length === 0) {
      this.#reportLost()
      return
    }
    this.#isWriting = true
    const chunk = this.#chunk()
    this.#remove(chunk.length)
    write(this.#descriptor, chunk, (error, written) => {
      this.#isWriting = false
      const left = chunk.subarray(error === null ? written : 0)
      if (left.length > 0) this.#waiting.unshift(left)
      this.#waitingBytes += left.length
      if (error === null) {
        this.#writeByPool()
        return
      }
      this.#countFailure(error)
      this.#retryLater()
    })
  }

  /** The lines of the next system call. */
  #chunk(): Buffer {
    let bytes = 0
    let lines = 0
    for (const line of this.#waiting) {
      if (lines > 0 && bytes + line.length > MAX_CHUNK) break
      bytes += line.length
      lines++
    }
    return lines === 1 ? (this.#waiting[0] as Buffer) : Buffer.concat(this.#waiting.slice(0, lines), bytes)
  }

  #remove(bytes: number): void {
    this.#waitingBytes -= bytes
    let left = bytes
    let lines = 0
    while (lines < this.#waiting.length && (this.#waiting[lines] as Buffer).length <= left) {
      left -= (this.#waiting[lines] as Buffer).length
      lines++
    }
    this.#waiting = lines === this.#waiting.length ? [] : this.#waiting.slice(lines)
    if (left > 0) this.#waiting[0] = (this.#waiting[0] as Buffer).subarray(left)
  }

  /** A full pipe is not a failure; a full disk or a closed reader is. */
  #countFailure({ code }: NodeJS.ErrnoException): void {
    if (code === 'EAGAIN') return
    this.failed++
    if (code !== 'EPIPE') return
    this.lost += linesIn(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#isMidLine = false
  }

  #retryLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      const before = this.#waitingBytes
      this.#drain()
      this.#retry = this.#waitingBytes < before ? SHORTEST_RETRY : Math.min(LONGEST_RETRY, this.#retry * 2)
    }, this.#retry).unref()
  }

  #reportLost(): void {
    if (this.lost === this.#reported) return
    const lost = this.lost - this.#reported
    this.#reported = this.lost
    this.onRecovery(lost)
  }
}

const LINE_END = 0x0a

function linesIn(buffers: readonly Buffer[]): number {
  let lines = 0
  for (const buffer of buffers) for (const byte of buffer) if (byte === LINE_END) lines++
  return lines
}

let output: (LogDestination & LogFailures & LineOutput) | null = null
let lock: OutputLock | null = null

/** The output of this thread. */
export function standardOutput(): LogDestination & LogFailures & LineOutput {
  output ??= new StandardOutput(outputLock())
  return output
}

/** Redirects the log lines of this thread. */
export function replaceStandardOutput(destination: LogDestination): void {
  output = {
    failed: 0,
    lost: 0,
    room: MAX_WAITING,
    write: (line) => destination.write(line),
    writeLines: (bytes) => {
      for (const line of Buffer.from(bytes)
        .toString()
        .split(/(?<=\n)/))
        destination.write(line)
    },
  }
}

/** Memory of the output lock of this process; other writing threads are started with it. */
export function sharedOutput(): SharedArrayBuffer {
  return outputLock().memory
}

/** Must be called first by a thread whose parent writes to the same output. */
export function joinOutput(memory: SharedArrayBuffer): void {
  lock = new OutputLock(threadId + 1, memory)
}

/** A thread of this process has ended, by its `threadId`. */
export function outputThreadEnded(thread: number): void {
  if (output instanceof StandardOutput) output.threadEnded(thread + 1)
}

function outputLock(): OutputLock {
  lock ??= new OutputLock(threadId + 1)
  return lock
}

/** A non-blocking descriptor, if the system provides one. */
function openOutput(): { descriptor: number; isFile: boolean } {
  // Node sets pipes and sockets to non-blocking, for all threads, when it opens its own stream on them.
  if (isMainThread) void process.stdout
  if (isRegularFile(STANDARD_OUTPUT)) return { descriptor: STANDARD_OUTPUT, isFile: true }
  if (isNonBlocking(STANDARD_OUTPUT)) return { descriptor: STANDARD_OUTPUT, isFile: false }
  try {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK
    return { descriptor: openSync(`/proc/self/fd/${STANDARD_OUTPUT}`, flags), isFile: false }
  } catch {
    return { descriptor: STANDARD_OUTPUT, isFile: true }
  }
}

function isRegularFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile()
  } catch {
    return false
  }
}

function isNonBlocking(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & constants.O_NONBLOCK) !== 0
  } catch {
    return false
  }
}
