import { rm } from 'node:fs/promises'
import type { HandlerDelivery } from './handler-delivery.ts'

/** Milliseconds between two checks. */
const INTERVAL = 250

/** Journals of one batch of events. */
interface BatchJournals {
  readonly paths: readonly string[]
  /** Of the handlers of the journals. */
  readonly safety: readonly ReturnType<HandlerDelivery['safety']>[]
}

/** Removes the journals of units when their events are delivered or stored. Those of lost events are for the next process. */
export class JournalRemoval {
  #waiting: BatchJournals[] = []
  #timer: NodeJS.Timeout | null = null

  add(journals: BatchJournals): void {
    this.#waiting.push(journals)
    this.#schedule()
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    await this.#remove()
    this.#waiting = []
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#check(), INTERVAL).unref()
  }

  async #check(): Promise<void> {
    await this.#remove()
    this.#timer = null
    if (this.#waiting.length > 0) this.#schedule()
  }

  async #remove(): Promise<void> {
    const waiting: BatchJournals[] = []
    const safe: BatchJournals[] = []
    for (const journals of this.#waiting) {
      const states = journals.safety.map((state) => state())
      if (states.includes('waiting')) waiting.push(journals)
      else if (!states.includes('lost')) safe.push(journals)
    }
    this.#waiting = waiting
    // A journal that can not be removed is read by the next process: its events are repeated, with the same ids.
    for (const { paths } of safe) await Promise.all(paths.map((path) => rm(path, { force: true }).catch(() => {})))
  }
}
