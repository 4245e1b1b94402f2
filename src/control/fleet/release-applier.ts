import { setTimeout as delay } from 'node:timers/promises'
import type { ServedFolders } from '#contracts'
import { EtcdError } from '#etcd'
import type { Logger } from '#logging'
import { type ContentEntry, type EtcdReleases, ReleaseError, type ReleaseRecord, Tree } from '#releases'
import { EVENTS } from '../log-events.ts'
import { type CopiedRelease, changedPaths } from './copied-release.ts'
import type { FleetState } from './fleet-state.ts'
import type { ReleaseProblem } from './instance-status.ts'
import type { CopyChange, LocalCopy } from './local-copy.ts'
import { servedFolders } from './served-folders.ts'
import type { ServingHost } from './serving-host.ts'

const FIRST_PAUSE = 500
const LONGEST_PAUSE = 30_000

/** Input of an applier. */
interface ApplierInput {
  readonly releases: EtcdReleases
  readonly copy: LocalCopy
  readonly state: FleetState
  readonly logger: Logger
  readonly host: ServingHost
}

/** Brings this instance to the release that it should serve: reads what differs, writes the local copy, then units serve it. */
export class ReleaseApplier {
  readonly #input: ApplierInput
  readonly #ending = new AbortController()
  /** Paths that are in the local copy and not known to units yet. */
  readonly #pending = new Set<string>()
  /** Whether units serve the local copy; before the first release they serve the folders of the instance. */
  #isServing = false
  /** Whether the units were refused that the release of the local copy needs: the others do not serve it, whatever their routes are. */
  #isRefused = false
  #tree: Tree | null = null
  #running: Promise<void> | null = null
  #again = false
  /** Of the attempt that follows the last change; null where it is not awaited. */
  #outcome: PromiseWithResolvers<void> | null = null
  #failures = 0
  #wake: (() => void) | null = null
  /** The highest number of an own write: a pointer with a lower one is older than that. */
  #newest = 0
  #copying: Promise<unknown> = Promise.resolve()
  /** Files with which a unit has started already, before the release was made. */
  #tried: CopiedRelease['files'] | null = null

  constructor(input: ApplierInput) {
    this.#input = input
  }

  /** Units serve the local copy, as after a start with one. */
  started(): void {
    this.#isServing = true
    const { copy, state, host } = this.#input
    state.serves(copy.release?.release ?? null, host.problems())
  }

  /** Units serve the local copy as it was before these changes, which another process has made. */
  async copiedBefore(change: CopyChange): Promise<void> {
    this.#isServing = true
    if (needsUnits(change)) return this.#replace()
    for (const path of [...change.written, ...change.removed]) this.#pending.add(path)
    await this.#scan()
  }

  get isServing(): boolean {
    return this.#isServing
  }

  /** The wanted release may be another one now. */
  changed(): void {
    if (this.#ending.signal.aborted) return
    this.#again = true
    this.#failures = 0
    this.#wake?.()
    this.#running ??= this.#run()
  }

  /** Resolves when the changes that are known now are applied, or have failed: those are tried again without end. */
  async settled(): Promise<void> {
    if (this.#running === null) return
    this.#outcome ??= Promise.withResolvers<void>()
    await this.#outcome.promise
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  /** A unit could start with these files: the release that has them needs no other trial here. */
  triedOut(files: CopiedRelease['files']): void {
    this.#tried = files
  }

  /** Reads a release to the local copy, before units exist. */
  async copyOnly(number: number): Promise<void> {
    await this.#exclusive(async () => this.#copy(await this.#read(number)))
    this.#pending.clear()
  }

  /** The store is the truth, also where it has a lower number than this instance. */
  forgetOwnWrites(): void {
    this.#newest = 0
    this.#tree = null
  }

  /**
   * After an own write: the local copy gets the release if that only changes routes, so that the caller reads what it wrote. Units
   * get the change of the caller from it, and other changes from the next run.
   */
  async written(number: number): Promise<void> {
    this.#newest = Math.max(this.#newest, number)
    await this.copyRoutes(number)
  }

  /** The local copy gets a release if that only changes routes; units get it from the next run. */
  async copyRoutes(number: number): Promise<void> {
    const { copy, logger } = this.#input
    this.changed()
    // Units that serve the files of the instance are replaced, which the caller does not wait for.
    if (!this.#isServing) return
    try {
      await this.#exclusive(async () => {
        if ((copy.release?.release ?? 0) >= number) return
        const release = await this.#read(number)
        if (!this.#isRefused && !needsUnits(changesTo(copy.release, release))) await this.#copy(release)
      })
    } catch (error) {
      // The next run tries again, and reports it.
      logger.debug({ error, release: number }, 'a release is not copied yet')
    }
    this.changed()
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    while (this.#again && !signal.aborted) {
      this.#again = false
      try {
        await this.#apply()
        this.#failures = 0
      } catch (error) {
        this.#failures++
        this.#failed(error)
        if (!this.#again) this.#settle()
        const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(this.#failures - 1, 10))
        await this.#pause(pause * (0.5 + Math.random() / 2))
        this.#again = true
      }
    }
    // In the same turn as the last look at `#again`: a change in between would wait for the one after it.
    this.#running = null
    this.#settle()
  }

  #settle(): void {
    this.#outcome?.resolve()
    this.#outcome = null
  }

  async #pause(milliseconds: number): Promise<void> {
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    const signal = AbortSignal.any([this.#ending.signal, woken.signal])
    await delay(milliseconds, undefined, { signal, ref: false }).catch(() => {})
    this.#wake = null
  }

  /** Serves the release that the state wants, also where it has the number of another that this instance has. */
  adopt(): Promise<void> {
    return this.#apply(true)
  }

  /** Serves the folders of the instance, since the store has no release. */
  async serveOwn(own: ServedFolders): Promise<void> {
    const { copy, host, state } = this.#input
    const problems = this.#isServing ? await host.replace(own) : []
    if (problems.length > 0) return this.#refused(0, problems)
    this.#isServing = false
    await this.#exclusive(() => copy.clear())
    state.serves(null, [])
  }

  async #apply(isForced = false): Promise<void> {
    const { copy, state } = this.#input
    const isReplaced = await this.#exclusive(async () => {
      const { wanted, pointer } = state
      if (wanted === null || (pointer?.last ?? 0) < this.#newest) return null
      const isCopied = copy.release?.release === wanted && !isForced
      if (isCopied && this.#isServing) return this.#isRefused
      const release = isCopied && copy.release !== null ? copy.release : await this.#read(wanted)
      if (!this.#isServing || this.#isRefused || needsUnits(changesTo(copy.release, release)))
        return this.#tryOut(release)
      await this.#copy(release)
      return false
    })
    if (isReplaced === true) await this.#replace()
    else if (isReplaced === false) await this.#scan()
  }

  /** Only routes have changed: units build and swap those. */
  async #scan(): Promise<void> {
    const { host, logger } = this.#input
    const paths = [...this.#pending]
    this.#pending.clear()
    if (paths.length > 0) {
      await host.scan(paths).catch((error: unknown) => {
        for (const path of paths) this.#pending.add(path)
        throw error
      })
    }
    if (this.#serves()) logger.info({ release: this.#number, files: paths.length }, 'release served')
  }

  /** config.json or scripts have changed: the release is copied if a trial shows that units can start with it. */
  async #tryOut(release: CopiedRelease): Promise<true | null> {
    const { copy, host } = this.#input
    const tried = this.#tried
    this.#tried = null
    if (tried === null || !isEqual(tried, release.files)) {
      const trial = await copy.tryOut(release, this.#fetch, (root) => host.tryOut(servedFolders(root)))
      if (!trial.starts) {
        this.#refused(release.release, trial.problems)
        return null
      }
    }
    await this.#copy(release)
    this.#pending.clear()
    return true
  }

  /** Other units take over with the local copy. */
  async #replace(): Promise<void> {
    const { copy, host, logger } = this.#input
    const problems = await host.replace(servedFolders(copy.root))
    this.#isRefused = problems.length > 0
    if (this.#isRefused) return this.#refused(this.#number ?? 0, problems)
    this.#isServing = true
    if (this.#serves()) logger.info({ release: this.#number }, 'release served by new units')
  }

  get #number(): number | null {
    return this.#input.copy.release?.release ?? null
  }

  /** Whether the release of the local copy is served completely, and was not before. */
  #serves(): boolean {
    const { host, state, logger } = this.#input
    const [problems, before, number] = [host.problems(), state.served, this.#number]
    const isKnown = state.problems.length > 0 && before !== number
    state.serves(number, problems)
    if (problems.length > 0 && !isKnown)
      logger.error({ release: number, problems: problems.length }, EVENTS.RELEASE_NOT_SERVED)
    return problems.length === 0 && before !== number
  }

  #refused(release: number, problems: readonly ReleaseProblem[]): void {
    const { state, logger } = this.#input
    // Units do not start in a gateway that is stopping.
    if (this.#ending.signal.aborted) return
    const [first] = problems
    const reason = first === undefined ? 'unknown' : `${first.file}: ${first.pointer ?? ''}: ${first.message}`
    if (state.state !== 'failing') logger.error({ release, reason }, EVENTS.RELEASE_REFUSED)
    state.fails(problems)
  }

  #failed(error: unknown): void {
    const { state, logger } = this.#input
    if (error instanceof EtcdError && error.kind === 'unavailable') return
    const message = (error as Error).message
    const problem = {
      file: '',
      message: error instanceof ReleaseError ? message : `release can not be read: ${message}`,
    }
    if (state.problems[0]?.message !== problem.message)
      logger.error({ error, release: state.wanted }, EVENTS.RELEASE_UNREADABLE)
    state.fails([problem])
  }

  async #read(number: number): Promise<CopiedRelease> {
    const { releases, copy, state } = this.#input
    const record = await releases.release(number)
    if (record === null)
      throw new ReleaseError('missing', releases.keys.release(number), `the record of release ${number} does not exist`)
    const tree = await releases.tree(record, this.#tree ?? treeOf(copy.release))
    this.#tree = tree
    return copied(record, state.pointer?.store ?? copy.release?.store ?? '', tree)
  }

  async #copy(release: CopiedRelease): Promise<void> {
    const { copy, host } = this.#input
    const failing = new Set(host.problems().map(({ file }) => file))
    const isUnproven = (path: string) => !this.#isServing || this.#pending.has(path) || failing.has(path)
    const { written, removed } = await copy.put(release, this.#fetch, isUnproven)
    for (const path of [...written, ...removed]) this.#pending.add(path)
  }

  /** One change of the local copy at a time, from the decision to its end. */
  #exclusive<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#copying.then(task)
    this.#copying = result.catch(() => {})
    return result
  }

  readonly #fetch = (entries: readonly ContentEntry[]) => this.#input.releases.contents(entries)
}

function copied(record: ReleaseRecord, store: string, tree: Tree): CopiedRelease {
  const { number: release, write, parent, author, created, note } = record
  return { store, release, write, parent, author, created, note, files: new Map(tree) }
}

function treeOf(release: CopiedRelease | null): Tree {
  return release === null ? Tree.EMPTY : Tree.of('the local copy', release.files)
}

function changesTo(before: CopiedRelease | null, after: CopiedRelease): CopyChange {
  return changedPaths(before?.files ?? new Map(), after.files)
}

function isEqual(before: CopiedRelease['files'], after: CopiedRelease['files']): boolean {
  const { written, removed } = changedPaths(before, after)
  return written.length + removed.length === 0
}

/** Routes are swapped by units; all else is read when they start. */
function needsUnits({ written, removed }: CopyChange): boolean {
  return [...written, ...removed].some((path) => !path.startsWith('config/routes/'))
}
