import { rm } from 'node:fs/promises'
import type { HandlerDelivery } from './handler-delivery.ts'

/** Milliseconds between two checks. */
const INTERVAL = 250
/** Bytes of journals whose events wait in memory, as when the destination and the spool fail; the oldest of more are removed. */
const MAX_BYTES = 64 * 1024 * 1024

/** Journals of one batch of events. */
interface BatchJournals {
  readonly paths: readonly string[]
  /** Of the batch, about. */
  readonly bytes: number
  /** Of the handlers of the journals. */
  readonly safety: readonly ReturnType<HandlerDelivery['safety']>[]
}

/** Removes the journals of units when their events are delivered or stored. Those of lost events are for the next process. */
export class JournalRemoval {
  #waiting: BatchJournals[] = []
  #timer: NodeJS.Timeout | null = null
  #checking: Promise<void> = Promise.resolve()
  #bytes = 0

  add(journals: BatchJournals): void {
    this.#waiting.push(journals)
    this.#bytes += journals.bytes
    this.#schedule()
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    await this.#checking
    await this.#remove()
    this.#waiting = []
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#checking = this.#check()
    }, INTERVAL).unref()
  }

  async #check(): Promise<void> {
    await this.#remove()
    this.#timer = null
    if (this.#waiting.length > 0) this.#schedule()
  }

  async #remove(): Promise<void> {
    const waiting: BatchJournals[] = []
    const removed: BatchJournals[] = []
    for (const journals of this.#waiting) {
      const states = journals.safety.map((state) => state())
      const isWaiting = states.includes('waiting')
      if (isWaiting && this.#bytes <= MAX_BYTES) {
        waiting.push(journals)
        continue
      }
      this.#bytes -= journals.bytes
      if (isWaiting || !states.includes('lost')) removed.push(journals)
    }
    this.#waiting = waiting
    // A journal that can not be removed is read by the next process: its events are repeated, with the same ids.
    for (const { paths } of removed) await Promise.all(paths.map((path) => rm(path, { force: true }).catch(() => {})))
  }
}
