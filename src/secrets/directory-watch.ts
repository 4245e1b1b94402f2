import { type FSWatcher, watch } from 'node:fs'
import type { Executor } from '#contracts'

/** Polling interval, in addition to file events: network and container mounts have none. */
const INTERVAL = 1_000
/** Debounce: editors and copies cause many events for one change. */
const SETTLING = 50

interface WatchSettings {
  readonly directory: string
  readonly executor: Executor
  /** Checks for changes; calls do not overlap. */
  check(): Promise<void>
}

/** Checks the files of a directory each second, and at once on a file event. */
export class DirectoryWatch {
  readonly #settings: WatchSettings
  readonly #stopRepeating: () => void
  #watcher: FSWatcher | null = null
  #cancelSoon: (() => void) | null = null
  #checking: Promise<void> | null = null
  #stopped = false

  constructor(settings: WatchSettings) {
    this.#settings = settings
    this.#watch()
    this.#stopRepeating = settings.executor.repeat(INTERVAL, () => {
      if (this.#watcher === null) this.#watch()
      return this.check()
    })
  }

  /** Checks now, for a reload. Joins a check that runs: of two, the one that read older content could end last. */
  check(): Promise<void> {
    if (this.#stopped) return Promise.resolve()
    this.#checking ??= this.#settings.check().finally(() => {
      this.#checking = null
    })
    return this.#checking
  }

  /** Stops, and waits for a running check. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopRepeating()
    this.#cancelSoon?.()
    this.#unwatch()
    await this.#checking
  }

  /** A missing directory, or a system without file events, is polled only. */
  #watch(): void {
    try {
      const watcher = watch(this.#settings.directory, { persistent: false }, () => this.#soon())
      watcher.on('error', () => this.#unwatch())
      this.#watcher = watcher
    } catch {
      this.#watcher = null
    }
  }

  #unwatch(): void {
    this.#watcher?.close()
    this.#watcher = null
  }

  #soon(): void {
    if (this.#stopped || this.#cancelSoon !== null) return
    this.#cancelSoon = this.#settings.executor.schedule(SETTLING, () => {
      this.#cancelSoon = null
      return this.check()
    })
  }
}
