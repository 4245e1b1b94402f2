import { type FSWatcher, watch } from 'node:fs'
import type { Logger } from '#logging'
import { MAX_TIMER_DELAY } from '#schema'
import { EVENTS } from './log-events.ts'

/** Milliseconds within which changes are merged: editors write a file in several steps. */
const SETTLE_TIME = 100

/** Starts a scan when a folder changes, and at every interval. */
export class RouteWatcher implements Disposable {
  readonly #directory: string
  readonly #scan: () => Promise<void>
  readonly #logger: Logger
  readonly #interval: NodeJS.Timeout
  #watcher: FSWatcher | null = null
  #settling: NodeJS.Timeout | null = null

  constructor(directory: string, scanInterval: number, scan: () => Promise<void>, logger: Logger) {
    this.#directory = directory
    this.#scan = scan
    this.#logger = logger
    this.#watch()
    this.#interval = setInterval(
      () => {
        if (this.#watcher === null) this.#watch()
        this.#run()
      },
      Math.min(scanInterval, MAX_TIMER_DELAY),
    ).unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#interval)
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#watcher?.close()
  }

  #watch(): void {
    try {
      this.#watcher = watch(this.#directory, { persistent: false }, () => this.#settle())
      this.#watcher.on('error', () => this.#unwatch())
    } catch {
      // The folder does not exist yet, or can not be watched: the interval scan still runs.
      this.#watcher = null
    }
  }

  #unwatch(): void {
    this.#watcher?.close()
    this.#watcher = null
  }

  #settle(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = null
      this.#run()
    }, SETTLE_TIME).unref()
  }

  #run(): void {
    this.#scan().catch((error: unknown) => {
      this.#logger.error({ error, directory: this.#directory }, EVENTS.ROUTE_SCAN_FAILED)
    })
  }
}
