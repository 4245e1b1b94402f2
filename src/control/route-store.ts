import { join } from 'node:path'
import type { RouteFailure, RouteSource, RouteWarnings } from '#contracts'
import type { Position } from '#json'
import type { Logger } from '#logging'
import type { Problem } from '#schema'
import { prepareDeployment } from './deployment.ts'
import { removeDurably, removeUnfinishedWrites, writeDurably } from './durable-file.ts'
import type { DeployCounts } from './monitoring/deploy-metrics.ts'
import { type RouteFile, readRouteFiles, rereadRouteFile } from './route-files.ts'
import { type PlannedChange, planRoutes, type RoutePlan, type Serving } from './route-plan.ts'
import type { UnitLink } from './unit-link.ts'

/** A problem with its place in the file. */
export type PlacedProblem = Problem & Partial<Position>

type Opening = ReturnType<typeof Promise.withResolvers<void>>

/** How a route file fares. */
export interface RouteStatus {
  readonly file: string
  readonly id: string | null
  readonly state: 'loaded' | 'failed'
  readonly problems: readonly PlacedProblem[]
}

/** What a client wants of one file: another content, or that it goes. */
export interface RouteEdit {
  readonly file: string
  /** Null: the file is removed. */
  readonly next: RouteFile | null
  /** True: find out what would happen, and change nothing. */
  readonly rehearse?: boolean
}

/** What became of an edit. Only `done` has changed anything. */
export type EditOutcome =
  | { readonly state: 'done' }
  /** Another route has its id or name. */
  | { readonly state: 'taken'; readonly problem: Problem }
  | { readonly state: 'refused'; readonly problems: readonly Problem[] }
  /** No unit is there to say whether it can be built. */
  | { readonly state: 'unavailable' }
  | { readonly state: 'unwritten'; readonly error: NodeJS.ErrnoException }

/**
 * The routes of one folder: what its files say, what is served, and the way from the one to the other. All changes
 * go through one queue. A file that turns bad leaves its last good version serving.
 */
export class RouteStore {
  readonly directory: string
  readonly name: string
  /** What became of changes so far. */
  readonly deploys: DeployCounts = { succeeded: 0, failed: 0, lastAt: 0 }
  readonly #units: () => readonly UnitLink[]
  readonly #logger: Logger
  readonly #serving = new Map<string, Serving>()
  readonly #problems = new Map<string, readonly PlacedProblem[]>()
  /** What of each file failed: that content is not tried again until the file changes or a scan is forced. */
  readonly #failed = new Map<string, string>()
  /** Routers that are building what they were handed, by their unit; a deploy waits for them. */
  readonly #openings = new Map<UnitLink, Opening[]>()
  /** Revisions whose warnings have been logged, by route. */
  readonly #warned = new Map<string, string>()
  #files: ReadonlyMap<string, RouteFile> = new Map()
  #scanned = false
  /** A scan was asked for while no unit was there. */
  #postponed = false
  #queue: Promise<unknown> = Promise.resolve()

  constructor(directory: string, name: string, units: () => readonly UnitLink[], logger: Logger) {
    this.directory = directory
    this.name = name
    this.#units = units
    this.#logger = logger
  }

  /** A unit opens a router on this folder: it gets what is deployed, and until it has built that no deploy begins. */
  open(unit: UnitLink): Promise<readonly RouteSource[]> {
    return this.#enqueue(async () => {
      if (!this.#scanned) this.#firstScan()
      this.#openings.set(unit, [...(this.#openings.get(unit) ?? []), Promise.withResolvers<void>()])
      return [...this.#serving.values()].map(({ source }) => source)
    })
  }

  /** A router of the unit has built what it could. */
  opened(unit: UnitLink, failures: readonly RouteFailure[]): void {
    const opening = this.#openings.get(unit)?.shift()
    opening?.resolve()
    if (this.#postponed) {
      this.#postponed = false
      this.scan().catch((error: unknown) => this.#logger.error({ error }, 'the route folder can not be scanned'))
    }
    if (opening !== undefined && unit.number === 0) {
      this.#logger.info({ routes: this.#serving.size - failures.length, directory: this.directory }, 'routes loaded')
    }
    for (const { id, problems } of failures) {
      const served = this.#serving.get(id)
      if (served === undefined) continue
      // Other units may serve it, so it stays known: removing its file must remove it there.
      this.#serving.set(id, { ...served, incomplete: true })
      this.#fail(served.file, problems, served.source.revision)
    }
  }

  /** Logs what a route's author should know, once for all units. */
  warned({ id, revision, warnings }: RouteWarnings): void {
    if (this.#warned.get(id) === revision) return
    // The unit says so while it swaps, before the store has recorded the new version.
    const served = this.#files.get(this.#serving.get(id)?.file ?? '')
    const found = served?.route?.id === id ? served : [...this.#files.values()].find(({ route }) => route?.id === id)
    if (found?.route?.revision !== revision) return
    this.#warned.set(id, revision)
    for (const { pointer, message } of warnings) {
      const { line, column } = found.route.document.locate(pointer)
      const fields = { file: join(this.directory, found.file), line, column, pointer }
      this.#logger.warn(fields, `${found.file}:${line}:${column}: ${pointer}: ${message}`)
    }
  }

  /** A unit has ended, and with it what it was building. */
  ended(unit: UnitLink): void {
    for (const opening of this.#openings.get(unit) ?? []) opening.resolve()
    this.#openings.delete(unit)
  }

  /** Brings what is served in line with the files. `force`: also tries what failed before (SIGHUP). */
  scan(options: { force?: boolean } = {}): Promise<void> {
    return this.#enqueue(async () => {
      await Promise.all([...this.#openings.values()].flat().map(({ promise }) => promise))
      if (options.force) this.#failed.clear()
      // Nobody could say whether a new version can be built: what was served stays until somebody can.
      this.#postponed = !this.#units().some((unit) => unit.hasOpen(this.directory))
      if (this.#postponed) return
      this.#files = readRouteFiles(this.directory, this.#files)
      this.#noteReading()
      const plan = planRoutes(this.#files, this.#serving)
      this.#noteRefused(plan)
      const changes = plan.changes.filter(({ file }) => !this.#failedBefore(file))
      if (changes.length > 0) await this.#deploy(changes)
      this.#forgetGoneFiles()
    })
  }

  /** How many routes are served. */
  get served(): number {
    return this.#serving.size
  }

  /** How many files are not served as they are written. */
  get failing(): number {
    return this.#problems.size
  }

  /** The files as they were last read. */
  get files(): ReadonlyMap<string, RouteFile> {
    return this.#files
  }

  /** What is wrong with a file; empty where it is served as it is written. */
  problemsOf(file: string): readonly PlacedProblem[] {
    return this.#problems.get(file) ?? []
  }

  /**
   * Edits one file: every unit builds the change aside, then it is written, then swapped in; or nothing changes at all.
   * `decide` runs when its turn has come and sees the files as they are then, so that nobody's change is lost.
   */
  edit<R>(
    decide: (files: ReadonlyMap<string, RouteFile>) => RouteEdit | { readonly answer: R },
  ): Promise<EditOutcome | { readonly answer: R }> {
    return this.#enqueue(async () => {
      await Promise.all([...this.#openings.values()].flat().map(({ promise }) => promise))
      const decided = decide(this.#files)
      if ('answer' in decided) return decided
      if (!this.#units().some((unit) => unit.hasOpen(this.directory))) return { state: 'unavailable' }
      return this.#edit(decided)
    })
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

  async #edit({ file, next, rehearse = false }: RouteEdit): Promise<EditOutcome> {
    const files = new Map(this.#files)
    if (next === null) files.delete(file)
    else files.set(file, next)
    const plan = planRoutes(files, this.#serving)
    const taken = plan.refused.get(file)
    if (taken !== undefined) return { state: 'taken', problem: taken }
    const planned = plan.changes.filter((change) => change.file === file)
    const deployment = await prepareDeployment(
      this.#units(),
      this.directory,
      planned.map(({ change }) => change),
    )
    const problems = [...deployment.problems.values()].flat()
    if (problems.length > 0 || rehearse) {
      await deployment.commit([])
      return problems.length > 0 ? { state: 'refused', problems } : { state: 'done' }
    }
    try {
      if (next === null) await removeDurably(this.directory, file)
      else await writeDurably(this.directory, file, next.text)
    } catch (error) {
      await deployment.commit([])
      return { state: 'unwritten', error: error as NodeJS.ErrnoException }
    }
    await deployment.commit([...planned.keys()])
    this.#files = files
    for (const change of planned) this.#record(change)
    this.#forget(file)
    return { state: 'done' }
  }

  /** Every file and how it fares, by file name. */
  status(): RouteStatus[] {
    const idOf = new Map([...this.#serving.values()].map(({ file, source }) => [file, source.id]))
    const files = new Set([...this.#files.keys(), ...this.#problems.keys()])
    return [...files].sort().map((file) => {
      const problems = this.#problems.get(file) ?? []
      return {
        file,
        id: idOf.get(file) ?? this.#files.get(file)?.route?.id ?? null,
        state: problems.length > 0 ? 'failed' : 'loaded',
        problems,
      }
    })
  }

  #firstScan(): void {
    this.#scanned = true
    removeUnfinishedWrites(this.directory)
    this.#files = readRouteFiles(this.directory, this.#files)
    this.#noteReading()
    const plan = planRoutes(this.#files, this.#serving)
    this.#noteRefused(plan)
    for (const { change, file } of plan.changes)
      if ('put' in change) this.#serving.set(change.put.id, { source: change.put, file })
  }

  async #deploy(planned: readonly PlannedChange[]): Promise<void> {
    const changes = planned.map(({ change }) => change)
    const deployment = await prepareDeployment(this.#units(), this.directory, changes)
    const failedFiles = new Set<string>()
    for (const [at, problems] of deployment.problems) {
      const { file, change } = planned[at] as PlannedChange
      failedFiles.add(file)
      this.#fail(file, problems, 'put' in change ? change.put.revision : '')
    }
    // Where a file's new version can not be built, what it served before stays, also under an old id.
    const accepted = [...planned.keys()].filter((at) => !failedFiles.has((planned[at] as PlannedChange).file))
    await deployment.commit(accepted)
    for (const at of accepted) this.#record(planned[at] as PlannedChange)
  }

  #record({ change, file }: PlannedChange): void {
    this.deploys.succeeded++
    this.deploys.lastAt = Date.now()
    if ('remove' in change) {
      if (this.#serving.get(change.remove)?.file === file) this.#serving.delete(change.remove)
      this.#warned.delete(change.remove)
      this.#logger.info({ route: change.remove, file }, 'route removed')
      return
    }
    const updated = this.#serving.has(change.put.id)
    this.#serving.set(change.put.id, { source: change.put, file })
    this.#forget(file)
    this.#logger.info({ route: change.put.id, file }, updated ? 'route updated' : 'route loaded')
  }

  /** Problems of files that can not be read; those of other files end when their content changes. */
  #noteReading(): void {
    for (const [file, { problems, stamp, route }] of this.#files) {
      const failed = this.#failed.get(file)
      if (problems.length > 0) this.#fail(file, problems, `unreadable ${stamp}`)
      else if (failed !== route?.revision && failed !== `refused ${route?.revision}`) this.#forget(file)
    }
  }

  /** A refused file is not one that failed: it gets its turn as soon as nobody else has its id and name. */
  #noteRefused({ refused }: RoutePlan): void {
    for (const [file, problem] of refused) {
      this.#fail(file, [problem], `refused ${this.#files.get(file)?.route?.revision}`)
    }
  }

  /** Remembers and logs why a file is not served; the same reason only once. */
  #fail(file: string, problems: readonly PlacedProblem[], content: string): void {
    const document = this.#files.get(file)?.route?.document
    const placed = problems.map((problem) => ({ ...document?.locate(problem.pointer), ...problem }))
    const before = JSON.stringify(this.#problems.get(file))
    this.#problems.set(file, placed)
    this.#failed.set(file, content)
    if (before === JSON.stringify(placed)) return
    this.deploys.failed++
    for (const { pointer, message, line, column } of placed) {
      const place = line === undefined ? file : `${file}:${line}:${column}`
      this.#logger.error(
        { file: join(this.directory, file), line, column, pointer },
        `${place}: ${pointer === '' ? '' : `${pointer}: `}${message}`,
      )
    }
  }

  #failedBefore(file: string): boolean {
    const revision = this.#files.get(file)?.route?.revision
    return revision !== undefined && this.#failed.get(file) === revision
  }

  #forgetGoneFiles(): void {
    for (const file of [...this.#problems.keys()]) if (!this.#files.has(file)) this.#forget(file)
  }

  #forget(file: string): void {
    this.#problems.delete(file)
    this.#failed.delete(file)
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(task)
    this.#queue = result.catch(() => {})
    return result
  }
}
