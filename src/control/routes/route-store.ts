import { existsSync } from 'node:fs'
import type { RouteFailure, RouteSource, RouteWarnings } from '#contracts'
import { removeUnfinishedWrites } from '#files'
import type { Logger } from '#logging'
import type { RouteOrder } from '#schema'
import { EVENTS } from '../log-events.ts'
import type { UnitLink } from '../units/unit-link.ts'
import type { DeployCounts } from './deploy-metrics.ts'
import { DeployedFolder } from './deployed-folder.ts'
import type { FolderChanges } from './folder-changes.ts'
import { FolderEdits } from './folder-edits.ts'
import type { FolderTarget } from './folder-target.ts'
import type { ReplacedVersions } from './history/replaced-versions.ts'
import { lastGoodRoute } from './last-good-route.ts'
import { type LostRoute, restoreRoutes } from './restored-routes.ts'
import type { BatchOutcome } from './route-batch.ts'
import type { EditOutcome, RouteEdit } from './route-edit.ts'
import { type RouteFile, readRouteFiles, rereadRouteFiles } from './route-files.ts'
import { planRoutes, type ServedRoute } from './route-plan.ts'
import type { LocatedProblem } from './route-problems.ts'
import { type RouteStatus, statusOf } from './route-status.ts'
import { RouterOpenings } from './router-openings.ts'
import { TaskQueue } from './task-queue.ts'

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
  readonly deploys: DeployCounts
  readonly #folder: DeployedFolder
  readonly #edits: FolderEdits
  readonly #logger: Logger
  readonly #openings = new RouterOpenings()
  /** Files of a scan that is deployed now. */
  #deploying: ReadonlyMap<string, RouteFile> | null = null
  #scanned = false
  /** A scan was requested while no unit was ready. */
  #postponed = false
  readonly #queue = new TaskQueue()
  /** Null once the units of this store serve. */
  #previous: RouteStore | null

  constructor(folder: RouteFolder, units: () => readonly UnitLink[], logger: Logger) {
    this.directory = folder.directory
    this.name = folder.name
    this.order = folder.order
    this.history = folder.history
    this.#previous = folder.previous
    this.#logger = logger
    this.#folder = new DeployedFolder(folder, units, logger)
    this.deploys = this.#folder.deploys
    this.#edits = new FolderEdits(this.#folder, this.#queue)
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
      return this.#folder.served.sources
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
      const served = this.#folder.served.markIncomplete(id)
      if (served === undefined) continue
      this.#folder.problems.add(this.#folder.files, served.file, problems, served.source.revision, files)
    }
  }

  /** Logs the warnings of a route, once for all units. */
  warned(warnings: RouteWarnings): void {
    this.#folder.served.warn(this.#deploying ?? this.#folder.files, warnings)
  }

  /** A unit has ended, and with it its unfinished builds. */
  ended(unit: UnitLink): void {
    this.#openings.end(unit)
  }

  /** The units of this store were replaced, and it deploys nothing more: what waits for their builds goes on. */
  retire(): void {
    this.#openings.endAll()
  }

  /** Deploys changed files. */
  scan(options: ScanOptions = {}): Promise<void> {
    const folder = this.#folder
    const { served, problems } = folder
    const task = async (): Promise<void> => {
      await this.#openings.settled()
      if (options.force) problems.retryAll()
      // Served versions stay until a unit is ready.
      this.#postponed = !folder.isOpen
      if (this.#postponed) return
      const files =
        options.files === undefined
          ? readRouteFiles(this.directory, folder.files)
          : rereadRouteFiles(this.directory, folder.files, options.files)
      this.#warnIfMissing(files)
      problems.update(files)
      served.updateTexts(files)
      this.history.storeReplaced(files, served.routes)
      const plan = planRoutes(files, served.routes)
      problems.recordRefused(files, plan)
      const changes = plan.changes.filter(({ file }) => !problems.hasFailed(files, file))
      if (changes.length > 0) {
        const before = new Map(served.routes)
        this.#deploying = files
        await folder.deploy(changes, files).finally(() => {
          this.#deploying = null
        })
        folder.changes.deployed(before, served.routes)
      }
      folder.files = files
      problems.removeMissing(files)
      await folder.changes.written()
    }
    // Before edits that wait, each for the store that it writes to: what others have deployed is not delayed by them.
    return this.#queue.run(task, { isUrgent: true })
  }

  /** All routes at once are rarely removed on purpose: a volume may be unmounted. */
  #warnIfMissing(files: ReadonlyMap<string, RouteFile>): void {
    const { served } = this
    if (files.size > 0 || served === 0 || existsSync(this.directory)) return
    this.#logger.warn({ directory: this.directory, routes: served }, EVENTS.ROUTES_FOLDER_MISSING)
  }

  /** Routes that the units could not build get the version of the previous store, where it has another one. */
  restore(): Promise<readonly LostRoute[]> {
    return this.#queue.run(async () => {
      await this.#openings.settled()
      return restoreRoutes({
        served: this.#folder.served,
        directory: this.directory,
        units: this.#folder.units,
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
    this.history.storeReplaced(this.#folder.files, previous.#folder.served.routes)
    this.#folder.changes.deployed(previous.#folder.served.routes, this.#folder.served.routes)
  }

  /** Number of served routes. */
  get served(): number {
    return this.#folder.served.routes.size
  }

  /** Number of files whose current content is not served. */
  get failing(): number {
    return this.#folder.problems.size
  }

  /** The served route of a file, which may have had another id before; null where none is served. */
  servedRoute(file: string, id: string): ServedRoute | null {
    const byId = this.#folder.served.routes.get(id)
    return (byId?.file === file ? byId : this.#folder.served.ofFile(file)) ?? null
  }

  /** The files as they were last read; changes of a scan are among them when they are deployed. */
  get files(): ReadonlyMap<string, RouteFile> {
    return this.#folder.files
  }

  /** Problems of a file; empty if its current content is served. */
  problemsOf(file: string): readonly LocatedProblem[] {
    return this.#folder.problems.of(file)
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
      return this.#edits.edit(decide)
    })
  }

  /**
   * Edits several files: every unit builds them aside, then `write` stores them and says whether it did, then they are swapped
   * in. Resolves with the problems by file where one can not be built; then `write` was not called.
   */
  editAll(edits: ReadonlyMap<string, RouteFile | null>, write: () => Promise<boolean>): Promise<BatchOutcome> {
    return this.#queue.run(async () => {
      await this.#openings.settled()
      return this.#edits.editAll(edits, write)
    })
  }

  /** Reads one file again, before a decision is made about it. */
  reread(file: string): RouteFile | null {
    return this.#folder.reread(file)
  }

  /** Resolves when the files have the changes that others made to the store; false where there can be no such changes. */
  catchUp(): Promise<boolean> {
    return this.#folder.target.catchUp()
  }

  /** Status of every file, by file name. */
  status(): RouteStatus[] {
    return statusOf(this.#folder.files, this.#folder.served.routes, this.#folder.problems)
  }

  #firstScan(): void {
    this.#scanned = true
    const { served, problems, target } = this.#folder
    if (!target.isReadOnly) removeUnfinishedWrites(this.directory)
    const files = readRouteFiles(this.directory, this.#folder.files)
    this.#folder.files = files
    problems.update(files)
    const plan = planRoutes(files, served.routes)
    problems.recordRefused(files, plan)
    served.begin(plan)
    if (this.#previous === null) {
      served.fill(files, (file) => this.#lastGood(file))
      return
    }
    for (const [id, route] of this.#previous.#folder.served.routes) {
      const isInvalid = files.get(route.file)?.route === null
      if (isInvalid && !served.routes.has(id)) served.restore(id, route)
    }
  }

  #lastGood(file: string): ServedRoute | null {
    return lastGoodRoute(file, this.#folder.target.lastGood(file))
  }
}
