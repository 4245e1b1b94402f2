import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainObject, type JsonObject, parseJson } from '#json'

/** The change that replaced a version; unknown parts are absent. */
export interface Replacement {
  /** Such as `update`, `delete` or `rollback`; `file` where the file was changed outside the API. */
  readonly operation: string
  readonly user?: string
  readonly client?: string
  readonly transactionId?: string
}

/** Metadata of a version. */
export interface VersionHead {
  /** The folder of its router: relative within the instance, otherwise absolute. */
  readonly folder: string
  /** The name of its file in that folder. */
  readonly file: string
  readonly id: string
  readonly revision: string
  /** The revision of the text; null in files of earlier releases. */
  readonly sourceRevision: string | null
  /** ISO 8601. */
  readonly replacedAt: string
  readonly replacedBy: Replacement
  /** The length of the text. */
  readonly bytes: number
}

/** A file of the history that can not be read. */
export class UnreadableVersion extends Error {}

const NAME = /^(\d{10,15})-[a-z0-9._-]*-[0-9a-f]{8}\.route$/
const MAX_HEAD = 16 * 1024
const NEWLINE = 0x0a

/**
 * The file name of a version: a sequence number for the order, independent of the clock; the id in lower case, for
 * operators; and a random suffix, since ids may differ by case only.
 */
export function versionName(sequence: number, id: string): string {
  const readable = id.toLowerCase().replace(/[^a-z0-9._-]/g, '_')
  return `${String(sequence).padStart(10, '0')}-${readable.slice(0, 80)}-${randomBytes(4).toString('hex')}.route`
}

/** The sequence number in the name of a version; null for names of other files. */
export function sequenceIn(name: string): number | null {
  const found = NAME.exec(name)
  return found === null ? null : Number(found[1])
}

/** The content of a version file: one line of metadata, then the unchanged text of the route. */
export function printVersion(head: VersionHead, text: string): string {
  const { folder, file, id, revision, sourceRevision, replacedAt, replacedBy, bytes } = head
  const source = sourceRevision === null ? {} : { _sourceRev: sourceRevision }
  const line = { folder, file, _id: id, _rev: revision, ...source, replacedAt, replacedBy, bytes }
  return `${JSON.stringify(line)}\n${text}`
}

/** Reads the metadata of a version; throws UnreadableVersion, or the error of the file system. */
export function readVersionHead(directory: string, name: string): Promise<VersionHead> {
  return withFile(directory, name, async (handle, size) => (await headOf(handle, size)).head)
}

/** Reads the text of a version; throws UnreadableVersion, or the error of the file system. */
export function readVersionText(directory: string, name: string): Promise<string> {
  return withFile(directory, name, async (handle, size) => {
    const { head, end } = await headOf(handle, size)
    const bytes = await readAt(handle, end, head.bytes)
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw new UnreadableVersion('its text is not UTF-8')
    }
  })
}

/** Regular files only: reading a pipe would block, and a symbolic link may point outside of the folder. */
async function withFile<T>(
  directory: string,
  name: string,
  use: (handle: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const handle = await open(join(directory, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new UnreadableVersion('it is not a regular file')
    return await use(handle, stats.size)
  } finally {
    await handle.close()
  }
}

async function headOf(handle: FileHandle, size: number): Promise<{ head: VersionHead; end: number }> {
  const start = await readAt(handle, 0, Math.min(size, MAX_HEAD))
  const line = start.indexOf(NEWLINE)
  if (line === -1) throw new UnreadableVersion('its first line does not end')
  const head = parseHead(start.toString('utf8', 0, line))
  const end = line + 1
  if (size !== end + head.bytes) throw new UnreadableVersion(`expected ${end + head.bytes} bytes, found ${size}`)
  return { head, end }
}

function parseHead(line: string): VersionHead {
  const json = jsonIn(line)
  const { folder, file, _id: id, _rev: revision, _sourceRev: source, replacedAt, replacedBy, bytes } = json
  const texts = [folder, file, id, revision, replacedAt]
  const isWhole =
    texts.every((text) => typeof text === 'string') &&
    typeof bytes === 'number' &&
    Number.isSafeInteger(bytes) &&
    bytes >= 0 &&
    isPlainObject(replacedBy)
  if (!isWhole) throw new UnreadableVersion('its first line is not the metadata of a version')
  const [inFolder, inFile, ofId, ofRevision, at] = texts as [string, string, string, string, string]
  return {
    folder: inFolder,
    file: inFile,
    id: ofId,
    revision: ofRevision,
    sourceRevision: typeof source === 'string' ? source : null,
    replacedAt: at,
    replacedBy: replacementIn(replacedBy as JsonObject),
    bytes,
  }
}

function jsonIn(line: string): JsonObject {
  try {
    const json = parseJson(line)
    return isPlainObject(json) ? (json as JsonObject) : {}
  } catch {
    throw new UnreadableVersion('its first line is not JSON')
  }
}

function replacementIn({ operation, user, client, transactionId }: JsonObject): Replacement {
  return {
    operation: typeof operation === 'string' ? operation : 'file',
    ...(typeof user === 'string' && { user }),
    ...(typeof client === 'string' && { client }),
    ...(typeof transactionId === 'string' && { transactionId }),
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) throw new UnreadableVersion('it ended while it was read')
    filled += bytesRead
  }
  return buffer
}
