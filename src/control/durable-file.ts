import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const TEMPORARY = /^\..+\.[0-9a-f]{16}\.tmp$/

/** Mode of new files: readable by the owner and its group, since routes may contain secrets. An existing file keeps its mode. */
const RIGHTS = { file: 0o640, folder: 0o777 }

/**
 * Replaces a file atomically, also in case of a crash: writes and syncs a temporary file beside it, renames it, and syncs
 * the folder.
 */
export async function writeDurably(
  directory: string,
  name: string,
  content: string | Buffer,
  rights = RIGHTS,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: rights.folder })
  await inFolder(directory, async () => {
    const path = join(directory, name)
    const temporary = join(directory, `.${name}.${randomBytes(8).toString('hex')}.tmp`)
    try {
      const replaced = await statsOf(path)
      const mode = replaced === null ? null : replaced.mode & 0o777
      const file = await open(temporary, 'wx', mode ?? rights.file)
      try {
        await keepOwner(file, replaced ?? (await stat(directory)))
        // The umask does not apply to the mode of the file that is replaced.
        if (mode !== null) await file.chmod(mode)
        await file.writeFile(content, 'utf8')
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      throw error
    }
  })
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

async function statsOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path)
  } catch {
    return null
  }
}

/** Files that root writes, as by `sudo gateway migrate`, belong to the user of the gateway, who could not read them otherwise. */
async function keepOwner(file: FileHandle, { uid, gid }: Stats): Promise<void> {
  if (process.getuid?.() !== 0) return
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
