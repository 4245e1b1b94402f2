import { existsSync } from 'node:fs'
import type { RouteFailure, RouteSource, RouteWarnings } from '#contracts'
import type { Logger } from '#logging'
import type { RouteOrder } from '#schema'
import { EVENTS } from '../log-events.ts'
import type { UnitLink } from '../units/unit-link.ts'
import type { DeployAudit } from './deploy-audit.ts'
import type { DeployCounts } from './deploy-metrics.ts'
import {
  type BatchOutcome,
  type FileEdits,
  isSameFile,
  isSamePlan,
  problemsByFile,
  problemsOfEdits,
  type Swap,
  withEdits,
} from './edits.ts'
import type { ReplacedVersions } from './history/replaced-versions.ts'
import { prepareDeploy } from './prepared-deploy.ts'
import { idOf, inOrder, type RouteFile, type RouteFiles } from './route-files.ts'
import { type PlannedChange, planRoutes, type ServedRoute } from './route-plan.ts'
import { type LocatedProblem, RouteProblems } from './route-problems.ts'
import { type RouteStatus, statusOf } from './route-status.ts'
import { RouteWarningLog } from './route-warnings.ts'
import { RouterOpenings } from './router-openings.ts'
import { routeOfFile, type ServedRoutes, withChanges, withEarlier, withTexts } from './served-routes.ts'
import { TaskQueue } from './task-queue.ts'

type Files = ReadonlyMap<string, RouteFile>

/** Input of a deployment. */
interface DeploymentInput {
  readonly files: RouteFiles
  /** Of the routes of the first router on the folder. */
  readonly order: RouteOrder
  readonly history: ReplacedVersions
  readonly audit: DeployAudit
  /** That of the units that are to be replaced. */
  readonly previous: Deployment | null
  readonly logger: Logger
  /** The units that build changes; none for a deployment that was replaced. */
  units(): readonly UnitLink[]
  /** The route of a file that was served last, where an earlier process of this instance kept it; null for none. */
  lastGood(file: string): ServedRoute | null
}

/** Which files a scan looks at. */
interface ScanOptions {
  /** Also contents that failed before (SIGHUP). */
  readonly force?: boolean
  /** Names of the only files that may have changed. */
  readonly files?: Iterable<string>
}

/** A problem of a route of which units could build no version. */
export interface LostRoute extends LocatedProblem {
  readonly file: string
}

/**
 * The routes that the units serve of one folder, and the deploys that make them those of the files. The last good version of an
 * invalid file is served on. All deploys of the folder go through one queue:
 *
 *     files (wanted) --plan--> changes --prepare--> built in every unit --write--> stored --commit--> served
 *                                |                      |                  |
 *                              taken                 refused          not written, or overtaken: units discard
 *
 * A scan deploys what others have written, and skips the write. While an edit waits for a store that others write to, scans
 * run beside it: what they have deployed overtakes the edit.
 */
export class Deployment {
  readonly files: RouteFiles
  readonly order: RouteOrder
  /** Outcomes of changes so far. */
  readonly deploys: DeployCounts = { succeeded: 0, failed: 0, lastAt: 0 }
  readonly #history: ReplacedVersions
  readonly #audit: DeployAudit
  readonly #logger: Logger
  readonly #units: () => readonly UnitLink[]
  readonly #lastGood: DeploymentInput['lastGood']
  readonly #problems: RouteProblems
  readonly #warnings: RouteWarningLog
  readonly #openings = new RouterOpenings()
  readonly #queue = new TaskQueue()
  #served: ServedRoutes = new Map()
  /** Files of a scan that is deployed now. */
  #deploying: Files | null = null
  #isScanned = false
  /** A scan was requested while no unit was ready. */
  #isDeferred = false
  /** Null once the units of this deployment serve. */
  #previous: Deployment | null

  constructor({ files, order, history, audit, previous, logger, units, lastGood }: DeploymentInput) {
    const { directory } = files
    this.files = files
    this.order = order
    this.#history = history
    this.#lastGood = lastGood
    this.#audit = audit
    this.#previous = previous
    this.#logger = logger
    this.#units = units
    this.#warnings = new RouteWarningLog(directory, logger)
    this.#problems = new RouteProblems(directory, this.deploys, logger, (file, found, problems) => {
      audit.failed(file, found === undefined ? file : idOf(found), routeOfFile(this.#served, file), problems)
    })
  }

  /**
   * A unit opens a router on this folder: it gets the served routes, and no deploy starts until it has built them. `signal`
   * is aborted when the call of the unit ends.
   */
  open(unit: UnitLink, signal: AbortSignal): Promise<readonly RouteSource[]> {
    return this.#queue.run(async () => {
      signal.throwIfAborted()
      if (!this.#isScanned) this.#firstScan()
      this.#openings.begin(unit)
      return [...this.#served.values()].map(({ source }) => source)
    })
  }

  /** A router of the unit has built its routes, except the failed ones, which others may serve until their files are removed. */
  opened(unit: UnitLink, failures: readonly RouteFailure[]): void {
    const wasExpected = this.#openings.finish(unit)
    if (this.#isDeferred) {
      this.#isDeferred = false
      this.scan().catch((error: unknown) => this.#logger.error({ error }, EVENTS.ROUTES_UNREADABLE))
    }
    if (wasExpected && unit.isFirst) {
      this.#logger.info({ routes: this.#served.size - failures.length, directory: this.directory }, 'routes loaded')
    }
    const served = new Map(this.#served)
    for (const { id, problems, files } of failures) {
      const route = served.get(id)
      if (route === undefined) continue
      served.set(id, { ...route, incomplete: true })
      this.#problems.add(this.files.all, route.file, problems, route.source.revision, files)
    }
    this.#served = served
  }

  /** Logs the warnings of a route, once for all units. */
  warned(warnings: RouteWarnings): void {
    // The unit reports them while it swaps, before the new version is recorded here.
    const files = this.#deploying ?? this.files.all
    const ofServed = files.get(this.#served.get(warnings.id)?.file ?? '')
    const isOf = (file: RouteFile | undefined) => file?.route?.id === warnings.id
    this.#warnings.log(isOf(ofServed) ? ofServed : files.values().find(isOf), warnings)
  }

  /** A unit has ended, and with it its unfinished builds. */
  ended(unit: UnitLink): void {
    this.#openings.end(unit)
  }

  /** The units were replaced, and this deploys nothing more: what waits for their builds goes on. */
  retire(): void {
    this.#openings.endAll()
  }

  /** Deploys changed files. */
  scan({ force = false, files: names }: ScanOptions = {}): Promise<void> {
    const task = async (): Promise<void> => {
      await this.#openings.settled()
      if (force) this.#problems.retryAll()
      // Served versions stay until a unit is ready.
      this.#isDeferred = !this.#isOpen
      if (this.#isDeferred) return
      const files = this.files.read(names)
      this.#warnIfMissing(files)
      this.#problems.update(files)
      this.#served = withTexts(this.#served, files)
      this.#history.storeReplaced(files, this.#served)
      const plan = planRoutes(files, this.#served)
      this.#problems.recordRefused(files, plan)
      const changes = plan.changes.filter(({ file }) => !this.#problems.hasFailed(files, file))
      if (changes.length > 0) {
        const before = this.#served
        this.#deploying = files
        await this.#deploy(changes, files).finally(() => {
          this.#deploying = null
        })
        this.#audit.deployed(before, this.#served)
      }
      this.files.take(files)
      this.#problems.removeMissing(files)
      await this.#audit.written()
    }
    // Before edits that wait, each for the store that it writes to: what others have deployed is not delayed by them.
    return this.#queue.run(task, { isUrgent: true })
  }

  /** Routes that the units could not build get the version of the previous units, or the last good one, where that is another. */
  restore(): Promise<readonly LostRoute[]> {
    return this.#queue.run(async () => {
      await this.#openings.settled()
      const lost: LostRoute[] = []
      const older = new Map<PlannedChange, string>()
      for (const [id, { file, source, incomplete }] of this.#served) {
        const earlier = incomplete ? (this.#previous?.servedRoute(file, id) ?? this.#lastGood(file)) : null
        if (earlier === null || earlier.incomplete === true) continue
        if (earlier.source.revision === source.revision) lost.push(...lostRoutes(file, this.problemsOf(file)))
        else older.set({ change: { put: earlier.source }, file: earlier.file }, id)
      }
      if (older.size === 0) return lost
      const { problems, commit } = await this.#prepare([...older.keys()])
      const built = [...older].filter(([planned]) => !problems.has(planned))
      await commit(built.map(([planned]) => planned))
      this.#served = withEarlier(this.#served, built)
      return [...lost, ...problems.entries().flatMap(([{ file }, found]) => lostRoutes(file, found))]
    })
  }

  /** The units have replaced those of the previous deployment: records what has changed. */
  tookOver(): void {
    const previous = this.#previous
    this.#previous = null
    if (previous === null) return
    this.deploys.succeeded += previous.deploys.succeeded
    this.deploys.failed += previous.deploys.failed
    this.deploys.lastAt = Math.max(this.deploys.lastAt, previous.deploys.lastAt)
    this.#history.storeReplaced(this.files.all, previous.#served)
    this.#audit.deployed(previous.#served, this.#served)
  }

  /**
   * Runs a task between two deploys, when every unit has built its routes; null without a unit: then the files are not the current
   * ones, where the units of this deployment were replaced.
   */
  between<T>(task: () => Promise<T>): Promise<T | null> {
    return this.#queue.run(async () => {
      await this.#openings.settled()
      return this.#isOpen ? task() : null
    })
  }

  /** For a task between two deploys: waits for a store that others write to, while scans run. */
  aside<T>(work: Promise<T>): Promise<T> {
    return this.#queue.aside(work)
  }

  /**
   * Edits several files: every unit builds them aside, then `write` stores them and says whether it did, then they are swapped
   * in. Resolves with the problems by file where one can not be built; then `write` was not called.
   */
  async editAll(edits: FileEdits, write: () => Promise<boolean>): Promise<BatchOutcome> {
    const outcome = await this.between(async (): Promise<BatchOutcome> => {
      const swap = await this.swap(edits, inOrder(withEdits(this.files.all, edits)), () => this.aside(write()))
      if ('problems' in swap) return swap.problems
      if (swap.state === 'not-written') return 'not-written'
      this.#history.storeReplaced(this.files.all, swap.before)
      this.#audit.deployed(swap.before, this.#served)
      await this.#audit.written()
      return 'done'
    })
    return outcome ?? 'unavailable'
  }

  /**
   * Between two deploys: every unit builds edits, `wanted` being all files with them; then `write` stores them and says whether it did;
   * then they are swapped in.
   */
  async swap(edits: FileEdits, wanted: Files, write: () => Promise<boolean>): Promise<Swap> {
    const known = this.files.all
    const plan = planRoutes(wanted, this.#served, (file) => edits.has(file))
    const taken = problemsOfEdits(edits, plan)
    if (taken.size > 0) return { state: 'taken', problems: taken }
    const planned = plan.changes.filter(({ file }) => edits.has(file))
    const { problems, commit } = await this.#prepare(planned)
    // Otherwise units would keep what they have built.
    const isWritten =
      problems.size === 0 && (await write().catch((error) => commit([]).then(() => Promise.reject(error))))
    if (!isWritten) await commit([])
    if (problems.size > 0) return { state: 'refused', problems: problemsByFile(problems) }
    if (!isWritten) return { state: 'not-written' }
    // What a scan has deployed meanwhile is this version, or a later one.
    const own = new Map([...edits].filter(([file]) => isSameFile(this.files.all.get(file), known.get(file))))
    const current = inOrder(withEdits(this.files.all, own))
    const before = this.#served
    const built = planned.filter(({ file }) => own.has(file))
    const changes = planRoutes(current, before).changes.filter(({ file }) => own.has(file))
    if (isSamePlan(changes, built)) {
      await commit(built)
      this.#record(built)
      for (const file of own.keys()) this.#problems.clear(file)
    } else {
      await commit([])
      await this.#deploy(changes, current)
    }
    this.files.take(current)
    this.#served = withTexts(this.#served, current)
    return { state: 'swapped', before }
  }

  get directory(): string {
    return this.files.directory
  }

  /** The served routes, by id. */
  get served(): ServedRoutes {
    return this.#served
  }

  /** Number of files whose current content is not served. */
  get failing(): number {
    return this.#problems.size
  }

  /** The served route of a file, which may have had another id before; null where none is served. */
  servedRoute(file: string, id: string): ServedRoute | null {
    const byId = this.#served.get(id)
    return (byId?.file === file ? byId : routeOfFile(this.#served, file)) ?? null
  }

  /** Problems of a file; empty if its current content is served. */
  problemsOf(file: string): readonly LocatedProblem[] {
    return this.#problems.of(file)
  }

  /** Status of every file, by file name. */
  status(): RouteStatus[] {
    return statusOf(this.files.all, this.#served, this.#problems)
  }

  /** Whether a unit is there to build changes: new versions can only be checked by one. */
  get #isOpen(): boolean {
    return this.#units().some((unit) => unit.hasOpen(this.directory))
  }

  #firstScan(): void {
    this.#isScanned = true
    const files = this.files.read()
    this.files.take(files)
    this.#problems.update(files)
    const plan = planRoutes(files, this.#served)
    this.#problems.recordRefused(files, plan)
    const served = new Map(withChanges(this.#served, plan.changes))
    for (const { file, route } of files.values()) {
      if (route !== null) continue
      const earlier = this.#previous === null ? this.#lastGood(file) : routeOfFile(this.#previous.#served, file)
      if (earlier && !served.has(earlier.source.id)) served.set(earlier.source.id, earlier)
    }
    this.#served = served
  }

  /** All routes at once are rarely removed on purpose: a volume may be unmounted. */
  #warnIfMissing(files: Files): void {
    if (files.size > 0 || this.#served.size === 0 || existsSync(this.directory)) return
    this.#logger.warn({ directory: this.directory, routes: this.#served.size }, EVENTS.ROUTES_FOLDER_MISSING)
  }

  #prepare(planned: readonly PlannedChange[]): ReturnType<typeof prepareDeploy> {
    return prepareDeploy(this.#units(), this.directory, planned)
  }

  /** Both phases: changes that can not be built have problems, the others are swapped in. */
  async #deploy(planned: readonly PlannedChange[], files: Files): Promise<void> {
    const { problems, sought, commit } = await this.#prepare(planned)
    const failed = new Set<string>()
    for (const [planned, found] of problems) {
      const { file, change } = planned
      failed.add(file)
      this.#problems.add(files, file, found, 'put' in change ? change.put.revision : '', sought.get(planned))
    }
    // If the new version of a file can not be built, its last good version stays, also under an old id.
    const accepted = planned.filter(({ file }) => !failed.has(file))
    await commit(accepted)
    this.#record(accepted)
  }

  /** Changes are swapped in by every unit. */
  #record(changes: readonly PlannedChange[]): void {
    if (changes.length === 0) return
    this.deploys.succeeded += changes.length
    this.deploys.lastAt = Date.now()
    const before = this.#served
    this.#served = withChanges(before, changes)
    for (const { change, file } of changes) {
      if ('remove' in change) {
        this.#warnings.forget(change.remove)
        this.#logger.info({ route: change.remove, file }, 'route removed')
      } else {
        this.#problems.clear(file)
        this.#logger.info({ route: change.put.id, file }, before.has(change.put.id) ? 'route updated' : 'route loaded')
      }
    }
  }
}

function lostRoutes(file: string, problems: readonly LocatedProblem[]): LostRoute[] {
  return problems.map((problem) => ({ ...problem, file }))
}
