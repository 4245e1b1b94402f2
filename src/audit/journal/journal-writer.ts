import { closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs'
import type { AuditGroup } from '#contracts'
import type { Clock } from '#schema'
import { type JournalTarget, journalPath } from './journal-file.ts'
import { JournalGroups } from './journal-group.ts'

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants
/** Milliseconds of one write after which a disk is too slow to be written to by the thread of the traffic. */
const MAX_WRITE_TIME = 250
/** Milliseconds without journal after a fault. */
const PAUSE = 10_000

interface JournalWriterInput {
  /** One handler at least. */
  readonly targets: readonly JournalTarget[]
  /** Number of the service in this process. */
  readonly service: number
  readonly clock: Pick<Clock, 'monotonic'>
  /** Called for the first of several faults. */
  readonly onFault: (message: string) => void
}

/**
 * Keeps the events of one service of a unit from their request until the writer has stored or delivered them: they survive the
 * process, since the system has them, but not a failure of the system, since they are not synchronised to the disk. Each batch has
 * a file of its own, which the writer removes. Written without a thread in between: a write to the memory of the system costs a few
 * microseconds.
 */
export class JournalWriter {
  readonly #input: JournalWriterInput
  readonly #groups = new JournalGroups()
  #files: number[] = []
  #batch = 1
  #pausedUntil = Number.NEGATIVE_INFINITY
  #isFaulty = false

  constructor(input: JournalWriterInput) {
    this.#input = input
  }

  /** Whether groups are written; not for some time after a fault. */
  get isActive(): boolean {
    return this.#pausedUntil === Number.NEGATIVE_INFINITY || this.#input.clock.monotonic() >= this.#pausedUntil
  }

  /** Never throws. */
  append(group: AuditGroup): void {
    if (!this.isActive) return
    const { clock } = this.#input
    const started = clock.monotonic()
    try {
      if (this.#files.length === 0) this.#open()
      const bytes = this.#groups.encode(group)
      for (const file of this.#files) writeAll(file, bytes)
    } catch (error) {
      this.#fault((error as Error).message)
      return
    }
    const time = clock.monotonic() - started
    if (time > MAX_WRITE_TIME) this.#fault(`a write took ${Math.round(time)} ms`)
    else this.#isFaulty = false
  }

  /** The events so far are a batch: returns its number, or null where none of them is in a journal. */
  endBatch(): number | null {
    if (this.#files.length === 0) return null
    this.#close()
    return this.#batch++
  }

  #open(): void {
    for (const target of this.#input.targets) {
      mkdirSync(target.directory, { recursive: true, mode: 0o700 })
      const path = journalPath(target, this.#input.service, this.#batch)
      const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
      this.#files.push(file)
      const { formats, format, topics } = target
      writeAll(file, Buffer.from(`${JSON.stringify({ formats, format, topics })}\n`))
    }
  }

  #close(): void {
    for (const file of this.#files) {
      try {
        closeSync(file)
      } catch {
        // What was written is kept.
      }
    }
    this.#files = []
  }

  /** The files keep what they have: the writer removes them with their batch. */
  #fault(message: string): void {
    this.#pausedUntil = this.#input.clock.monotonic() + PAUSE
    if (!this.#isFaulty) this.#input.onFault(message)
    this.#isFaulty = true
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
