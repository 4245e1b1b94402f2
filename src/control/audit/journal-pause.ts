import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HealthCheck } from '#contracts'
import { JOURNAL_MEMORY, JournalGate, MAX_WRITE_TIME } from '#durable-queue'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { EVENTS } from '../log-events.ts'

/** Milliseconds between a fault and the next attempt. */
const PAUSE = 10_000

/** As much as a journal gets at once under load. */
const PROBE = Buffer.alloc(64 * 1024)

interface JournalPauseInput {
  readonly logger: Logger
  readonly clock: Pick<Clock, 'monotonic'>
  /** Directories of the journals. */
  directories(): Iterable<string>
  readonly pause?: number
}

/**
 * The pause of all journals after a write that failed or was slow. It outlasts the units. The control thread tries the disk, without
 * blocking, before a unit writes to it again from the thread of its traffic.
 */
export class JournalPause {
  readonly memory = new SharedArrayBuffer(JOURNAL_MEMORY.bytes)
  readonly #input: JournalPauseInput
  readonly #gate = new JournalGate(this.memory, -1)
  #problem: string | null = null
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(input: JournalPauseInput) {
    this.#input = input
  }

  /** Null without a pause. */
  get check(): HealthCheck | null {
    const problem = this.#problem
    if (problem === null) return null
    return { name: 'audit.journal', ok: true, state: 'degraded', detail: `${problem}; responses are sent without it` }
  }

  /** A unit could not write in time. */
  begin(service: string, problem: string): void {
    this.#gate.pause()
    if (this.#problem === null)
      this.#input.logger.limited(service).error({ service, problem }, EVENTS.AUDIT_JOURNAL_FAILED)
    this.#problem = problem
    this.#schedule()
  }

  /** The unit of a service has ended, or was given up: it may have been writing. */
  ended(service: string, id: number): void {
    const gate = new JournalGate(this.memory, id)
    // It may also have ended before it could report why it paused them.
    if (gate.isWriting || (!gate.isOpen && this.#problem === null))
      this.begin(service, 'a unit ended while it was writing')
    gate.leave()
  }

  close(): void {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => void this.#attempt(), this.#input.pause ?? PAUSE).unref()
  }

  /** One at a time, however long the disk takes for it. */
  async #attempt(): Promise<void> {
    try {
      for (const directory of new Set(this.#input.directories())) await this.#probe(directory)
      this.#problem = null
      this.#gate.resume()
      this.#input.logger.info('units write the journals of audit events again')
    } catch (error) {
      this.#problem = (error as Error).message
    }
    this.#timer = null
    if (this.#problem !== null) this.#schedule()
  }

  async #probe(directory: string): Promise<void> {
    const { clock } = this.#input
    const path = join(directory, `${process.pid}.probe`)
    const started = clock.monotonic()
    await mkdir(directory, { recursive: true, mode: 0o700 })
    try {
      await using file = await open(path, 'w', 0o600)
      await file.writeFile(PROBE)
      const time = clock.monotonic() - started
      if (time > MAX_WRITE_TIME) throw new Error(`a write took ${Math.round(time)} ms`)
      // A disk that hangs may take what fits into the memory of the system.
      await file.datasync()
    } finally {
      await rm(path, { force: true })
    }
  }
}
