import { constants, type Dirent } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { recordsOf } from '#contracts'
import { isRunning, thisProcess } from '../delivery/process-identity.ts'
import type { AuditRecord } from '../delivery/transport.ts'
import { type JournalName, type JournalTarget, parseJournalName } from './journal-file.ts'
import { readGroups } from './journal-group.ts'

const { O_RDONLY, O_NOFOLLOW = 0 } = constants
const NEWLINE = 0x0a
/** A journal of another machine counts as left behind when it was not written for this long: its process can not be asked. */
const EXPIRY = 30_000

/** Records that were left in journals. */
interface LeftRecords {
  readonly records: readonly AuditRecord[]
  readonly paths: readonly string[]
}

/** Reads the journals of processes that have ended. */
export function readLeftJournals(directory: string): Promise<LeftRecords> {
  return readJournals(directory, async ({ owner }, file) =>
    owner === null ? Date.now() - (await file.stat()).mtimeMs >= EXPIRY : !isRunning(owner),
  )
}

/** Reads the journals of a service of this process whose unit has ended: those after a batch that was taken. */
export function readUnitJournals(directory: string, service: number, batch: number): Promise<LeftRecords> {
  const { pid, started } = thisProcess()
  return readJournals(
    directory,
    async ({ owner, ...name }) =>
      owner?.pid === pid && owner.started === started && name.service === service && name.batch > batch,
  )
}

/** Records of each unit are in order; the last version of an event is taken. */
async function readJournals(
  directory: string,
  isLeft: (name: JournalName, file: FileHandle) => Promise<boolean>,
): Promise<LeftRecords> {
  const files = (await entriesOf(directory)).filter((entry) => entry.isFile())
  const names = files.map(({ name }) => parseJournalName(name)).filter((name) => name !== null)
  const records = new Map<string, AuditRecord>()
  const paths: string[] = []
  for (const name of names.sort(inOrder)) {
    const path = join(directory, name.name)
    await using file = await open(path, O_RDONLY | O_NOFOLLOW)
    if (!(await isLeft(name, file))) continue
    paths.push(path)
    for (const record of recordsIn(await file.readFile())) {
      const key = `${record.topic} ${record.id}`
      records.delete(key)
      records.set(key, record)
    }
  }
  return { records: [...records.values()], paths }
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function inOrder(a: JournalName, b: JournalName): number {
  return a.service - b.service || a.batch - b.batch
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
