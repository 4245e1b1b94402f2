import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const TEMPORARY = /^\..+\.[0-9a-f]{16}\.tmp$/

/** A new file is readable by the owner only, since routes may hold secrets. An existing one keeps its mode. */
const RIGHTS = { file: 0o640, folder: 0o777 }

/**
 * Writes a file so that at any moment, also after a crash, its name leads to the whole old content or the whole new
 * one: a temporary file beside it, synced, renamed over it, and the folder synced.
 */
export async function writeDurably(directory: string, name: string, text: string, rights = RIGHTS): Promise<void> {
  await mkdir(directory, { recursive: true, mode: rights.folder })
  await inFolder(directory, async () => {
    const path = join(directory, name)
    const temporary = join(directory, `.${name}.${randomBytes(8).toString('hex')}.tmp`)
    try {
      const file = await open(temporary, 'wx', (await modeOf(path)) ?? rights.file)
      try {
        await file.writeFile(text, 'utf8')
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

/** Errors of exhausted resources, which say nothing about the file. */
const SHORTAGES: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])

/** Whether a file could not be opened for reasons that have nothing to do with it (threats F17). */
export function isResourceShortage(error: unknown): boolean {
  return SHORTAGES.has((error as NodeJS.ErrnoException).code)
}

/** Takes away what writes left behind that a crash cut short. */
export function removeUnfinishedWrites(directory: string): void {
  try {
    for (const name of readdirSync(directory)) {
      if (TEMPORARY.test(name)) rmSync(join(directory, name), { force: true })
    }
  } catch {
    // A folder that is missing or can not be written holds nothing that could be taken away.
  }
}

async function modeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mode & 0o777
  } catch {
    return null
  }
}

/** Opens the folder first: a change that is made must not fail for want of a descriptor to sync it with. */
async function inFolder(directory: string, change: () => Promise<void>): Promise<void> {
  const folder = await open(directory, 'r')
  try {
    await change()
    await folder.sync()
  } finally {
    await folder.close()
  }
}
