// Edits of route files: what they change, what becomes of them, and what a scan beside them may have changed meanwhile.
import type { WriteOutcome } from '#releases'
import type { Problem } from '#schema'
import type { Replacement } from './history/version-file.ts'
import type { RouteFile } from './route-files.ts'
import type { PlannedChange, RoutePlan } from './route-plan.ts'
import type { ServedRoutes } from './served-routes.ts'

/** New contents of files by name; null removes one. */
export type FileEdits = ReadonlyMap<string, RouteFile | null>

/** A change of one file: new content, or its removal. */
export interface RouteEdit {
  readonly file: string
  /** Null to remove the file. */
  readonly next: RouteFile | null
  /** Whether the author wrote the text, so that problems have positions in it. */
  readonly isText?: boolean
  /** Whether to check the change only. */
  readonly openDryRun?: boolean
  /** The route and the author, for its history; the id in the file may differ. */
  readonly id?: string
  readonly by?: Replacement
}

/** Outcome of an edit. Only `done` has an effect. */
export type EditOutcome =
  | { readonly state: 'done' }
  /** Another route has its id or name. */
  | { readonly state: 'taken'; readonly problem: Problem }
  | { readonly state: 'refused'; readonly problems: readonly Problem[] }
  /** No unit is ready to check it. */
  | { readonly state: 'unavailable' }
  /** Nothing is written to the instance. */
  | { readonly state: 'read-only' }
  | { readonly state: 'unwritten'; readonly error: NodeJS.ErrnoException }
  /** The store did not take the change. */
  | { readonly state: 'not-stored'; readonly outcome: RefusedWrite }

/** A write that was not made, or of which that is not known. */
export type RefusedWrite = Exclude<WriteOutcome, { readonly state: 'done' | 'unwritten' }>

/** Result of an edit of several files: done, or the problems by file. `unavailable`: no unit is ready to build them. */
export type BatchOutcome = 'done' | 'not-written' | 'unavailable' | ReadonlyMap<string, readonly Problem[]>

/** What became of edits: `taken` and `refused` with the problems by file, `taken` before a unit was asked. */
export type Swap =
  | { readonly state: 'swapped'; readonly before: ServedRoutes }
  | { readonly state: 'not-written' }
  | { readonly state: 'taken' | 'refused'; readonly problems: ReadonlyMap<string, readonly Problem[]> }

/** The files after the edits; new ones are last. */
export function withEdits(files: ReadonlyMap<string, RouteFile>, edits: FileEdits): Map<string, RouteFile> {
  const edited = new Map(files)
  for (const [file, next] of edits) {
    if (next === null) edited.delete(file)
    else edited.set(file, next)
  }
  return edited
}

/** Problems that are visible without a unit: files that are no routes, and ids or names that others have. */
export function problemsOfEdits(edits: FileEdits, { refused }: RoutePlan): Map<string, readonly Problem[]> {
  const problems = new Map<string, readonly Problem[]>()
  for (const [file, next] of edits) if (next !== null && next.route === null) problems.set(file, next.problems)
  for (const [file, problem] of refused) if (edits.has(file)) problems.set(file, [problem])
  return problems
}

/** Problems of changes by the files of these. */
export function problemsByFile(
  problems: ReadonlyMap<PlannedChange, readonly Problem[]>,
): Map<string, readonly Problem[]> {
  const groups = Map.groupBy(problems, ([{ file }]) => file)
  return new Map([...groups].map(([file, found]) => [file, found.flatMap(([, each]) => each)]))
}

export function isSameFile(one: RouteFile | undefined, other: RouteFile | undefined): boolean {
  return one === other || (one !== undefined && one.text === other?.text && one.text !== '')
}

/** Whether two plans change the same routes in the same way. */
export function isSamePlan(one: readonly PlannedChange[], other: readonly PlannedChange[]): boolean {
  const textOf = ({ change }: PlannedChange) =>
    'put' in change ? `put ${change.put.id} ${change.put.revision}` : `remove ${change.remove}`
  return one.map(textOf).join('\n') === other.map(textOf).join('\n')
}
