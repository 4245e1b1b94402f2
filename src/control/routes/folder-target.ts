import { sha256 } from '#files'
import type { Authorship, ConfigurationStore, WriteOutcome } from '#releases'
import type { RouteEdit } from './route-edit.ts'
import type { RouteFile } from './route-files.ts'

/** Where changes of a route folder are written. */
export interface FolderTarget {
  readonly store: Pick<ConfigurationStore, 'write'>
  /** Path of the folder in the store, with a slash at its end; empty where it is the root. */
  readonly path: string
  /** Whether edits are rejected, since nothing is written to the instance. */
  readonly isReadOnly: boolean
  /** Whether others write to the store too: what they have deployed does not wait for the edits of this instance. */
  readonly isShared: boolean
  /** Resolves when the folder has what was written. */
  written(outcome: WriteOutcome): Promise<void>
  /** Hash of a file as it is in the folder; null where it does not exist. */
  hash(file: string): Promise<string | null>
  /**
   * Resolves when the files of the folder have the changes that others had made to the store; with false for a store without
   * other writers.
   */
  catchUp(): Promise<boolean>
  /** The last content of a file that was served, where an earlier process of this instance kept it; null for none. */
  lastGood(file: string): Buffer | null
}

/** Author of changes by a caller without a name, as on loopback in development. */
const UNNAMED = 'management API'

/** Writes an edit, if the file still has the content `before`, on which it was decided. */
export async function writeEdit(
  { store, path, hash }: FolderTarget,
  { file, next, by }: RouteEdit,
  before: RouteFile | undefined,
): Promise<WriteOutcome> {
  const authorship: Authorship = { author: by?.user ?? UNNAMED, note: `${by?.operation ?? 'change'} ${file}` }
  try {
    const expected = before === undefined ? null : await hashOf(before, hash)
    return await store.write([{ path: path + file, before: expected, after: next?.text ?? null }], authorship)
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error
    return { state: 'unwritten', error: error as NodeJS.ErrnoException }
  }
}

/** The text of a file that is not UTF-8, or too large, is not known. */
async function hashOf({ file, text }: RouteFile, hash: FolderTarget['hash']): Promise<string | null> {
  return text === '' ? hash(file) : sha256(text)
}
