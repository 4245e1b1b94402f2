import { join } from 'node:path'
import type { WriteOutcome } from '#releases'
import { EVENTS } from '../log-events.ts'
import type { DeployedFolder } from './deployed-folder.ts'
import { writeEdit } from './folder-target.ts'
import { isSameFile, isSamePlan, notOvertaken } from './overtaken-edits.ts'
import { type BatchOutcome, problemsOfEdits, withEdits } from './route-batch.ts'
import type { EditOutcome, RouteEdit } from './route-edit.ts'
import type { RouteFile } from './route-files.ts'
import { type PlannedChange, planRoutes } from './route-plan.ts'
import type { TaskQueue } from './task-queue.ts'

/**
 * Edits of the files of one folder: every unit builds a change aside, then it is written, then swapped in; or nothing is changed.
 * All methods run in the queue of the folder; while an edit waits for a store that others write to, scans run beside it.
 */
export class FolderEdits {
  readonly #folder: DeployedFolder
  readonly #queue: TaskQueue

  constructor(folder: DeployedFolder, queue: TaskQueue) {
    this.#folder = folder
    this.#queue = queue
  }

  /** Edits one file. `decide` gets the current files, so that no change is lost. */
  async edit<R>(
    decide: (files: ReadonlyMap<string, RouteFile>) => RouteEdit | { readonly answer: R },
  ): Promise<EditOutcome | { readonly answer: R }> {
    const { target, isOpen } = this.#folder
    // Before the decision: the files of a store whose units were replaced are not the current ones.
    if (!isOpen) return { state: 'unavailable' }
    const decided = this.#decided(decide)
    if ('answer' in decided || 'state' in decided) return decided
    if (target.isReadOnly && !decided.openDryRun) return { state: 'read-only' }
    return this.#edit(decided)
  }

  /**
   * Edits several files; `write` stores them and says whether it did. Resolves with the problems by file where one can not be
   * built; then `write` was not called.
   */
  async editAll(edits: ReadonlyMap<string, RouteFile | null>, write: () => Promise<boolean>): Promise<BatchOutcome> {
    const folder = this.#folder
    if (!folder.isOpen) return 'unavailable'
    const files = withEdits(folder.files, edits)
    const plan = planRoutes(files, folder.served.routes, (file) => edits.has(file))
    const problems = problemsOfEdits(edits, plan)
    if (problems.size > 0) return problems
    const planned = plan.changes.filter(({ file }) => edits.has(file))
    const deployment = await folder.prepare(planned)
    for (const [at, found] of deployment.problems) problems.set((planned[at] as PlannedChange).file, found)
    const known = folder.files
    const isWritten =
      problems.size === 0 &&
      (await this.#queue.aside(write()).catch((error) => deployment.commit([]).then(() => Promise.reject(error))))
    if (!isWritten) {
      await deployment.commit([])
      return problems.size > 0 ? problems : 'not-written'
    }
    const before = new Map(folder.served.routes)
    // What a scan has deployed meanwhile is this version, or a later one.
    const { own, accepted } = notOvertaken(edits, planned, known, folder.files)
    const current = withEdits(folder.files, own)
    folder.history.storeReplaced(current, before)
    await deployment.commit(accepted)
    folder.files = current
    for (const at of accepted) folder.record(planned[at] as PlannedChange)
    folder.served.updateTexts(current)
    for (const file of own.keys()) folder.problems.clear(file)
    folder.changes.deployed(before, folder.served.routes)
    await folder.changes.written()
    return 'done'
  }

  /** `decide` may read files, which fails without free file descriptors (threats F17). */
  #decided<D>(decide: (files: ReadonlyMap<string, RouteFile>) => D): D | EditOutcome {
    const { files, directory, logger } = this.#folder
    try {
      return decide(files)
    } catch (error) {
      if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error
      logger.error({ error, directory }, EVENTS.ROUTE_UNREADABLE)
      return { state: 'unwritten', error: error as NodeJS.ErrnoException }
    }
  }

  async #edit(edit: RouteEdit): Promise<EditOutcome> {
    const folder = this.#folder
    const { directory, logger } = folder
    const { file, next, openDryRun = false } = edit
    const files = new Map(folder.files)
    if (next === null) files.delete(file)
    else files.set(file, next)
    const plan = planRoutes(files, folder.served.routes, (each) => each === file)
    const taken = plan.refused.get(file)
    if (taken !== undefined) return { state: 'taken', problem: taken }
    const planned = plan.changes.filter((change) => change.file === file)
    // Of the content on which the edit was decided, not of a later one.
    const before = folder.files.get(file)
    const deployment = await folder.prepare(planned)
    const problems = [...deployment.problems.values()].flat()
    if (problems.length > 0 || openDryRun) {
      await deployment.commit([])
      return problems.length > 0 ? { state: 'refused', problems } : { state: 'done' }
    }
    const outcome = await this.#write(edit, before).catch(async (error: unknown) => {
      // Otherwise units would keep what they have built.
      await deployment.commit([])
      throw error
    })
    if (outcome.state !== 'done') {
      await deployment.commit([])
      if (outcome.state !== 'unwritten') return { state: 'not-stored', outcome }
      logger.error({ error: outcome.error, file: join(directory, file) }, EVENTS.ROUTE_NOT_WRITTEN)
      return outcome
    }
    // A scan has deployed this version meanwhile, or a later one.
    if (!isSameFile(folder.files.get(file), before)) {
      await deployment.commit([])
      return outcome
    }
    const current = withEdits(folder.files, new Map([[file, next]]))
    const changes = planRoutes(current, folder.served.routes).changes.filter((change) => change.file === file)
    if (isSamePlan(changes, planned)) {
      await deployment.commit([...planned.keys()])
      for (const change of planned) folder.record(change)
      folder.problems.clear(file)
    } else {
      await deployment.commit([])
      await folder.deploy(changes, current)
    }
    folder.files = current
    folder.served.updateTexts(current)
    return { state: 'done' }
  }

  /** Stores the version before the edit in the history, and writes the file. */
  async #write(edit: RouteEdit, before: RouteFile | undefined): Promise<WriteOutcome> {
    const { target, history, files, served } = this.#folder
    await history.storeBeforeEdit(edit, files, served.routes)
    const writing = writeEdit(target, edit, before)
    const outcome = await (target.isShared ? this.#queue.aside(writing) : writing)
    if (outcome.state !== 'unwritten') await target.written(outcome)
    return outcome
  }
}
