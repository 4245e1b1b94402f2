import type { Logger } from '#logging'
import type { UnitLink } from '../units/unit-link.ts'
import type { DeployCounts } from './deploy-metrics.ts'
import { prepareDeployment } from './deployment.ts'
import type { FolderChanges } from './folder-changes.ts'
import type { FolderTarget } from './folder-target.ts'
import type { ReplacedVersions } from './history/replaced-versions.ts'
import { idOf, type RouteFile, rereadRouteFile } from './route-files.ts'
import type { PlannedChange } from './route-plan.ts'
import { RouteProblems } from './route-problems.ts'
import { ServedRoutes } from './served-routes.ts'

/** A folder of routes, with its history and audit. */
interface FolderInput {
  readonly directory: string
  readonly history: ReplacedVersions
  readonly changes: FolderChanges
  readonly target: FolderTarget
}

/** The files of a folder of routes, the routes that units serve, and the deploys between them. */
export class DeployedFolder {
  readonly directory: string
  readonly history: ReplacedVersions
  readonly changes: FolderChanges
  readonly target: FolderTarget
  readonly logger: Logger
  /** Outcomes of changes so far. */
  readonly deploys: DeployCounts = { succeeded: 0, failed: 0, lastAt: 0 }
  readonly served: ServedRoutes
  readonly problems: RouteProblems
  /** As units serve them, or with the problems for which they do not. */
  files: ReadonlyMap<string, RouteFile> = new Map()
  readonly #units: () => readonly UnitLink[]

  constructor({ directory, history, changes, target }: FolderInput, units: () => readonly UnitLink[], logger: Logger) {
    this.directory = directory
    this.history = history
    this.changes = changes
    this.target = target
    this.logger = logger
    this.#units = units
    this.served = new ServedRoutes(directory, this.deploys, logger)
    this.problems = new RouteProblems(directory, this.deploys, logger, (file, found, problems) => {
      changes.failed(file, found === undefined ? file : idOf(found), this.served.ofFile(file), problems)
    })
  }

  get units(): readonly UnitLink[] {
    return this.#units()
  }

  /** Whether a unit is there to build changes: new versions can only be checked by one. */
  get isOpen(): boolean {
    return this.units.some((unit) => unit.hasOpen(this.directory))
  }

  /** Reads one file again, before a decision is made about it. */
  reread(file: string): RouteFile | null {
    const found = rereadRouteFile(this.directory, file, this.files.get(file))
    const files = new Map(this.files)
    if (found === null) files.delete(file)
    else files.set(file, found)
    this.files = files
    return found
  }

  /** First phase of a deploy. */
  prepare(planned: readonly PlannedChange[]): ReturnType<typeof prepareDeployment> {
    return prepareDeployment(
      this.units,
      this.directory,
      planned.map(({ change }) => change),
    )
  }

  /** Both phases: changes that can not be built have problems, the others are swapped in. */
  async deploy(planned: readonly PlannedChange[], files: ReadonlyMap<string, RouteFile>): Promise<void> {
    const { problems: found, files: sought, commit } = await this.prepare(planned)
    const failedFiles = new Set<string>()
    for (const [at, problems] of found) {
      const { file, change } = planned[at] as PlannedChange
      failedFiles.add(file)
      this.problems.add(files, file, problems, 'put' in change ? change.put.revision : '', sought.get(at))
    }
    // If the new version of a file can not be built, its last good version stays, also under an old id.
    const accepted = [...planned.keys()].filter((at) => !failedFiles.has((planned[at] as PlannedChange).file))
    await commit(accepted)
    for (const at of accepted) this.record(planned[at] as PlannedChange)
  }

  /** A change is swapped in. */
  record(change: PlannedChange): void {
    this.served.record(change)
    if ('put' in change.change) this.problems.clear(change.file)
  }
}
