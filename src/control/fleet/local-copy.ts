import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServedFolders } from '#contracts'
import type { Logger } from '#logging'
import { type Clock, systemClock } from '#schema'
import { EVENTS } from '../log-events.ts'
import type { FetchContents } from './content-store.ts'
import { type CopiedRelease, keptBeside } from './copied-release.ts'
import { removeOldCopy } from './old-copy.ts'
import { fillFolder } from './release-folder.ts'
import { ReleaseFolders, type StoredRelease } from './release-folders.ts'
import { servedFolders } from './served-folders.ts'
import type { TrialResult } from './serving-host.ts'

/** The link to the release to start with. */
const CURRENT = 'current'

/** Of the last trial without a problem. */
const LAST = 'last'

/** Paths in a warning. */
const MOST_NAMED = 10

/** Folders of units: a link, which gets another target when the release changes in its routes alone. */
export interface UnitFolders {
  readonly folders: ServedFolders
  readonly release: CopiedRelease
}

/** Numbers of links and trials of this process. */
let last = 0

/**
 * Releases on the disk of this instance: `contents/` has each content once, `releases/` a folder of links to them for each release, which
 * gets its name when it is complete and is not changed then. `current` names the release to start with, and is replaced by one rename.
 * After a crash at any step the copy is that of the old or of the new release.
 */
export class LocalCopy {
  readonly #root: string
  readonly #logger: Logger
  readonly #stored: ReleaseFolders
  readonly #clock: Clock
  /** Links of units of this process, by their folders. */
  readonly #links = new Map<ServedFolders, { readonly link: string; stored: StoredRelease }>()
  /** Contents of files that are tried, by the folder. */
  readonly #trials = new Map<string, ReadonlySet<string>>()
  #current: StoredRelease | null = null
  #newest: StoredRelease | null = null
  /** A process that takes over may just read it. */
  #previous: StoredRelease | null = null
  #serving: ServedFolders | null = null
  /** When `current` was taken, by the monotonic clock. */
  #takenAt = 0
  #queue: Promise<unknown> = Promise.resolve()
  /** Resolves when this process alone writes the copy; tasks wait for it. */
  #owned = Promise.withResolvers<void>()
  #isOwned = false
  /** Another process writes it until this one owns it for the first time. */
  #isShared = false
  #isClosed = false

  private constructor(root: string, logger: Logger, clock: Clock) {
    this.#root = root
    this.#clock = clock
    this.#logger = logger
    this.#stored = new ReleaseFolders(root)
  }

  /** Opens the copy: overwrites files that were changed by hand, and removes what is left of a crash. */
  static async open(root: string, logger: Logger, clock = systemClock): Promise<LocalCopy> {
    const copy = new LocalCopy(root, logger, clock)
    await copy.own()
    return copy
  }

  /**
   * Reads the copy that another process still writes, and makes a link, so that its folder stays. Changes wait until this one owns it.
   * Rejects where it is damaged.
   */
  static async openShared(root: string, logger: Logger, clock = systemClock): Promise<LocalCopy> {
    const copy = new LocalCopy(root, logger, clock)
    copy.#isShared = true
    await copy.#read()
    return copy
  }

  /** No other process writes the copy any more: reads it again. */
  async own(): Promise<void> {
    this.#isShared = false
    this.#serving = this.#links.keys().next().value ?? null
    try {
      await this.#read()
    } catch (error) {
      this.#record(null)
      this.#logger.error({ error, directory: this.#root }, EVENTS.COPY_DAMAGED)
    }
    this.resume()
    await this.#enqueue(async () => {
      if (this.release !== null) await removeOldCopy(this.#root)
      await this.#collect()
    })
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
    this.#stored.close()
  }

  /** The release to start with; null before the first one, and where it is damaged. */
  get release(): CopiedRelease | null {
    return this.#current?.record.release ?? null
  }

  /** The last release that is complete on disk. Units may not serve it yet. */
  get newest(): CopiedRelease | null {
    return this.#newest?.record.release ?? null
  }

  /**
   * Milliseconds since this instance took the release. Clocks of other machines are not part of it, and a clock that is set while the
   * process runs does not change it.
   */
  get age(): number {
    return this.#current === null ? 0 : this.#clock.monotonic() - this.#takenAt
  }

  /** The last content of a route that units have served, where that of the release may be one that they can not build. */
  lastGood(path: string): Buffer | null {
    const { hash } = this.#newest?.record.kept.get(path) ?? {}
    return hash === undefined ? null : this.#stored.contents.readNow(hash)
  }

  /** The bytes of a content of the release; null where it has no such content. */
  content(hash: string): Promise<Buffer | null> {
    return this.#stored.contents.read(hash)
  }

  /**
   * Makes the folder of a release, which is the newest then. Contents that are not here yet are fetched; if one of them fails,
   * nothing changes. `isUnproven`: routes whose content of the current release units have not served.
   */
  put(release: CopiedRelease, fetch: FetchContents, isUnproven = (_: string) => true): Promise<void> {
    return this.#enqueue(async () => {
      const known = [this.#newest, this.#current].find((stored) => stored?.record.release.write === release.write)
      const kept = keptBeside(this.#current?.record ?? null, release, isUnproven)
      try {
        this.#newest = known ?? (await this.#stored.make({ release, kept, taken: this.#clock.now() }, fetch))
      } finally {
        this.#trials.delete(LAST)
        await this.#collect()
      }
    })
  }

  /** Compares the files of the newest and the current release with their contents, and overwrites those that were changed by hand. */
  verify(fetch: FetchContents): Promise<void> {
    return this.#enqueue(async () => {
      for (const stored of new Set([this.#newest, this.#current]))
        if (stored !== null) await this.#repair(stored, fetch)
    })
  }

  /** Folders of the newest or the current release, for units that start with it. */
  async openFolders(release: CopiedRelease): Promise<UnitFolders> {
    const open = async (): Promise<UnitFolders> => {
      const stored = [this.#newest, this.#current].find((each) => each?.record.release === release)
      if (!stored) throw new Error('another release is on disk now')
      for (const [folders, opened] of this.#links)
        if (opened.stored === stored && folders !== this.#serving) return { folders, release }
      const link = `units-${process.pid}-${++last}`
      await this.#stored.link(link, stored)
      const folders = servedFolders(join(this.#root, link))
      this.#links.set(folders, { link, stored })
      return { folders, release }
    }
    return this.#isShared ? open() : this.#enqueue(open)
  }

  /** Units do not serve these folders. */
  closeFolders(folders: ServedFolders): Promise<void> {
    return this.#enqueue(() => this.#unlink(folders))
  }

  /** Units serve these folders: theirs is the release to start with. Those that they have replaced may still read their own. */
  serves(folders: ServedFolders): Promise<void> {
    return this.#enqueue(async () => {
      const before = this.#serving
      this.#serving = folders
      for (const other of [...this.#links.keys()]) if (other !== folders && other !== before) await this.#unlink(other)
      const { stored } = this.#links.get(folders) ?? {}
      if (stored !== undefined) await this.#makeCurrent(stored)
    })
  }

  /** Units that serve the current release serve the newest one too, which differs in routes alone. */
  move(): Promise<void> {
    return this.#enqueue(async () => {
      const stored = this.#newest
      const serving = this.#serving && this.#links.get(this.#serving)
      if (stored === null || !serving) return
      if (serving.stored !== stored) await this.#stored.link(serving.link, stored)
      serving.stored = stored
      await this.#makeCurrent(stored)
    })
  }

  /** Another release is wanted than the newest one, whatever their numbers are. */
  forget(): void {
    this.#newest = null
  }

  /** The instance's own files are served from now on. */
  clear(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#stored.unlink(CURRENT)
      this.#record(null)
      this.#previous = null
      await this.#collect()
    })
  }

  /** Runs `check` on a folder with other files. Contents stay for the release that may follow, where there is no problem. */
  async tryOut(
    files: CopiedRelease['files'],
    fetch: FetchContents,
    check: (root: string) => Promise<TrialResult>,
  ): Promise<TrialResult> {
    const name = `.trial-${++last}`
    const root = this.#stored.path(name)
    let isKept = false
    try {
      await this.#enqueue(async () => {
        this.#trials.delete(LAST)
        this.#trials.set(name, new Set([...files.values()].map(({ hash }) => hash)))
        await fillFolder(root, files, this.#stored.contents, fetch)
      })
      const result = await check(root)
      isKept = result.problems.length === 0
      return result
    } finally {
      await this.#enqueue(async () => {
        if (isKept) this.#trials.set(LAST, this.#trials.get(name) ?? new Set())
        this.#trials.delete(name)
        await rm(root, { recursive: true, force: true })
        await this.#collect()
      })
    }
  }

  async #read(): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o750 })
    const converted = await this.#stored.convert(this.release).catch((error: unknown) => {
      this.#logger.error({ error, directory: this.#root }, EVENTS.COPY_DAMAGED)
      return null
    })
    if (converted !== null) await this.#stored.link(CURRENT, converted)
    const stored = await this.#stored.read(CURRENT)
    this.#record(stored)
    if (stored === null) return
    if (this.#isShared) await this.openFolders(stored.record.release)
    await this.#repair(stored, nowhere)
  }

  async #repair(stored: StoredRelease, fetch: FetchContents): Promise<void> {
    const paths = await this.#stored.repair(stored, fetch)
    if (paths.length === 0) return
    const [directory, files] = [this.#stored.path(stored.name), paths.slice(0, MOST_NAMED)]
    this.#logger.warn({ directory, files, count: paths.length }, EVENTS.COPY_CHANGED)
  }

  async #makeCurrent(stored: StoredRelease): Promise<void> {
    if (this.#current?.name === stored.name) return
    await this.#stored.link(CURRENT, stored)
    const newest = this.#newest
    this.#previous = this.#current
    this.#record(stored)
    this.#newest = newest
    if (this.#previous === null) await removeOldCopy(this.#root)
    await this.#collect()
  }

  #record(stored: StoredRelease | null): void {
    this.#current = stored
    this.#newest = stored
    const { taken = 0 } = stored?.record ?? {}
    const { now, monotonic } = { now: this.#clock.now(), monotonic: this.#clock.monotonic() }
    // Without a time, as before it was recorded: from now on. A clock that was set back gives no negative age.
    this.#takenAt = taken === 0 ? monotonic : monotonic - Math.max(0, now - taken)
  }

  async #unlink(folders: ServedFolders): Promise<void> {
    const { link } = this.#links.get(folders) ?? {}
    this.#links.delete(folders)
    if (link !== undefined) await this.#stored.unlink(link)
  }

  /** Removes what nothing refers to. A failure only leaves it to the next time. */
  async #collect(): Promise<void> {
    try {
      const releases = [this.#current, this.#newest, this.#previous].flatMap((stored) => stored?.name ?? [])
      const contents = [...this.#trials.values()].flatMap((hashes) => [...hashes])
      await this.#stored.keepOnly([...releases, ...this.#trials.keys()], contents)
    } catch (error) {
      this.#logger.debug({ error, directory: this.#root }, 'releases that are not used any more can not be removed')
    }
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

/** Of contents that are not on disk. */
const nowhere: FetchContents = () => {
  throw new Error('the store was not asked yet')
}
