import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathProblem } from '#releases'

/** Folders that may link to one another are not followed deeper. */
const MAX_DEPTH = 32

/**
 * Files of an instance's own folders that are part of a release, by their paths. Others, such as hidden ones, are left out.
 * Throws where they have more than `maxBytes` in all.
 */
export async function readInstanceFiles(
  folders: { readonly config: string; readonly scripts: string },
  maxBytes: number,
): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  let bytes = 0
  const add = async (path: string, file: string): Promise<void> => {
    if (pathProblem(path) !== null) return
    const data = await readFile(file)
    bytes += data.length
    if (bytes > maxBytes) throw new FilesTooLargeError(bytes, maxBytes)
    files.set(path, data)
  }
  const walk = async (path: string, folder: string, depth: number): Promise<void> => {
    for (const name of (await namesIn(folder)).sort()) {
      const file = join(folder, name)
      // Links are followed: mounted folders of Kubernetes have them.
      const found = name.startsWith('.') ? null : await stat(file).catch(() => null)
      if (found?.isFile()) await add(`${path}/${name}`, file)
      else if (found?.isDirectory() && depth < MAX_DEPTH) await walk(`${path}/${name}`, file, depth + 1)
    }
  }
  const config = join(folders.config, 'config.json')
  if ((await stat(config).catch(() => null))?.isFile()) await add('config/config.json', config)
  await walk('config/routes', join(folders.config, 'routes'), 0)
  await walk('scripts', folders.scripts, 0)
  return files
}

/** The files of an instance are too large for one release. */
export class FilesTooLargeError extends Error {
  override readonly name = 'FilesTooLargeError'
  readonly bytes: number
  readonly limit: number

  constructor(bytes: number, limit: number) {
    super(`the files of the instance have more than ${limit} bytes`)
    this.bytes = bytes
    this.limit = limit
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
