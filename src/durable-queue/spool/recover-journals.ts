import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '#files'
import type { QueuedRecord } from '../delivery/transport.ts'
import { type JournalUnreadable, leftJournals } from '../journal/journal-reader.ts'
import { SpoolLines } from './spool-lines.ts'
import { SpoolSegment, segmentName } from './spool-segment.ts'

/**
 * Makes the journals of processes that have ended segments of the spool, from the given number on. Some of their records may have been
 * delivered, or be in another segment; they have the same `_id`.
 */
export async function recoverJournals(
  directory: string,
  first: number,
  onUnreadable: (error: JournalUnreadable) => void,
): Promise<SpoolSegment[]> {
  const segments: SpoolSegment[] = []
  for await (const { records, paths } of leftJournals(directory, onUnreadable)) {
    const path = join(directory, segmentName(first + segments.length))
    if (records.length > 0) segments.push(await segmentOf(path, records))
    // A journal that can not be removed is read again by the next process.
    for (const journal of paths) await rm(journal, { force: true }).catch(() => {})
  }
  return segments
}

async function segmentOf(path: string, records: readonly QueuedRecord[]): Promise<SpoolSegment> {
  const lines = new SpoolLines().encode(records)
  const segment = new SpoolSegment(path)
  try {
    await segment.create()
    await segment.append(lines)
    await syncDirectory(path)
  } catch (error) {
    await segment.remove()
    throw error
  }
  await segment.finish()
  return new SpoolSegment(path, lines.length)
}
