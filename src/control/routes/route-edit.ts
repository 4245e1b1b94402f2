import type { WriteOutcome } from '#releases'
import type { Problem } from '#schema'
import type { Replacement } from './history/version-file.ts'
import type { RouteFile } from './route-files.ts'

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
