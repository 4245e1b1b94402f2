import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../files/sync-directory.ts'
import { readLeftJournals } from '../journal/journal-reader.ts'
import { SpoolLines } from './spool-lines.ts'
import { SpoolSegment, segmentName } from './spool-segment.ts'
import type { AuditRecord } from './transport.ts'

/**
 * Makes the journals of processes that have ended a segment of the spool, with the given number: null without any. Some of their
 * events may have been delivered, or be in another segment; they have the same `_id`.
 */
export async function recoverJournals(directory: string, number: number): Promise<SpoolSegment | null> {
  const { records, paths } = await readLeftJournals(directory)
  const segment = records.length === 0 ? null : await segmentOf(join(directory, segmentName(number)), records)
  for (const path of paths) await rm(path, { force: true })
  return segment
}

async function segmentOf(path: string, records: readonly AuditRecord[]): Promise<SpoolSegment> {
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
