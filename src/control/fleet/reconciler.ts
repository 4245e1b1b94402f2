import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ServedFolders } from '#contracts'
import type { Logger } from '#logging'
import { type ContentEntry, type EtcdReleases, ReleaseError, Tree } from '#releases'
import { EVENTS } from '../log-events.ts'
import { type CopiedRelease, changedPaths } from './copied-release.ts'
import type { LocalCopy } from './local-copy.ts'
import { failureOf, RefusedError, type ReleaseFailure } from './release-failure.ts'
import type { ReleaseVersions } from './release-versions.ts'
import type { ServingHost } from './serving-host.ts'

const FIRST_PAUSE = 500
const LONGEST_PAUSE = 30_000
/** Between attempts to replace units, which cost as much as a start. */
const FIRST_REFUSED_PAUSE = 2_000
const LONGEST_REFUSED_PAUSE = 5 * 60_000

/** Milliseconds between two comparisons of the files on disk with their contents; more where one takes long. */
const VERIFY_INTERVAL = 2_000
const VERIFY_SHARE = 300

/** Input of a reconciler. */
interface ReconcilerInput {
  readonly releases: EtcdReleases
  readonly copy: LocalCopy
  readonly versions: ReleaseVersions
  readonly logger: Logger
  readonly host: ServingHost
  /** The folders of the instance itself. */
  readonly own: ServedFolders
}

/**
 * Brings the release on disk to the one that is wanted, and the one that units run to the one on disk. Whatever changes one of the three, an
 * event of the store, an own write, SIGHUP or a hand that edits files, wakes the same loop; what fails is tried again with growing
 * pauses, and is a problem of the instance until it succeeds.
 */
export class Reconciler {
  readonly #input: ReconcilerInput
  readonly #ending = new AbortController()
  #tree: Tree | null = null
  /** Whether units serve. */
  #isStarted = false
  /** Whether the files on disk are to be compared. */
  #isUnverified = false
  /** As the last comparison has found them. */
  isVerified = true
  #isDue = false
  #running: Promise<void> | null = null
  /** Of the attempt that follows the last change; null where it is not awaited. */
  #outcome: PromiseWithResolvers<void> | null = null
  /** Attempts that failed, since the last success or reason to try at once. */
  #failures = 0
  #failure: (ReleaseFailure & { readonly wanted: number | null }) | null = null
  #wake: (() => void) | null = null
  #verifying: NodeJS.Timeout | undefined
  #storing: Promise<unknown> = Promise.resolve()

  constructor(input: ReconcilerInput) {
    this.#input = input
  }

  /** Why the release is not served that is wanted, since when attempts fail; null where it is. */
  get failure(): ReleaseFailure | null {
    return this.#failure
  }

  /** Units serve a release, or the files of the instance (null). */
  started(release: CopiedRelease | null): void {
    const { versions, host } = this.#input
    versions.runs(release, host.problems())
    this.#isStarted = true
    this.#verifyLater(0)
    this.retry()
  }

  /** One of the versions may be another one now. The pause before an attempt ends, unless the same release would be refused again. */
  changed(): void {
    const { wanted } = this.#input.versions
    if (this.#failure?.isRefusal && this.#failure.wanted === wanted) this.#due()
    else this.retry()
  }

  /** SIGHUP: looks at everything again, and tries what failed. */
  retry(): void {
    this.#failures = 0
    this.#due()
    this.#wake?.()
  }

  /** SIGHUP: overwrites files on disk that were changed by hand. The loop tries again, and reports it. */
  async verify(): Promise<void> {
    await this.#verify().catch((error: unknown) =>
      this.#input.logger.debug({ error }, 'the local copy is not verified yet'),
    )
  }

  /** Resolves when the changes that are known now are applied, or have failed: those are tried again without end. */
  async settled(): Promise<void> {
    if (this.#running === null) return
    this.#outcome ??= Promise.withResolvers<void>()
    await this.#outcome.promise
  }

  /** `reason`: with which pauses before the start reject. */
  async close(reason: Error): Promise<void> {
    this.#ending.abort(reason)
    clearTimeout(this.#verifying)
    await this.#running
  }

  /** Before units serve: an attempt has failed. Resolves when it is time for the next one; rejects when the gateway stops. */
  async failed(error: unknown): Promise<void> {
    await this.#pause(this.#fail(error))
    this.#ending.signal.throwIfAborted()
  }

  /** First version to second: the wanted release is complete on disk, and current where units need not be replaced for it. */
  store(): Promise<void> {
    const result = this.#storing.then(() => this.#store())
    this.#storing = result.catch(() => {})
    return result
  }

  /** After an own write: the disk gets the release, so that the caller reads what it wrote. */
  async wrote(release: number): Promise<void> {
    const { versions, logger } = this.#input
    versions.wrote(release)
    // The loop tries again, and reports it.
    await this.store().catch((error: unknown) => logger.debug({ error, release }, 'a release is not on disk yet'))
    this.changed()
  }

  /** The next release on disk is that of the store, whatever its number is. */
  forceSync(): void {
    this.#tree = null
    this.#input.copy.forget()
    this.retry()
  }

  #due(): void {
    if (this.#ending.signal.aborted || !this.#isStarted) return
    this.#isDue = true
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    while (this.#isDue && !signal.aborted) {
      this.#isDue = false
      try {
        const stored = await this.store().then(null, (error: unknown) => ({ error }))
        await this.#serve()
        if (stored) throw stored.error
        this.#succeeded()
      } catch (error) {
        if (signal.aborted) break
        const pause = this.#fail(error)
        if (!this.#isDue) this.#settle()
        await this.#pause(pause)
        this.#isDue = true
      }
    }
    // In the same turn as the last look at `#isDue`: a change in between would wait for the one after it.
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

  async #store(): Promise<void> {
    const { copy, versions } = this.#input
    const { wanted, running } = versions
    if (wanted !== null && copy.newest?.release !== wanted) {
      const release = await this.#read(wanted)
      const unproven = this.#unproven()
      await copy.put(release, this.#fetch, (path) => unproven.has(path) || running === null)
    } else if (this.#isUnverified) await this.#verify()
    if (this.#target() === copy.newest && running !== null && copy.newest !== null && !needsUnits(running, copy.newest))
      await copy.move()
  }

  async #verify(): Promise<void> {
    const begin = performance.now()
    await this.#input.copy.verify(this.#fetch).catch((error: unknown) => {
      this.isVerified = false
      this.#isUnverified = true
      throw error
    })
    this.isVerified = true
    this.#isUnverified = false
    this.#verifyLater(performance.now() - begin)
  }

  /** The release that units should run; null for the files of the instance. Without another decision what is served stays. */
  #target(): CopiedRelease | null {
    const { copy, versions } = this.#input
    if (versions.wantsLocalFiles) return null
    const { newest, release } = copy
    return newest !== null && newest.release === versions.wanted ? newest : (release ?? versions.running)
  }

  /** Second version to third: units run the release on disk. */
  async #serve(): Promise<void> {
    const { copy, versions, host, logger } = this.#input
    const [target, running] = [this.#target(), versions.running]
    if (target === null) {
      if (running !== null) await this.#serveLocalFiles()
      return
    }
    const isNew = running?.write !== target.write
    if (running === null || needsUnits(running, target)) await this.#replace(target)
    else {
      const { written, removed } = changedPaths(running.files, target.files)
      const paths = [...written, ...removed]
      if (copy.release?.write !== target.write) await copy.move()
      if (paths.length > 0) await host.scan(paths)
      const before = versions.served
      this.#runs(target)
      if (versions.served === target.release && before !== target.release)
        logger.info({ release: target.release, files: paths.length }, 'release served')
    }
    if (isNew) this.#verifyLater(0)
  }

  /** Other units take over with the release on disk. */
  async #replace(release: CopiedRelease): Promise<void> {
    const { copy, host, logger, versions } = this.#input
    await this.#verify()
    const { folders } = await copy.openFolders(release)
    const problems = await host.replace(folders)
    if (problems.length > 0) {
      await copy.closeFolders(folders)
      throw new RefusedError(problems)
    }
    await copy.serves(folders)
    this.#runs(release)
    if (versions.served === release.release) logger.info({ release: release.release }, 'release served by new units')
  }

  async #serveLocalFiles(): Promise<void> {
    const { copy, host, own, versions } = this.#input
    const problems = await host.replace(own)
    if (problems.length > 0) throw new RefusedError(problems)
    await copy.clear()
    versions.runs(null, [])
  }

  #runs(release: CopiedRelease): void {
    const { host, versions, logger } = this.#input
    const problems = host.problems()
    const isKnown = versions.running?.write === release.write && versions.problems.length > 0
    versions.runs(release, problems)
    if (problems.length > 0 && !isKnown)
      logger.error({ release: release.release, problems: problems.length }, EVENTS.RELEASE_NOT_SERVED)
  }

  #succeeded(): void {
    const { versions, logger } = this.#input
    this.#failures = 0
    if (this.#failure === null) return
    this.#failure = null
    versions.fails([])
    logger.info({ release: versions.running?.release ?? null }, 'what failed with the release has succeeded')
  }

  /** Returns the milliseconds until the next attempt. An outage of the store leaves what failed before. */
  #fail(error: unknown): number {
    const { versions, logger } = this.#input
    const failure = failureOf(error)
    const failures = this.#failures++
    const { isRefusal } = failure ?? {}
    const [first, longest] = isRefusal ? [FIRST_REFUSED_PAUSE, LONGEST_REFUSED_PAUSE] : [FIRST_PAUSE, LONGEST_PAUSE]
    // Units do not start in a gateway that is stopping.
    if (failure !== null && !this.#ending.signal.aborted) {
      const { wanted } = versions
      const { event, problems } = failure
      const isKnown = this.#failure?.wanted === wanted && isDeepStrictEqual(this.#failure.problems, problems)
      this.#failure = { ...failure, wanted }
      versions.fails(problems)
      const [problem] = problems
      const reason = problem === undefined ? 'unknown' : `${problem.file}: ${problem.pointer ?? ''}: ${problem.message}`
      const release = wanted ?? versions.stored?.release
      if (!isKnown) logger.error({ release, reason, ...(!isRefusal && { error }) }, event)
    }
    return Math.min(longest, first * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2)
  }

  #verifyLater(took: number): void {
    clearTimeout(this.#verifying)
    if (this.#ending.signal.aborted) return
    this.#verifying = setTimeout(
      () => {
        this.#isUnverified = true
        this.#due()
      },
      Math.max(VERIFY_INTERVAL, took * VERIFY_SHARE),
    ).unref()
  }

  /** Paths whose content of the current release units have not served. */
  #unproven(): ReadonlySet<string> {
    const { copy, versions, host } = this.#input
    const { written, removed } = changedPaths(versions.running?.files ?? new Map(), copy.release?.files ?? new Map())
    return new Set([...written, ...removed, ...host.problems().map(({ file }) => file)])
  }

  async #read(number: number): Promise<CopiedRelease> {
    const { releases, copy, versions } = this.#input
    const record = await releases.release(number)
    if (record === null)
      throw new ReleaseError('missing', releases.keys.release(number), `the record of release ${number} does not exist`)
    const { write, parent, author, created, note } = record
    const tree = await releases.tree(record, this.#tree ?? treeOf(copy.newest))
    this.#tree = tree
    const store = versions.pointer?.store ?? copy.newest?.store ?? ''
    return { store, release: number, write, parent, author, created, note, files: new Map(tree) }
  }

  readonly #fetch = (entries: readonly ContentEntry[]) => this.#input.releases.contents(entries)
}

function treeOf(release: CopiedRelease | null): Tree {
  return release === null ? Tree.EMPTY : Tree.of('the local copy', release.files)
}

/** Routes are swapped by units; all else is read when they start. */
function needsUnits(running: CopiedRelease, target: CopiedRelease): boolean {
  const { written, removed } = changedPaths(running.files, target.files)
  return [...written, ...removed].some((path) => !path.startsWith('config/routes/'))
}
