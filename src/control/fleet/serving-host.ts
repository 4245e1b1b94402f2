import type { ServedFolders } from '#contracts'
import type { RouteFile } from '../routes/route-files.ts'
import type { ReleaseProblem } from './instance-status.ts'

/** Edits of route files by folder of the release, then by name; null removes one. */
export type RouteEdits = ReadonlyMap<string, ReadonlyMap<string, RouteFile | null>>

/** The gateway, as far as releases are applied to it. */
export interface ServingHost {
  /** Deploys files of the served folders that have changed; resolves when units serve them, or have rejected them. */
  scan(paths: readonly string[]): Promise<void>
  /** Problems of files of the served folders whose current content is not served. */
  problems(): readonly ReleaseProblem[]
  /**
   * Builds edits of routes aside, by folder and file name; then `write` stores them all and says whether they are swapped in.
   * Resolves with the problems where one can not be built.
   */
  editAll(edits: RouteEdits, write: () => Promise<boolean>): Promise<'done' | 'unavailable' | readonly ReleaseProblem[]>
  /** Starts units with these folders, which take over; resolves with the problems where they can not, and the others go on. */
  replace(folders: ServedFolders): Promise<readonly ReleaseProblem[]>
  /** Whether units could start with these folders, and which routes they could not build. Nothing is served by it. */
  tryOut(folders: ServedFolders): Promise<TrialResult>
}

/** Result of a trial. */
export interface TrialResult {
  /** Whether a unit starts: config.json and its objects. */
  readonly starts: boolean
  readonly problems: readonly ReleaseProblem[]
}
