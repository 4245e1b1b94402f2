import { close, constants, mkdirSync, openSync, writeSync } from 'node:fs'
import type { RecordGroup } from '../batch/record-batch.ts'
import type { QueueClock } from '../delivery/queue-bounds.ts'
import { type JournalTarget, journalPath } from './journal-file.ts'
import { type JournalGate, MAX_WRITE_TIME } from './journal-gate.ts'
import { JournalGroups } from './journal-group.ts'

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants

interface JournalWriterInput {
  /** One queue at least. */
  readonly targets: readonly JournalTarget[]
  /** Number of the service in this process. */
  readonly service: number
  readonly gate: JournalGate
  readonly clock: Pick<QueueClock, 'monotonic'>
  /** Journals are paused. */
  readonly onFault: (message: string) => void
}

/**
 * Keeps the records of one service of a unit from their request until the writer has stored or delivered them: they survive the
 * process, since the system has them, but not a failure of the system, since they are not synchronised to the disk. Each batch has
 * a file of its own, which the writer removes. Written without a thread in between: a write to the memory of the system costs a few
 * microseconds.
 */
export class JournalWriter {
  readonly #input: JournalWriterInput
  readonly #groups = new JournalGroups()
  #files: number[] = []
  /** Files of batches that have ended while journals were paused. */
  readonly #unclosed: number[] = []
  #batch = 1

  constructor(input: JournalWriterInput) {
    this.#input = input
  }

  /** Whether groups are written; not for some time after a fault, also of another unit. */
  get isActive(): boolean {
    return this.#input.gate.isOpen
  }

  /** Never throws. */
  append(group: RecordGroup): void {
    const { gate } = this.#input
    const entry = gate.enter()
    if (entry === 'late') this.#fault(`the write of another unit took longer than ${MAX_WRITE_TIME} ms`)
    if (entry !== 'entered') return
    const problem = this.#write(group)
    gate.leave()
    if (problem !== null) this.#fault(problem)
  }

  /** The records so far are a batch: returns its number, or null where none of them is in a journal. */
  endBatch(): number | null {
    if (this.#files.length === 0) return null
    this.#close()
    return this.#batch++
  }

  /** What is wrong with the disk; null for nothing. */
  #write(group: RecordGroup): string | null {
    const { clock } = this.#input
    const started = clock.monotonic()
    try {
      if (this.#files.length === 0) this.#open()
      const bytes = this.#groups.encode(group)
      for (const file of this.#files) writeAll(file, bytes)
    } catch (error) {
      return (error as Error).message
    }
    const time = clock.monotonic() - started
    return time > MAX_WRITE_TIME ? `a write took ${Math.round(time)} ms` : null
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

  /**
   * Not by the thread of the traffic: on some file systems it takes as long as a write. Nor by the pool while the disk may hang: each unit
   * would take threads of it, by which names of servers are looked up too.
   */
  #close(): void {
    this.#unclosed.push(...this.#files)
    this.#files = []
    if (!this.isActive) return
    // What was written is kept, whatever it returns.
    for (const file of this.#unclosed.splice(0)) close(file, () => {})
  }

  /** The files keep what they have: the writer removes them with their batch. */
  #fault(problem: string): void {
    this.#input.gate.pause()
    this.#input.onFault(problem)
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
