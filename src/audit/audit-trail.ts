import { setTimeout as wait } from 'node:timers/promises'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import { eventLine, MAX_LINE_BYTES } from './event.ts'
import { EVENTS } from './log-events.ts'

/** Destination of lines, such as a file. Rejects when it can not write. */
interface LineSink {
  append(lines: string): Promise<void>
}

/** What became of events so far. */
export interface TrailCounts {
  readonly written: number
  /** Writes that failed; the events in them are tried again. */
  readonly failures: number
  /** Events that found no room to wait, or are too large. */
  readonly lost: number
  readonly waiting: number
}

/** How a trail differs from the usual. */
export interface TrailLimits {
  /** How much may wait for a disk that takes nothing. */
  readonly maxWaitingBytes?: number
  /** Milliseconds until events that could not be written are tried again by themselves. */
  readonly retryAfter?: number
  /** Milliseconds that the cause of an event waits for an unresponsive disk. */
  readonly patience?: number
}

const MAX_WAITING_BYTES = 8 * 1024 * 1024
const MAX_BATCH = 256 * 1024

/**
 * An append-only trail of events of one topic. Events are written in the order in which they came, several at once where
 * they come faster than the disk takes them. A failing disk blocks no request: events are queued, up to a bound.
 */
export class AuditTrail {
  readonly #keeper: LineSink
  readonly #logger: Logger
  readonly #maxWaitingBytes: number
  readonly #retryAfter: number
  readonly #patience: number
  readonly #waiting: string[] = []
  #waitingBytes = 0
  readonly #counts = { written: 0, failures: 0, lost: 0 }
  /** The round of writing that runs, and the one that follows it and takes what comes meanwhile. */
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null
  #retry: NodeJS.Timeout | null = null
  #outage: { loss: boolean } | null = null

  constructor(keeper: LineSink, logger: Logger, limits: TrailLimits = {}) {
    this.#keeper = keeper
    this.#logger = logger
    this.#maxWaitingBytes = limits.maxWaitingBytes ?? MAX_WAITING_BYTES
    this.#retryAfter = limits.retryAfter ?? 5_000
    this.#patience = limits.patience ?? 2_000
  }

  get counts(): TrailCounts {
    return { ...this.#counts, waiting: this.#waiting.length }
  }

  /** Adds an event. Resolves when it is on the disk, or when it is known that this has to wait; never rejects. */
  async append(event: JsonObject): Promise<void> {
    const line = eventLine(event)
    const bytes = Buffer.byteLength(line)
    if (bytes > MAX_LINE_BYTES) return this.#lose('an audit event is too large and was not written')
    if (this.#waitingBytes + bytes > this.#maxWaitingBytes) {
      this.#lose('audit events are lost: too many wait to be written')
    } else {
      this.#waiting.push(line)
      this.#waitingBytes += bytes
    }
    await this.#flushInTime()
  }

  /** Writes what waits, if the disk takes it. */
  flush(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = null
      this.#running = this.#writeAll()
      return this.#running
    })
    return this.#next
  }

  /** Writes what waits, and tries no more by itself. */
  async close(): Promise<void> {
    await this.#flushInTime()
    if (this.#retry !== null) clearTimeout(this.#retry)
    if (this.#waiting.length > 0) {
      this.#logger.error({ events: this.#waiting.length }, EVENTS.EVENTS_LOST)
    }
  }

  /** A disk that does not answer is not waited for. */
  async #flushInTime(): Promise<void> {
    const patience = new AbortController()
    const late = wait(this.#patience, undefined, { signal: patience.signal }).catch(() => {})
    await Promise.race([this.flush(), late])
    patience.abort()
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#batch()
        const text = batch.join('')
        await this.#keeper.append(text)
        this.#waiting.splice(0, batch.length)
        this.#waitingBytes -= Buffer.byteLength(text)
        this.#counts.written += batch.length
      }
      if (this.#outage !== null) this.#logger.info('audit events are written again')
      this.#outage = null
    } catch (error) {
      this.#counts.failures++
      if (this.#outage === null) {
        this.#outage = { loss: false }
        const { code } = error as NodeJS.ErrnoException
        this.#logger.error({ error, errno: code }, EVENTS.WRITE_FAILED)
      }
      this.#tryLater()
    }
  }

  #batch(): readonly string[] {
    let length = 0
    const end = this.#waiting.findIndex((line) => {
      length += line.length
      return length > MAX_BATCH
    })
    return end === -1 ? [...this.#waiting] : this.#waiting.slice(0, Math.max(end, 1))
  }

  #tryLater(): void {
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.flush(), this.#retryAfter).unref()
  }

  /** Counts a loss, and logs the first of an outage. */
  #lose(message: string): void {
    this.#counts.lost++
    if (this.#outage?.loss) return
    if (this.#outage !== null) this.#outage.loss = true
    this.#logger.error(EVENTS.QUEUE_FULL.withMessage(message))
  }
}
