import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJournalName } from '../journal/journal-file.ts'
import { isRunning } from './process-identity.ts'
import { isLocked } from './spool-lock.ts'
import { isSegmentName } from './spool-segment.ts'

/** A directory of a spool with records that nothing sends. */
interface OrphanedSpool {
  readonly directory: string
  /** Size of its segments and journals. */
  readonly bytes: number
}

/** The spools in a folder that no queue uses and no process has open, as after a queue was renamed. */
export async function* orphanedSpools(folder: string, used: ReadonlySet<string>): AsyncGenerator<OrphanedSpool> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const directory = join(folder, entry.name)
    if (!entry.isDirectory() || used.has(directory) || (await isLocked(directory))) continue
    // Where the directory can not be read, nothing is known about it.
    const bytes = await storedBytes(directory).catch(() => 0)
    if (bytes > 0) yield { directory, bytes }
  }
}

async function storedBytes(directory: string): Promise<number> {
  let bytes = 0
  for (const name of await readdir(directory)) {
    if (!isSegmentName(name) && !isLeftJournal(name)) continue
    const stats = await lstat(join(directory, name))
    if (stats.isFile()) bytes += stats.size
  }
  return bytes
}

function isLeftJournal(name: string): boolean {
  const journal = parseJournalName(name)
  return journal !== null && (journal.owner === null || !isRunning(journal.owner))
}
