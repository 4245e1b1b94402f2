import type { RequestWatch, WatchedRequests } from '#contracts'
import type { UnitLink } from '../../units/unit-link.ts'
import type { EventStream } from './event-stream.ts'

/** Milliseconds between reports of skipped requests, and between renewals of watches, also for restarted units. */
const TICK = 1_000

interface OpenWatch extends RequestWatch {
  readonly stream: EventStream
  /** Events of this second. */
  taken: number
  skipped: number
}

/** Watches on the requests of all units, each with its event stream. */
export class LiveRequests {
  readonly #units: () => readonly UnitLink[]
  readonly #watches = new Map<number, OpenWatch>()
  #ids = 0
  #timer: NodeJS.Timeout | null = null

  constructor(units: () => readonly UnitLink[]) {
    this.#units = units
  }

  /** Sends requests to a stream until it ends. */
  open(stream: EventStream, { filter, rate }: Omit<RequestWatch, 'id'>): void {
    const id = ++this.#ids
    this.#watches.set(id, { id, filter, rate, stream, taken: 0, skipped: 0 })
    stream.onEnd(() => {
      this.#watches.delete(id)
      this.#renew()
    })
    this.#timer ??= setInterval(() => this.#tick(), TICK).unref()
    this.#renew()
  }

  /** Requests of one unit. */
  received(batches: readonly WatchedRequests[]): void {
    for (const { watch: id, events, skipped } of batches) {
      const watch = this.#watches.get(id)
      if (watch === undefined) continue
      const admitted = events.slice(0, watch.rate - watch.taken)
      const sent = watch.stream.sendAll(admitted.map((event) => JSON.stringify(event))) ? admitted.length : 0
      watch.taken += sent
      watch.skipped += skipped + events.length - sent
    }
  }

  #tick(): void {
    for (const watch of this.#watches.values()) {
      watch.taken = 0
      if (watch.skipped > 0 && watch.stream.send(JSON.stringify({ skipped: watch.skipped }))) watch.skipped = 0
    }
    this.#renew()
    if (this.#watches.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  #renew(): void {
    const watches = [...this.#watches.values()].map(({ id, filter, rate }): RequestWatch => ({ id, filter, rate }))
    for (const unit of this.#units()) if (unit.state === 'ready') unit.remote.watchRequests(watches)
  }
}
