import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { recordsOf } from '#contracts'
import { isRunning } from '../delivery/process-identity.ts'
import type { AuditRecord } from '../delivery/transport.ts'
import { type JournalName, type JournalTarget, parseJournalName } from './journal-file.ts'
import { readGroups } from './journal-group.ts'

const { O_RDONLY, O_NOFOLLOW = 0 } = constants
const NEWLINE = 0x0a
/** A journal of another machine counts as left behind when it was not written for this long: its process can not be asked. */
const EXPIRY = 30_000

/** Records in journals of processes that have ended. */
interface LeftRecords {
  readonly records: readonly AuditRecord[]
  readonly paths: readonly string[]
}

/** Reads the journals in a directory. Records of each unit are in order; the last version of an event is taken. */
export async function readLeftJournals(directory: string): Promise<LeftRecords> {
  const files = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isFile())
  const names = files.map(({ name }) => parseJournalName(name)).filter((name) => name !== null)
  const records = new Map<string, AuditRecord>()
  const paths: string[] = []
  for (const name of names.sort(inOrder)) {
    const path = join(directory, name.name)
    const content = await readLeft(path, name)
    if (content === null) continue
    paths.push(path)
    for (const record of recordsIn(content)) {
      const key = `${record.topic} ${record.id}`
      records.delete(key)
      records.set(key, record)
    }
  }
  return { records: [...records.values()], paths }
}

function inOrder(a: JournalName, b: JournalName): number {
  return a.service - b.service || a.batch - b.batch
}

/** Null where a running process has the journal. */
async function readLeft(path: string, { owner }: JournalName): Promise<Buffer | null> {
  if (owner !== null && isRunning(owner)) return null
  const file = await open(path, O_RDONLY | O_NOFOLLOW)
  try {
    if (owner === null && Date.now() - (await file.stat()).mtimeMs < EXPIRY) return null
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** Up to the first incomplete group: the process was killed while it wrote it. */
function* recordsIn(content: Buffer): Generator<AuditRecord> {
  const end = content.indexOf(NEWLINE)
  const target = end === -1 ? null : targetIn(content.toString('utf8', 0, end))
  if (target === null) return
  for (const batch of readGroups(content.subarray(end + 1), target.formats)) {
    yield* recordsOf(batch, target.formats, target)
  }
}

/** Null where the line has another form. */
function targetIn(line: string): Omit<JournalTarget, 'directory'> | null {
  try {
    const { formats, format, topics } = JSON.parse(line) as Partial<JournalTarget>
    return typeof formats === 'number' && typeof format === 'number' && Array.isArray(topics)
      ? { formats, format, topics }
      : null
  } catch {
    return null
  }
}
