import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '#files'
import type { Logger } from '#logging'
import { type Clock, systemClock } from '#schema'
import { EVENTS } from '../log-events.ts'
import { CopiedContents, type FetchContents, syncFolder } from './copied-contents.ts'
import {
  type CopiedRelease,
  type CopyRecord,
  changedPaths,
  decodeCopy,
  encodeCopy,
  keptBeside,
} from './copied-release.ts'
import { PlacedFiles } from './placed-files.ts'

/** Record of the release whose files are placed. */
const RECORD = 'release.json'
/** Record of a release whose contents are on disk and whose files are being placed. */
const NEXT = 'next.json'

const CONTENTS = '.contents'

/** Files of a release that is checked before it replaces this one. */
const CANDIDATE = '.candidate'

/** Paths in a warning. */
const MOST_NAMED = 10

/** A change of the copy. */
export interface CopyChange {
  readonly written: readonly string[]
  readonly removed: readonly string[]
}

/**
 * The last release, on the disk of this instance: `config/` and `scripts/` as units read them. A change is written ahead: its
 * contents and `next.json` are synced, then files are placed, then `next.json` becomes `release.json`. After a crash at any step
 * the copy is that of the old or of the new release.
 */
export class LocalCopy {
  /** The folder with `config/` and `scripts/`. */
  readonly root: string
  readonly #logger: Logger
  readonly #contents: CopiedContents
  readonly #files: PlacedFiles
  readonly #clock: Clock
  #record: CopyRecord | null = null
  /** Of the record, by the monotonic clock. */
  #takenAt = 0
  /** Files may be those of a change that failed. */
  #isUncertain = true
  #queue: Promise<unknown> = Promise.resolve()
  /** Resolves when this process alone writes the copy; tasks wait for it. */
  #owned = Promise.withResolvers<void>()
  #isOwned = false
  #isClosed = false

  private constructor(root: string, contents: CopiedContents, logger: Logger, clock: Clock) {
    this.root = root
    this.#clock = clock
    this.#contents = contents
    this.#logger = logger
    this.#files = new PlacedFiles(root, contents)
  }

  /** Opens the copy: finishes an unfinished change, and overwrites files that were changed by hand. */
  static async open(root: string, logger: Logger, clock = systemClock): Promise<LocalCopy> {
    const copy = await LocalCopy.openShared(root, logger, clock)
    await copy.own()
    return copy
  }

  /** Reads the record of a copy that another process still writes. Changes wait until this one owns it. */
  static async openShared(root: string, logger: Logger, clock = systemClock): Promise<LocalCopy> {
    await mkdir(root, { recursive: true, mode: 0o750 })
    const copy = new LocalCopy(root, await CopiedContents.open(join(root, CONTENTS)), logger, clock)
    copy.#recorded(await copy.#read(RECORD))
    return copy
  }

  /** No other process writes the copy any more: opens it. Returns what was changed since its record was read. */
  async own(): Promise<CopyChange> {
    const before = this.release?.files ?? new Map()
    try {
      await this.#contents.own()
      await this.#open()
    } finally {
      this.resume()
    }
    return changedPaths(before, this.release?.files ?? new Map())
  }

  /** Another process is about to write the copy: resolves when changes that have begun are made. Later ones wait for `resume`. */
  async handOver(): Promise<void> {
    this.#isOwned = false
    this.#owned = Promise.withResolvers()
    await this.#queue
  }

  /** This process goes on writing the copy, which no other one has changed. */
  resume(): void {
    this.#isOwned = true
    this.#owned.resolve()
  }

  /** Whether this process alone writes the copy. */
  get isOwned(): boolean {
    return this.#isOwned
  }

  /** Waits for changes that have begun; makes no other ones. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#owned.resolve()
    await this.#queue
  }

  /** Null before the first one, and where it is damaged. */
  get release(): CopiedRelease | null {
    return this.#record?.release ?? null
  }

  /**
   * Milliseconds since this instance took the release. Clocks of other machines are not part of it, and a clock that is set while the
   * process runs does not change it.
   */
  get age(): number {
    return this.#record === null ? 0 : this.#clock.monotonic() - this.#takenAt
  }

  /** The last content of a route that units have served, where that of the release may be one that they can not build. */
  lastGood(path: string): Buffer | null {
    const { hash } = this.#record?.kept.get(path) ?? {}
    return hash === undefined ? null : this.#contents.readNow(hash)
  }

  /** The bytes of a content of the release; null where it has no such content. */
  content(hash: string): Promise<Buffer | null> {
    return this.#contents.read(hash)
  }

  /**
   * Replaces the release. Contents that are not here yet are fetched; if one of them fails, nothing changes. `isUnproven`: routes whose
   * content of the release before units have not served.
   */
  put(
    release: CopiedRelease,
    fetch: FetchContents,
    isUnproven: (path: string) => boolean = () => true,
  ): Promise<CopyChange> {
    return this.#enqueue(async () => {
      await this.#restore()
      const changed = changedPaths(this.release?.files ?? new Map(), release.files)
      const kept = keptBeside(this.#record, release, isUnproven)
      const record = { release, kept, taken: this.#clock.now() }
      await this.#contents.add(release.files.values(), fetch)
      await writeDurably(this.root, NEXT, encodeCopy(record))
      const isUncertain = this.#isUncertain
      this.#isUncertain = true
      if (isUncertain) await this.#files.replaceAll(release.files)
      else await this.#files.replace(release.files, changed.written, changed.removed)
      await this.#finish(record)
      return changed
    })
  }

  /**
   * Places the files of another release beside this one, runs `check` on their folder, and removes them. Contents stay for the
   * change that may follow.
   */
  async tryOut<T>(
    release: Pick<CopiedRelease, 'files'>,
    fetch: FetchContents,
    check: (root: string) => Promise<T>,
  ): Promise<T> {
    return this.#enqueue(async () => {
      await this.#restore()
      const root = join(this.root, CANDIDATE)
      await rm(root, { recursive: true, force: true })
      await mkdir(root, { mode: 0o750 })
      // Without those of other trials.
      const used = this.#record === null ? new Set<string>() : hashesOf(this.#record)
      await this.#contents.keepOnly(used.union(new Set([...release.files.values()].map(({ hash }) => hash))))
      try {
        await this.#contents.add(release.files.values(), fetch)
        await new PlacedFiles(root, this.#contents).replaceAll(release.files)
        return await check(root)
      } finally {
        await rm(root, { recursive: true, force: true })
      }
    })
  }

  /** Forgets the release: the instance's own files are served after that. */
  clear(): Promise<void> {
    return this.#enqueue(async () => {
      await rm(join(this.root, NEXT), { force: true })
      await rm(join(this.root, RECORD), { force: true })
      await syncFolder(this.root)
      this.#recorded(null)
      this.#isUncertain = true
    })
  }

  /** Overwrites files that were changed by hand, of all or of some paths; returns those that were. */
  repair(paths?: readonly string[]): Promise<readonly string[]> {
    return this.#enqueue(async () => {
      const { files } = this.release ?? {}
      if (files === undefined || this.#isUncertain) return []
      const different =
        paths === undefined ? await this.#files.replaceAll(files) : await this.#files.replaceSome(files, paths)
      this.#warnOf(different)
      return different
    })
  }

  /** Of a folder that was deleted, which also has the contents, all files are fetched and placed again. */
  async #restore(): Promise<void> {
    if (await this.#contents.restore()) this.#isUncertain = true
  }

  async #open(): Promise<void> {
    const next = await this.#read(NEXT)
    if (next !== null) {
      try {
        await this.#files.replaceAll(next.release.files)
        return await this.#finish(next)
      } catch (error) {
        this.#logger.error({ error, directory: this.root }, EVENTS.COPY_NOT_FINISHED)
      }
    }
    const record = await this.#read(RECORD)
    this.#recorded(null)
    if (record === null) return
    try {
      const different = await this.#files.replaceAll(record.release.files)
      if (next === null) this.#warnOf(different)
      await this.#contents.keepOnly(hashesOf(record))
      this.#recorded(record)
      this.#isUncertain = false
    } catch (error) {
      this.#logger.error({ error, directory: this.root }, EVENTS.COPY_DAMAGED)
    }
  }

  #recorded(record: CopyRecord | null): void {
    this.#record = record
    const { now, monotonic } = { now: this.#clock.now(), monotonic: this.#clock.monotonic() }
    // Without a time, as before it was recorded: from now on. A clock that was set back gives no negative age.
    this.#takenAt = record === null || record.taken === 0 ? monotonic : monotonic - Math.max(0, now - record.taken)
  }

  async #finish(record: CopyRecord): Promise<void> {
    await rename(join(this.root, NEXT), join(this.root, RECORD))
    await syncFolder(this.root)
    this.#recorded(record)
    this.#isUncertain = false
    await this.#contents.keepOnly(hashesOf(record))
  }

  async #read(name: string): Promise<CopyRecord | null> {
    try {
      return decodeCopy(await readFile(join(this.root, name), 'utf8'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      this.#logger.error({ error, file: join(this.root, name) }, EVENTS.COPY_DAMAGED)
      return null
    }
  }

  #warnOf(paths: readonly string[]): void {
    if (paths.length === 0) return
    const files = paths.slice(0, MOST_NAMED)
    this.#logger.warn({ directory: this.root, files, count: paths.length }, EVENTS.COPY_CHANGED)
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    const result = Promise.all([this.#queue, this.#owned.promise]).then(() => {
      if (this.#isClosed) throw new Error('the local copy is closed')
      return task()
    })
    this.#queue = result.catch(() => {})
    return result
  }
}

function hashesOf({ release, kept }: CopyRecord): ReadonlySet<string> {
  return new Set([...release.files.values(), ...kept.values()].map(({ hash }) => hash))
}
