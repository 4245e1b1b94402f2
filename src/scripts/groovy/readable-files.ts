import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'

/** The files that scripts can read. */
export interface ReadableFiles {
  readonly instance: string
  readonly config: string
  readonly secrets: string
  /** Folders and files that scripts can read (`scriptFiles` of admin.json), relative to the instance. */
  readonly readable: readonly string[]
}

/**
 * The real path of a file or folder that scripts can read; null for others. Stores, keystores and passwords may be anywhere in an
 * instance: what is not listed is hidden. Links are resolved first, so that none leads out of what is listed.
 */
export async function readablePath(path: string, files: ReadableFiles): Promise<string | null> {
  if (path.includes('\0')) return null
  const { instance, config, secrets, readable } = files
  const real = await realOf(resolve(instance, path))
  if (real === null) return null
  // Never readable, also where a folder that contains them is listed.
  const documents = [config, join(instance, 'config')].flatMap((folder) =>
    ['admin.json', 'config.json', 'routes'].map((name) => join(folder, name)),
  )
  for (const each of [secrets, join(instance, 'history'), ...documents]) {
    if (isWithin(real, (await realOf(each)) ?? resolve(each))) return null
  }
  for (const each of readable) {
    const listed = await realOf(resolve(instance, each))
    if (listed !== null && isWithin(real, listed)) return real
  }
  return null
}

const realOf = (path: string): Promise<string | null> => realpath(path).catch(() => null)

/** Whether a path is that of a folder, or below it. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
