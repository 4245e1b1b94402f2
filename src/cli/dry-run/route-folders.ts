import { join } from 'node:path'
import type { RouteFailure, RouteSource } from '#contracts'
import {
  folderConflicts,
  KeyValueStore,
  planRoutes,
  type RouteFile,
  readRouteFiles,
  unreadRouteFileNames,
} from '#control'
import { nameProblems } from '#files'
import {
  type AuditOutlet,
  type AuditPlan,
  ConfigError,
  DISCARDING_OUTLET,
  type SharedStore,
  systemClock,
} from '#schema'
import type { ControlServices } from '#unit'
import { type LocatedProblem, locateProblems } from '../problems.ts'

const UNREAD = 'the file is not read: files of routes are JSON, with names that end in .json'

/** Provides a unit with the route files of its folders, and collects their problems. */
export class RouteFolders implements ControlServices {
  readonly problems: LocatedProblem[] = []
  readonly warnings: LocatedProblem[] = []
  /** Of the audit services that were built. */
  readonly auditPlans: AuditPlan[] = []
  /** That of the service whose `serveQueries` was called; null for none. */
  queriedAuditPlan: AuditPlan | null = null
  readonly #openAuditPlans = new Set<AuditPlan>()
  readonly #folders = new Map<string, ReadonlyMap<string, RouteFile>>()
  readonly #progress: (directory: string, files: number) => void
  readonly #store = new KeyValueStore(systemClock)
  #withheld: boolean

  /** `withheld`: folders have no routes until `provideRoutes` is called. `progress` is called for each folder. */
  constructor(
    routes: 'provided' | 'withheld' = 'provided',
    progress: (directory: string, files: number) => void = () => {},
  ) {
    this.#withheld = routes === 'withheld'
    this.#progress = progress
  }

  /** Routers opened from now on get their routes. */
  provideRoutes(): void {
    this.#withheld = false
  }

  /** Opened folders, with the number of their route files. */
  get folders(): readonly { readonly directory: string; readonly files: number }[] {
    return [...this.#folders].map(([directory, files]) => ({ directory, files: files.size }))
  }

  async openRouter({ directory }: { directory: string }): Promise<readonly RouteSource[]> {
    const files = this.#withheld ? new Map<string, RouteFile>() : readRouteFiles(directory, new Map())
    const isNew = !this.#folders.has(directory)
    this.#folders.set(directory, files)
    this.#progress(directory, files.size)
    const plan = planRoutes(files, new Map(), () => true)
    if (isNew) {
      for (const { file, problems } of files.values()) this.#report(this.problems, directory, file, problems)
      for (const [file, problem] of plan.refused) this.#report(this.problems, directory, file, [problem])
      // Files that can not be read have problems of their own.
      const readable = [...files.values()].filter(({ text }) => text !== '')
      for (const [file, message] of nameProblems(readable.map(({ file }) => file)))
        this.#report(this.problems, directory, file, [{ pointer: '', message }])
      const unread = this.#withheld ? [] : unreadRouteFileNames(directory)
      for (const file of unread) this.#report(this.warnings, directory, file, [{ pointer: '', message: UNREAD }])
    }
    return plan.changes.flatMap(({ change }) => ('put' in change ? [change.put] : []))
  }

  /** Opens no destination: files and queues of a running gateway are left alone. */
  async openAudit(plan: AuditPlan): Promise<AuditOutlet> {
    const problems = folderConflicts(plan, this.#openAuditPlans)
    if (problems.length > 0) throw new ConfigError(problems)
    this.auditPlans.push(plan)
    this.#openAuditPlans.add(plan)
    const close = () => void this.#openAuditPlans.delete(plan)
    const serveQueries = () => {
      this.queriedAuditPlan = plan
    }
    return { ...DISCARDING_OUTLET, serveQueries, close }
  }

  routeWarnings({ directory, id, warnings }: Parameters<ControlServices['routeWarnings']>[0]): void {
    const file = this.fileOf(directory, id)
    if (file !== null) this.#report(this.warnings, directory, file.file, warnings)
  }

  routerOpened(directory: string, failures: readonly RouteFailure[]): void {
    for (const { id, problems } of failures) {
      const file = this.fileOf(directory, id)
      if (file !== null) this.#report(this.problems, directory, file.file, problems)
    }
  }

  closeRouter(): void {}

  sharedStore(space: string): SharedStore {
    return this.#store.space(space)
  }

  async share(_key: string, bytes: number): Promise<{ memory: SharedArrayBuffer; release(): void }> {
    return { memory: new SharedArrayBuffer(bytes), release: () => {} }
  }

  /** The route files of a folder, also those that are no routes. */
  filesOf(directory: string): readonly RouteFile[] {
    return [...(this.#folders.get(directory)?.values() ?? [])]
  }

  /** The file of a route, by folder and id. */
  fileOf(directory: string, id: string): RouteFile | null {
    for (const file of this.#folders.get(directory)?.values() ?? []) if (file.route?.id === id) return file
    return null
  }

  #report(known: LocatedProblem[], directory: string, name: string, problems: RouteFile['problems']): void {
    const document = this.#folders.get(directory)?.get(name)?.route?.document ?? null
    for (const problem of locateProblems(join(directory, name), document, problems)) {
      // Two routers may read one folder: problems of a file are reported once.
      const isKnown = known.some(
        ({ file, pointer, message }) =>
          file === problem.file && pointer === problem.pointer && message === problem.message,
      )
      if (!isKnown) known.push(problem)
    }
  }
}
