import { join } from 'node:path'
import type { RouteFailure, RouteSource, RouteWarnings } from '#contracts'
import type { Logger } from '#logging'
import type { RouteOrder } from '#schema'
import type { FolderChanges } from './audit/folder-changes.ts'
import { prepareDeployment } from './deployment.ts'
import { removeUnfinishedWrites } from './durable-file.ts'
import { type FolderTarget, writeEdit } from './folder-target.ts'
import type { ReplacedVersions } from './history/replaced-versions.ts'
import { lastGoodRoute } from './last-good-route.ts'
import { EVENTS } from './log-events.ts'
import type { DeployCounts } from './monitoring/deploy-metrics.ts'
import { isSameFile, isSamePlan, notOvertaken } from './overtaken-edits.ts'
import { type LostRoute, restoreRoutes } from './restored-routes.ts'
import { type BatchOutcome, problemsOfEdits, withEdits } from './route-batch.ts'
import type { EditOutcome, RouteEdit } from './route-edit.ts'
import { idOf, type RouteFile, readRouteFiles, rereadRouteFile, rereadRouteFiles } from './route-files.ts'
import { type PlannedChange, planRoutes, type ServedRoute } from './route-plan.ts'
import { type LocatedProblem, RouteProblems } from './route-problems.ts'
import { type RouteStatus, statusOf } from './route-status.ts'
import { RouterOpenings } from './router-openings.ts'
import { ServedRoutes } from './served-routes.ts'
import { TaskQueue } from './task-queue.ts'
import type { UnitLink } from './unit-link.ts'

/** A folder of routes, with its history, audit and metrics. */
interface RouteFolder {
  readonly directory: string
  readonly name: string
  /** Of the routes of the first router on the folder. */
  readonly order: RouteOrder
  readonly history: ReplacedVersions
  readonly changes: FolderChanges
  readonly target: FolderTarget
  /** The store of the units that are to be replaced. */
  readonly previous: RouteStore | null
}

/** Which files a scan looks at. */
interface ScanOptions {
  /** Also contents that failed before (SIGHUP). */
  readonly force?: boolean
  /** Names of the only files that may have changed. */
  readonly files?: Iterable<string>
}

/**
 * The routes of one folder: its files, the served routes, and the deploys between them. All changes go through one
 * queue. The last good version of an invalid file keeps serving.
 */
export class RouteStore {
  readonly directory: string
  readonly name: string
  readonly order: RouteOrder
  readonly history: ReplacedVersions
  /** Outcomes of changes so far. */
  readonly deploys: DeployCounts = { succeeded: 0, failed: 0, lastAt: 0 }
  readonly #changes: FolderChanges
  readonly #target: FolderTarget
  readonly #units: () => readonly UnitLink[]
  readonly #logger: Logger
  readonly #served: ServedRoutes
  readonly #problems: RouteProblems
  readonly #openings = new RouterOpenings()
  /** As units serve them, or with the problems for which they do not. */
  #files: ReadonlyMap<string, RouteFile> = new Map()
  /** Files of a scan that is deployed now. */
  #deploying: ReadonlyMap<string, RouteFile> | null = null
  #scanned = false
  /** A scan was requested while no unit was ready. */
  #postponed = false
  readonly #queue = new TaskQueue()
  /** Null once the units of this store serve. */
  #previous: RouteStore | null

  constructor(folder: RouteFolder, units: () => readonly UnitLink[], logger: Logger) {
    const { directory, name, history, changes } = folder
    this.#target = folder.target
    this.directory = directory
    this.name = name
    this.order = folder.order
    this.history = history
    this.#changes = changes
    this.#previous = folder.previous
    this.#units = units
    this.#logger = logger
    this.#served = new ServedRoutes(directory, this.deploys, logger)
    this.#problems = new RouteProblems(directory, this.deploys, logger, (file, found, problems) => {
      changes.failed(file, found === undefined ? file : idOf(found), this.#served.ofFile(file), problems)
    })
  }

  /**
   * A unit opens a router on this folder: it gets the deployed routes, and no deploy starts until it has built them. `signal`
   * is aborted when the call of the unit ends.
   */
  open(unit: UnitLink, signal: AbortSignal): Promise<readonly RouteSource[]> {
    return this.#queue.run(async () => {
      signal.throwIfAborted()
      if (!this.#scanned) this.#firstScan()
      this.#openings.begin(unit)
      return this.#served.sources
    })
  }

  /** A router of the unit has built its routes, except the failed ones. */
  opened(unit: UnitLink, failures: readonly RouteFailure[]): void {
    const wasExpected = this.#openings.finish(unit)
    if (this.#postponed) {
      this.#postponed = false
      this.scan().catch((error: unknown) => this.#logger.error({ error }, EVENTS.ROUTES_UNREADABLE))
    }
    if (wasExpected && unit.isFirst) {
      this.#logger.info({ routes: this.served - failures.length, directory: this.directory }, 'routes loaded')
    }
    for (const { id, problems, files } of failures) {
      const served = this.#served.markIncomplete(id)
      if (served !== undefined) this.#problems.add(this.#files, served.file, problems, served.source.revision, files)
    }
  }

  /** Logs the warnings of a route, once for all units. */
  warned(warnings: RouteWarnings): void {
    this.#served.warn(this.#deploying ?? this.#files, warnings)
  }

  /** A unit has ended, and with it its unfinished builds. */
  ended(unit: UnitLink): void {
    this.#openings.end(unit)
  }

  /** Deploys changed files. */
  scan(options: ScanOptions = {}): Promise<void> {
    const task = async (): Promise<void> => {
      await this.#openings.settled()
      if (options.force) this.#problems.retryAll()
      // New versions can only be checked by a unit: served ones stay until one is ready.
      this.#postponed = !this.#units().some((unit) => unit.hasOpen(this.directory))
      if (this.#postponed) return
      const files =
        options.files === undefined
          ? readRouteFiles(this.directory, this.#files)
          : rereadRouteFiles(this.directory, this.#files, options.files)
      this.#problems.update(files)
      this.#served.updateTexts(files)
      this.history.storeReplaced(files, this.#served.routes)
      const plan = planRoutes(files, this.#served.routes)
      this.#problems.recordRefused(files, plan)
      const changes = plan.changes.filter(({ file }) => !this.#problems.hasFailed(files, file))
      if (changes.length > 0) {
        const before = new Map(this.#served.routes)
        this.#deploying = files
        await this.#deploy(changes, files).finally(() => {
          this.#deploying = null
        })
        this.#changes.deployed(before, this.#served.routes)
      }
      this.#files = files
      this.#problems.removeMissing(files)
      await this.#changes.written()
    }
    // Before edits that wait, each for the store that it writes to: what others have deployed is not delayed by them.
    return this.#queue.run(task, { isUrgent: true })
  }

  /** Routes that the units could not build get the version of the previous store, where it has another one. */
  restore(): Promise<readonly LostRoute[]> {
    return this.#queue.run(async () => {
      await this.#openings.settled()
      return restoreRoutes({
        served: this.#served,
        directory: this.directory,
        units: this.#units(),
        before: (file, id) => this.#previous?.servedRoute(file, id) ?? this.#lastGood(file),
        problemsOf: (file) => this.problemsOf(file),
      })
    })
  }

  /** The units of this store have replaced those of the previous one: records what has changed. */
  tookOver(): void {
    const previous = this.#previous
    this.#previous = null
    if (previous === null) return
    this.deploys.succeeded += previous.deploys.succeeded
    this.deploys.failed += previous.deploys.failed
    this.deploys.lastAt = Math.max(this.deploys.lastAt, previous.deploys.lastAt)
    this.history.storeReplaced(this.#files, previous.#served.routes)
    this.#changes.deployed(previous.#served.routes, this.#served.routes)
  }

  /** Number of served routes. */
  get served(): number {
    return this.#served.routes.size
  }

  /** Number of files whose current content is not served. */
  get failing(): number {
    return this.#problems.size
  }

  /** The served route of a file, which may have had another id before; null where none is served. */
  servedRoute(file: string, id: string): ServedRoute | null {
    const byId = this.#served.routes.get(id)
    return (byId?.file === file ? byId : this.#served.ofFile(file)) ?? null
  }

  /** The files as they were last read; changes of a scan are among them when they are deployed. */
  get files(): ReadonlyMap<string, RouteFile> {
    return this.#files
  }

  /** Problems of a file; empty if its current content is served. */
  problemsOf(file: string): readonly LocatedProblem[] {
    return this.#problems.of(file)
  }

  /**
   * Edits one file: every unit builds the change aside, then it is written, then swapped in; or nothing is changed.
   * `decide` runs in the queue, on the current files, so that no change is lost.
   */
  edit<R>(
    decide: (files: ReadonlyMap<string, RouteFile>) => RouteEdit | { readonly answer: R },
  ): Promise<EditOutcome | { readonly answer: R }> {
    return this.#queue.run(async () => {
      await this.#openings.settled()
      // Before the decision: the files of a store whose units were replaced are not the current ones.
      if (!this.#units().some((unit) => unit.hasOpen(this.directory))) return { state: 'unavailable' }
      const decided = this.#decided(decide)
      if ('answer' in decided || 'state' in decided) return decided
      if (this.#target.isReadOnly && !decided.openDryRun) return { state: 'read-only' }
      return this.#edit(decided)
    })
  }

  /**
   * Edits several files: every unit builds them aside, then `write` stores them and says whether it did, then they are swapped
   * in. Resolves with the problems by file where one can not be built; then `write` was not called.
   */
  editAll(edits: ReadonlyMap<string, RouteFile | null>, write: () => Promise<boolean>): Promise<BatchOutcome> {
    return this.#queue.run(async () => {
      await this.#openings.settled()
      if (!this.#units().some((unit) => unit.hasOpen(this.directory))) return 'unavailable'
      const files = withEdits(this.#files, edits)
      const plan = planRoutes(files, this.#served.routes)
      const problems = problemsOfEdits(edits, plan)
      if (problems.size > 0) return problems
      const planned = plan.changes.filter(({ file }) => edits.has(file))
      const deployment = await prepareDeployment(
        this.#units(),
        this.directory,
        planned.map(({ change }) => change),
      )
      for (const [at, found] of deployment.problems) problems.set((planned[at] as PlannedChange).file, found)
      const known = this.#files
      const isWritten =
        problems.size === 0 &&
        (await this.#queue.aside(write()).catch((error) => deployment.commit([]).then(() => Promise.reject(error))))
      if (!isWritten) {
        await deployment.commit([])
        return problems.size > 0 ? problems : 'not-written'
      }
      const before = new Map(this.#served.routes)
      // What a scan has deployed meanwhile is this version, or a later one.
      const { own, accepted } = notOvertaken(edits, planned, known, this.#files)
      const current = withEdits(this.#files, own)
      this.history.storeReplaced(current, before)
      await deployment.commit(accepted)
      this.#files = current
      for (const at of accepted) this.#record(planned[at] as PlannedChange)
      this.#served.updateTexts(current)
      for (const file of own.keys()) this.#problems.clear(file)
      this.#changes.deployed(before, this.#served.routes)
      await this.#changes.written()
      return 'done'
    })
  }

  /** `decide` may read files, which fails without free file descriptors (threats F17). */
  #decided<D>(decide: (files: ReadonlyMap<string, RouteFile>) => D): D | EditOutcome {
    try {
      return decide(this.#files)
    } catch (error) {
      if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error
      this.#logger.error({ error, directory: this.directory }, EVENTS.ROUTE_UNREADABLE)
      return { state: 'unwritten', error: error as NodeJS.ErrnoException }
    }
  }

  /** Reads one file again, before a decision is made about it. */
  reread(file: string): RouteFile | null {
    const found = rereadRouteFile(this.directory, file, this.#files.get(file))
    const files = new Map(this.#files)
    if (found === null) files.delete(file)
    else files.set(file, found)
    this.#files = files
    return found
  }

  async #edit(edit: RouteEdit): Promise<EditOutcome> {
    const { file, next, openDryRun = false } = edit
    const files = new Map(this.#files)
    if (next === null) files.delete(file)
    else files.set(file, next)
    const plan = planRoutes(files, this.#served.routes)
    const taken = plan.refused.get(file)
    if (taken !== undefined) return { state: 'taken', problem: taken }
    const planned = plan.changes.filter((change) => change.file === file)
    // Of the content on which the edit was decided, not of a later one.
    const before = this.#files.get(file)
    const deployment = await prepareDeployment(
      this.#units(),
      this.directory,
      planned.map(({ change }) => change),
    )
    const problems = [...deployment.problems.values()].flat()
    if (problems.length > 0 || openDryRun) {
      await deployment.commit([])
      return problems.length > 0 ? { state: 'refused', problems } : { state: 'done' }
    }
    await this.history.storeBeforeEdit(edit, this.#files, this.#served.routes)
    const writing = writeEdit(this.#target, edit, before)
    const outcome = await (this.#target.isShared ? this.#queue.aside(writing) : writing)
    if (outcome.state !== 'unwritten') await this.#target.written(outcome)
    if (outcome.state !== 'done') {
      await deployment.commit([])
      if (outcome.state !== 'unwritten') return { state: 'not-stored', outcome }
      this.#logger.error({ error: outcome.error, file: join(this.directory, file) }, EVENTS.ROUTE_NOT_WRITTEN)
      return outcome
    }
    // A scan has deployed this version meanwhile, or a later one.
    if (!isSameFile(this.#files.get(file), before)) {
      await deployment.commit([])
      return outcome
    }
    const current = withEdits(this.#files, new Map([[file, next]]))
    const changes = planRoutes(current, this.#served.routes).changes.filter((change) => change.file === file)
    if (isSamePlan(changes, planned)) {
      await deployment.commit([...planned.keys()])
      for (const change of planned) this.#record(change)
      this.#problems.clear(file)
    } else {
      await deployment.commit([])
      await this.#deploy(changes, current)
    }
    this.#files = current
    this.#served.updateTexts(current)
    return { state: 'done' }
  }

  /** Resolves when the files have the changes that others made to the store; false where there can be no such changes. */
  catchUp(): Promise<boolean> {
    return this.#target.catchUp()
  }

  /** Status of every file, by file name. */
  status(): RouteStatus[] {
    return statusOf(this.#files, this.#served.routes, this.#problems)
  }

  #firstScan(): void {
    this.#scanned = true
    if (!this.#target.isReadOnly) removeUnfinishedWrites(this.directory)
    this.#files = readRouteFiles(this.directory, this.#files)
    this.#problems.update(this.#files)
    const plan = planRoutes(this.#files, this.#served.routes)
    this.#problems.recordRefused(this.#files, plan)
    this.#served.begin(plan)
    const before: ReadonlyMap<string, ServedRoute> = this.#previous === null ? new Map() : this.#previous.#served.routes
    for (const [id, route] of before) {
      const isInvalid = this.#files.get(route.file)?.route === null
      if (isInvalid && !this.#served.routes.has(id)) this.#served.restore(id, route)
    }
    if (this.#previous === null) this.#served.fill(this.#files, (file) => this.#lastGood(file))
  }

  #lastGood(file: string): ServedRoute | null {
    return lastGoodRoute(file, this.#target.lastGood(file))
  }

  async #deploy(planned: readonly PlannedChange[], files: ReadonlyMap<string, RouteFile>): Promise<void> {
    const changes = planned.map(({ change }) => change)
    const { problems: found, files: sought, commit } = await prepareDeployment(this.#units(), this.directory, changes)
    const failedFiles = new Set<string>()
    for (const [at, problems] of found) {
      const { file, change } = planned[at] as PlannedChange
      failedFiles.add(file)
      this.#problems.add(files, file, problems, 'put' in change ? change.put.revision : '', sought.get(at))
    }
    // If the new version of a file can not be built, its last good version stays, also under an old id.
    const accepted = [...planned.keys()].filter((at) => !failedFiles.has((planned[at] as PlannedChange).file))
    await commit(accepted)
    for (const at of accepted) this.#record(planned[at] as PlannedChange)
  }

  #record(change: PlannedChange): void {
    this.#served.record(change)
    if ('put' in change.change) this.#problems.clear(change.file)
  }
}
