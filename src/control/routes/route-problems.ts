import { join } from 'node:path'
import type { Position } from '#json'
import type { Logger } from '#logging'
import type { Problem } from '#schema'
import { EVENTS } from '../log-events.ts'
import type { DeployCounts } from './deploy-metrics.ts'
import { FailedContent } from './failed-content.ts'
import type { RouteFile } from './route-files.ts'
import type { RoutePlan } from './route-plan.ts'

/** A problem with its position in the file. */
export type LocatedProblem = Problem & Partial<Position>

type Files = ReadonlyMap<string, RouteFile>

/** Called for a file whose current content is not served. */
type FailureObserver = (file: string, found: RouteFile | undefined, problems: readonly LocatedProblem[]) => void

/** Problems of the files of one folder, and the contents that have failed. */
export class RouteProblems {
  readonly #directory: string
  readonly #deploys: DeployCounts
  readonly #logger: Logger
  readonly #observer: FailureObserver
  readonly #problems = new Map<string, readonly LocatedProblem[]>()
  /** Failed content of each file: not deployed again until it, or a file that its build sought, changes, or a scan is forced. */
  readonly #failed = new Map<string, FailedContent>()

  constructor(directory: string, deploys: DeployCounts, logger: Logger, observer: FailureObserver) {
    this.#directory = directory
    this.#deploys = deploys
    this.#logger = logger
    this.#observer = observer
  }

  /** Number of files with problems. */
  get size(): number {
    return this.#problems.size
  }

  /** Names of the files that have problems. */
  files(): Iterable<string> {
    return this.#problems.keys()
  }

  /** Problems of a file; empty if its current content is served. */
  of(file: string): readonly LocatedProblem[] {
    return this.#problems.get(file) ?? []
  }

  /** Records and logs why a file is not served; the same reason only once. `sought`: the files that its build read or sought. */
  add(
    files: Files,
    file: string,
    problems: readonly LocatedProblem[],
    content: string,
    sought: Iterable<string> = [],
  ): void {
    const document = files.get(file)?.route?.document
    const placed = problems.map((problem) => ({ ...document?.locate(problem.pointer), ...problem }))
    const before = JSON.stringify(this.#problems.get(file))
    this.#problems.set(file, placed)
    this.#failed.set(file, new FailedContent(content, files.get(file)?.stamp ?? '', sought))
    if (before === JSON.stringify(placed)) return
    this.#deploys.failed++
    this.#observer(file, files.get(file), placed)
    for (const { pointer, message, line, column } of placed) {
      const place = line === undefined ? file : `${file}:${line}:${column}`
      this.#logger.error(
        { file: join(this.#directory, file), line, column, pointer },
        EVENTS.ROUTE_REFUSED.withMessage(`${place}: ${pointer === '' ? '' : `${pointer}: `}${message}`),
      )
    }
  }

  /**
   * Sets the problems of unreadable files; those of other files are cleared when their content changes. A failed content is
   * deployed again when its file was written again, or a file that its build sought has changed.
   */
  update(files: Files): void {
    const states = new Map<string, string>()
    for (const [file, { problems, stamp, route }] of files) {
      const failed = this.#failed.get(file)
      if (problems.length > 0) this.add(files, file, problems, `unreadable ${stamp}`)
      else if (failed?.content === route?.revision) failed?.check(stamp, states)
      else if (failed?.content !== `refused ${route?.revision}`) this.clear(file)
    }
  }

  /** A refused file has not failed: it is deployed once its id and name are free. */
  recordRefused(files: Files, { refused }: RoutePlan): void {
    for (const [file, problem] of refused) {
      this.add(files, file, [problem], `refused ${files.get(file)?.route?.revision}`)
    }
  }

  /** Whether this content of the file has failed before. */
  hasFailed(files: Files, file: string): boolean {
    const revision = files.get(file)?.route?.revision
    const failed = this.#failed.get(file)
    return revision !== undefined && failed?.content === revision && !failed.isRetried
  }

  /** Clears all failed contents, so that they are deployed again. */
  retryAll(): void {
    this.#failed.clear()
  }

  /** Clears the problems of a file. */
  clear(file: string): void {
    this.#problems.delete(file)
    this.#failed.delete(file)
  }

  /** Removes the entries of removed files. */
  removeMissing(files: Files): void {
    for (const file of [...this.#problems.keys()]) if (!files.has(file)) this.clear(file)
  }
}
