import { type FSWatcher, statSync, watch } from 'node:fs'
import type { Logger } from '#logging'
import { MAX_TIMER_DELAY } from '#schema'
import { EVENTS } from '../log-events.ts'

/** Milliseconds within which changes are merged: editors write a file in several steps. */
const SETTLE_TIME = 100

/** Milliseconds between two looks whether the path names another folder: a replaced one, or the new target of a link. */
const LOOK_INTERVAL = 1_000

/** Starts a scan when a folder changes, when another one takes its place, and at every interval. */
export class RouteWatcher implements Disposable {
  readonly #directory: string
  readonly #scan: () => Promise<void>
  readonly #logger: Logger
  readonly #interval: NodeJS.Timeout
  readonly #look: NodeJS.Timeout
  #watcher: FSWatcher | null = null
  /** The folder that is watched; null where it does not exist. The watcher stays with it when the path names another one. */
  #watched: string | null = null
  #settling: NodeJS.Timeout | null = null

  constructor(
    directory: string,
    scanInterval: number,
    scan: () => Promise<void>,
    logger: Logger,
    lookInterval = LOOK_INTERVAL,
  ) {
    this.#directory = directory
    this.#scan = scan
    this.#logger = logger
    this.#watch(this.#folder())
    this.#interval = setInterval(
      () => {
        if (this.#watcher === null) this.#watch(this.#folder())
        this.#run()
      },
      Math.min(scanInterval, MAX_TIMER_DELAY),
    ).unref()
    this.#look = setInterval(() => this.#lookForAnother(), lookInterval).unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#interval)
    clearInterval(this.#look)
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#watcher?.close()
  }

  /** What tells the folder from another one of its path; null where it does not exist. Numbers of deleted files are used again. */
  #folder(): string | null {
    try {
      const { dev, ino, birthtimeMs } = statSync(this.#directory)
      return `${dev}:${ino}:${birthtimeMs}`
    } catch {
      return null
    }
  }

  #lookForAnother(): void {
    const folder = this.#folder()
    if (folder === this.#watched) return
    this.#unwatch()
    this.#watch(folder)
    this.#settle()
  }

  #watch(folder: string | null): void {
    this.#watched = folder
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
