import { randomBytes } from 'node:crypto'
import { constants, readdirSync, rmSync, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { nameFile } from './name-file.ts'

const TEMPORARY = /^\..+\.[0-9a-f]{16}\.tmp$/

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants

/** Mode of new files: readable by the owner and its group, since routes may contain secrets. An existing file keeps its mode. */
const RIGHTS = { file: 0o640, folder: 0o777 }

/** The whole content, or a function that writes it. */
type DurableContent = string | Uint8Array | ((file: FileHandle) => Promise<void>)

export interface ReplaceOptions {
  /** Of a new file; the umask applies. */
  readonly mode?: number
  /** Otherwise the file gets `mode`, whether it is new or not, and whatever the umask is. */
  readonly keepsMode?: boolean
  /** Path of the temporary file, in the same folder; by default a name that `removeUnfinishedWrites` finds. */
  readonly temporary?: string
  /** Otherwise a crash may bring the old file back, whole. */
  readonly syncsName?: boolean
}

/** Replaces a file of a folder that is made where it is missing; see `replaceFile`. */
export async function writeDurably(
  directory: string,
  name: string,
  content: DurableContent,
  rights = RIGHTS,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: rights.folder })
  await replaceFile(join(directory, name), content, { mode: rights.file })
}

/**
 * Replaces a file atomically, also in case of a crash: writes and syncs a temporary file beside it, renames it, and syncs
 * the folder. A write that fails leaves the old file.
 */
export async function replaceFile(
  path: string,
  content: DurableContent,
  { syncsName = true, ...options }: ReplaceOptions = {},
): Promise<void> {
  const directory = dirname(path)
  const replace = async (): Promise<void> => {
    const temporary = options.temporary ?? join(directory, temporaryName(basename(path)))
    try {
      await writeSynced(temporary, path, content, options)
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      throw error
    }
  }
  await (syncsName ? inFolder(directory, replace) : replace())
}

async function writeSynced(
  temporary: string,
  path: string,
  content: DurableContent,
  { mode = RIGHTS.file, keepsMode = true }: ReplaceOptions,
): Promise<void> {
  const replaced = keepsMode || isRoot() ? await statsOf(path) : null
  const kept = keepsMode ? replaced && replaced.mode & 0o777 : mode
  const file = await open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, kept ?? mode)
  try {
    if (isRoot()) await keepOwner(file, replaced ?? (await stat(dirname(path))))
    // The umask does not apply to the mode of the file that is replaced.
    if (kept !== null) await file.chmod(kept)
    if (typeof content === 'function') await content(file)
    else await file.writeFile(content, 'utf8')
    await file.sync()
  } catch (error) {
    throw nameFile(error, temporary)
  } finally {
    await file.close()
  }
}

function temporaryName(name: string): string {
  return `.${name}.${randomBytes(8).toString('hex')}.tmp`
}

/** Removes a file so that it stays removed after a crash. */
export async function removeDurably(directory: string, name: string): Promise<void> {
  await inFolder(directory, () => rm(join(directory, name), { force: true }))
}

/** Errors of exhausted resources, which do not concern the file itself. */
const SHORTAGES: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])

/** Whether an error is caused by exhausted resources, not by the file (threats F17). */
export function isResourceShortage(error: unknown): boolean {
  return SHORTAGES.has((error as NodeJS.ErrnoException).code)
}

/** Removes temporary files of writes that a crash interrupted. */
export function removeUnfinishedWrites(directory: string): void {
  try {
    for (const name of readdirSync(directory)) {
      if (TEMPORARY.test(name)) rmSync(join(directory, name), { force: true })
    }
  } catch {
    // A missing or read-only folder has no such files.
  }
}

/** Makes the name of a file durable. */
export function syncDirectory(path: string): Promise<void> {
  return inFolder(dirname(path), async () => {})
}

async function statsOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path)
  } catch {
    return null
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Files that root writes, as by `sudo gateway migrate`, belong to the user of the gateway, who could not read them otherwise. */
async function keepOwner(file: FileHandle, { uid, gid }: Stats): Promise<void> {
  try {
    await file.chown(uid, gid)
  } catch {
    // Root of a container may not have that right.
  }
}

/** Opens the folder first: once a change is made, its sync must not fail for lack of a file descriptor. */
async function inFolder(directory: string, change: () => Promise<void>): Promise<void> {
  const folder = await open(directory, 'r')
  try {
    await change()
    await folder.sync()
  } finally {
    await folder.close()
  }
}
