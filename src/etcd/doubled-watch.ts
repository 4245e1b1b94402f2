import type { Endpoints } from './endpoints.ts'
import type { EtcdError } from './etcd-error.ts'
import type { WatchListener } from './watch.ts'

/** Milliseconds before a failed watch is replaced while the other one goes on. */
const REPLACE_AFTER = 1_000

/** Opens one of the watches. */
interface DoubledOptions {
  open(origin: string, from: bigint, listener: WatchListener): Disposable
  readonly random: () => number
}

/**
 * The same watch at two members. A member that is frozen or cut off keeps its connections, and is silent until a check fails;
 * the other one delivers meanwhile. The first delivery of a revision counts.
 */
export class DoubledWatch implements Disposable {
  readonly #endpoints: Endpoints
  readonly #listener: WatchListener
  readonly #options: DoubledOptions
  /** By the endpoint. */
  readonly #watches = new Map<string, Disposable>()
  #delivered: bigint
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(endpoints: Endpoints, from: bigint, listener: WatchListener, options: DoubledOptions) {
    this.#endpoints = endpoints
    this.#delivered = from - 1n
    this.#listener = listener
    this.#options = options
    for (const origin of endpoints.inOrder().slice(0, 2)) this.#open(origin)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    for (const watch of this.#watches.values()) watch[Symbol.dispose]()
    this.#watches.clear()
  }

  #open(origin: string): void {
    const watch = this.#options.open(origin, this.#delivered + 1n, {
      events: (events, revision) => {
        const news = events.filter(({ item }) => item.modRevision > this.#delivered)
        if (this.#isOver || news.length === 0) return
        this.#delivered = revision
        // What has changed is read there: the member responds.
        this.#endpoints.answered(origin)
        this.#listener.events(news, revision)
      },
      progress: (revision) => this.#listener.progress(revision),
      ended: (error) => this.#ended(origin, error),
    })
    this.#watches.set(origin, watch)
  }

  #ended(origin: string, error: EtcdError): void {
    this.#watches.delete(origin)
    if (this.#isOver) return
    if (error.kind !== 'unavailable' || this.#watches.size === 0) {
      this[Symbol.dispose]()
      this.#listener.ended(error)
      return
    }
    this.#timer = setTimeout(() => this.#replace(), REPLACE_AFTER * (0.5 + this.#options.random() / 2)).unref()
  }

  #replace(): void {
    const origin = this.#endpoints.inOrder().find((each) => !this.#watches.has(each))
    if (!this.#isOver && origin !== undefined) this.#open(origin)
  }
}
