import type { ServedFolders } from '#contracts'
import type { Authorship, EtcdReleases, FileChange, WriteOutcome } from '#releases'
import { FilesTooLargeError, readInstanceFiles } from './instance-files.ts'

const NOT_SERVED_YET = 'the store has a release that this gateway does not serve yet; try again'

/** Makes the first release of a store, of the files of an instance with changes; not where another gateway was first. */
export async function makeFirstRelease(
  releases: EtcdReleases,
  { folders, maxBytes }: { readonly folders: ServedFolders; readonly maxBytes: number },
  changes: readonly FileChange[],
  by: Authorship,
): Promise<WriteOutcome> {
  try {
    const files = await readInstanceFiles(folders, maxBytes)
    for (const { path, after } of changes) {
      if (after === null) files.delete(path)
      else files.set(path, Buffer.from(after))
    }
    // The files of this instance must not replace a release of another.
    const outcome = await releases.create(files, by, { local: null, expected: null })
    if (outcome.state === 'unchanged') return { state: 'done', release: outcome.release }
    if (outcome.state === 'missing') throw new Error('a new release names no other')
    return outcome.state === 'conflict' ? { state: 'unavailable', reason: NOT_SERVED_YET } : outcome
  } catch (error) {
    if (error instanceof FilesTooLargeError) return { state: 'too-large', bytes: error.bytes, limit: error.limit }
    throw error
  }
}
