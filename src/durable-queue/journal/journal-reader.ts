import { constants, type Dirent } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { recordsOf } from '../batch/batch-records.ts'
import type { QueuedRecord } from '../delivery/transport.ts'
import { isRunning, thisProcess } from '../spool/process-identity.ts'
import { type JournalName, type JournalTarget, parseJournalName } from './journal-file.ts'
import { readGroups } from './journal-group.ts'

const { O_RDONLY, O_NOFOLLOW = 0 } = constants
const NEWLINE = 0x0a
/** A journal of another machine counts as left behind when it was not written for this long: its process can not be asked. */
const EXPIRY = 30_000
const PART_BYTES = 4 * 1024 * 1024

/** Records of some journals. */
interface LeftRecords {
  readonly records: readonly QueuedRecord[]
  readonly paths: readonly string[]
  /** Size of the journals. */
  readonly bytes: number
}

/** A journal that can not be read; it is left. */
export class JournalUnreadable extends Error {
  constructor(path: string, cause: Error) {
    super(`the journal ${path} can not be read: ${cause.message}`, { cause })
  }
}

/** The journals of processes that have ended. */
export function leftJournals(
  directory: string,
  onUnreadable: (error: JournalUnreadable) => void,
): AsyncGenerator<LeftRecords> {
  return readJournals(directory, ({ owner }) => owner === null || !(isThis(owner) || isRunning(owner)), onUnreadable)
}

/** The journals of a service of this process whose unit has ended: those after a batch that was taken. */
export function unitJournals(directory: string, service: number, batch: number): AsyncGenerator<LeftRecords> {
  const isOfService = (name: JournalName): boolean =>
    name.owner !== null && isThis(name.owner) && name.service === service && name.batch > batch
  return readJournals(directory, isOfService, (error) => {
    throw error
  })
}

function isThis({ pid, started }: NonNullable<JournalName['owner']>): boolean {
  const own = thisProcess()
  return pid === own.pid && started === own.started
}

/** In parts of a bounded size. Records of each unit are in order, and of the versions of a record in a part the last is taken. */
async function* readJournals(
  directory: string,
  isWanted: (name: JournalName) => boolean,
  onUnreadable: (error: JournalUnreadable) => void,
): AsyncGenerator<LeftRecords> {
  const files = (await entriesOf(directory)).filter((entry) => entry.isFile())
  const names = files.map(({ name }) => parseJournalName(name)).filter((name) => name !== null)
  const records = new Map<string, QueuedRecord>()
  let paths: string[] = []
  let bytes = 0
  for (const name of names.filter(isWanted).sort(inOrder)) {
    const path = join(directory, name.name)
    const content = await contentOf(path, name, onUnreadable)
    if (content === null) continue
    paths.push(path)
    bytes += content.length
    for (const record of recordsIn(content)) {
      const key = `${record.topic} ${record.id}`
      records.delete(key)
      records.set(key, record)
    }
    if (bytes < PART_BYTES) continue
    yield { records: [...records.values()], paths, bytes }
    records.clear()
    paths = []
    bytes = 0
  }
  if (paths.length > 0) yield { records: [...records.values()], paths, bytes }
}

/** Null for a journal that is not read: it was removed, is unreadable, or a process of another machine may write it. */
async function contentOf(
  path: string,
  { owner }: JournalName,
  onUnreadable: (error: JournalUnreadable) => void,
): Promise<Buffer | null> {
  try {
    await using file = await open(path, O_RDONLY | O_NOFOLLOW)
    if (owner === null && Date.now() - (await file.stat()).mtimeMs < EXPIRY) return null
    return await file.readFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onUnreadable(new JournalUnreadable(path, error as Error))
    return null
  }
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
function* recordsIn(content: Buffer): Generator<QueuedRecord> {
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
