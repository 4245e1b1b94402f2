import type { Problem } from '#schema'
import type { Replacement } from './history/version-file.ts'
import type { RouteFile } from './route-files.ts'

/** What a client wants of one file: another content, or that it goes. */
export interface RouteEdit {
  readonly file: string
  /** Null: the file is removed. */
  readonly next: RouteFile | null
  /** True: find out what would happen, and change nothing. */
  readonly openDryRun?: boolean
  /** The route that is meant and who wants it, for its history; the file may say another id. */
  readonly id?: string
  readonly by?: Replacement
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
