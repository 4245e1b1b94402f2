import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeDurably, removeUnfinishedWrites, sha256, writeDurably } from '#files'
import type { Logger } from '#logging'
import type { Authorship, FileChange, WriteOutcome } from '#releases'
import type { Problem } from '#schema'
import { EVENTS } from '../log-events.ts'
import type { Deployment } from './deployment.ts'
import { type EditOutcome, type RouteEdit, withEdits } from './edits.ts'
import type { ReplacedVersions } from './history/replaced-versions.ts'
import type { RouteFile, RouteFiles } from './route-files.ts'

/** A folder in a store that several gateways share. */
export interface SharedFolder {
  /** Writes a file, by its name. */
  write(change: FileChange, by: Authorship): Promise<WriteOutcome>
  /** Resolves when the folder on disk has what was written. */
  onWriteCommitted(outcome: WriteOutcome): Promise<void>
  /** Resolves when the files on disk have the changes that others had made to the store. */
  catchUp(): Promise<void>
  /** The last content of a file that was served, where an earlier process of this instance kept it; null for none. */
  lastGood(file: string): Buffer | null
}

/** Input of a store. */
interface StoreInput {
  readonly files: RouteFiles
  readonly deployment: Deployment
  readonly history: ReplacedVersions
  /** Null where changes are written to the folder. */
  readonly shared: SharedFolder | null
  /** Whether nothing is written to the folder. */
  readonly isReadOnly: boolean
  readonly logger: Logger
}

/** Author of changes by a caller without a name, as on loopback in development. */
const UNNAMED = 'management API'

/**
 * The routes of one folder as they are stored: edits are written to the folder, or to a store that several gateways share, and what
 * they replace is in the history. `files` has what is wanted, `deployment` what is served.
 */
export class RouteStore {
  readonly files: RouteFiles
  readonly deployment: Deployment
  readonly history: ReplacedVersions
  readonly #shared: SharedFolder | null
  readonly #isReadOnly: boolean
  readonly #logger: Logger

  constructor({ files, deployment, history, shared, isReadOnly, logger }: StoreInput) {
    this.files = files
    this.deployment = deployment
    this.history = history
    this.#shared = shared
    this.#isReadOnly = isReadOnly && shared === null
    this.#logger = logger
    if (!this.#isReadOnly) removeUnfinishedWrites(files.directory)
  }

  get directory(): string {
    return this.files.directory
  }

  /**
   * Edits one file: every unit builds the change aside, then it is written, then swapped in; or nothing is changed.
   * `decide` gets the current files between two deploys, so that no change is lost.
   */
  async edit<R>(
    decide: (files: ReadonlyMap<string, RouteFile>) => RouteEdit | { readonly answer: R },
  ): Promise<EditOutcome | { readonly answer: R }> {
    const outcome = await this.deployment.between(async () => {
      const decided = this.#decided(decide)
      if ('answer' in decided || 'state' in decided) return decided
      return this.#isReadOnly && !decided.openDryRun ? ({ state: 'read-only' } as const) : this.#edit(decided)
    })
    return outcome ?? { state: 'unavailable' }
  }

  /** Resolves when the files have the changes that others made to the store; false where there can be no such changes. */
  async catchUp(): Promise<boolean> {
    await this.#shared?.catchUp()
    return this.#shared !== null
  }

  /** `decide` may read files, which fails without free file descriptors (threats F17). */
  #decided<D>(decide: (files: ReadonlyMap<string, RouteFile>) => D): D | EditOutcome {
    try {
      return decide(this.files.all)
    } catch (error) {
      if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error
      this.#logger.error({ error, directory: this.directory }, EVENTS.ROUTE_UNREADABLE)
      return { state: 'unwritten', error: error as NodeJS.ErrnoException }
    }
  }

  async #edit(edit: RouteEdit): Promise<EditOutcome> {
    const { file, next, openDryRun = false } = edit
    const files = this.files.all
    const edits = new Map([[file, next]])
    let outcome: WriteOutcome = { state: 'done' }
    const swap = await this.deployment.swap(edits, withEdits(files, edits), async () => {
      if (openDryRun) return false
      await this.history.storeBeforeEdit(edit, this.files.all, this.deployment.served)
      // On the content on which the edit was decided, not on a later one.
      const writing = this.#write(edit, files.get(file))
      outcome = await (this.#shared === null ? writing : this.deployment.aside(writing))
      if (outcome.state !== 'unwritten') await this.#shared?.onWriteCommitted(outcome)
      return outcome.state === 'done'
    })
    if ('problems' in swap) {
      const problems = swap.problems.get(file) ?? []
      return swap.state === 'taken'
        ? { state: 'taken', problem: problems[0] as Problem }
        : { state: 'refused', problems }
    }
    return this.#outcomeOf(outcome, file)
  }

  #outcomeOf(outcome: WriteOutcome, file: string): EditOutcome {
    if (outcome.state === 'done') return { state: 'done' }
    if (outcome.state !== 'unwritten') return { state: 'not-stored', outcome }
    this.#logger.error({ error: outcome.error, file: join(this.directory, file) }, EVENTS.ROUTE_NOT_WRITTEN)
    return outcome
  }

  /** Writes an edit, if the file still has the content `before`. */
  async #write({ file, next, by }: RouteEdit, before: RouteFile | undefined): Promise<WriteOutcome> {
    const authorship = { author: by?.user ?? UNNAMED, note: `${by?.operation ?? 'change'} ${file}` }
    try {
      // The text of a file that is not UTF-8, or too large, is not known.
      const isKnown = before === undefined || before.text !== ''
      const hash = isKnown ? before && sha256(before.text) : await this.#hash(file)
      const change = { path: file, before: hash ?? null, after: next?.text ?? null }
      return await (this.#shared?.write(change, authorship) ?? this.#writeFile(change))
    } catch (error) {
      if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error
      return { state: 'unwritten', error: error as NodeJS.ErrnoException }
    }
  }

  /** A crash leaves the old or the new file. */
  async #writeFile({ path, before, after }: FileChange): Promise<WriteOutcome> {
    if ((await this.#hash(path)) !== before) return { state: 'conflict', path }
    if (after === null) await removeDurably(this.directory, path)
    else await writeDurably(this.directory, path, after)
    return { state: 'done' }
  }

  /** Hash of a file as it is on disk; null where it does not exist. */
  async #hash(file: string): Promise<string | null> {
    const path = join(this.directory, file)
    try {
      // Reading a pipe or device would block. Such files are replaced, not read.
      return sha256((await stat(path)).isFile() ? await readFile(path) : '')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }
}
