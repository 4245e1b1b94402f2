import type { BigIntStats } from 'node:fs'
import { constants, type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Logger } from '#logging'
import { EVENTS } from '../log-events.ts'

/** A file opened for one response. The caller closes it. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: BigIntStats
  readonly name: string
}

const NOT_THERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL'])
const NOT_ALLOWED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM'])

// O_NOFOLLOW: a symbolic link could be created between the check of a path and its opening. Windows has no such flag.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Opens a file below the root, after resolving symbolic links; null where none can be served. */
export async function openFile(
  root: string,
  names: readonly string[],
  logger: Logger,
): Promise<OpenFile | 'folder' | null> {
  try {
    // The root is resolved for each request: deployments may switch a symbolic link to the next release.
    const inside = await realpath(root)
    const path = await realpath(join(inside, ...names))
    if (!isServed(inside, path)) return null
    // Pipes and devices are never opened: opening them can block or have side effects.
    const kind = await lstat(path)
    if (kind.isDirectory()) return 'folder'
    if (!kind.isFile()) return null
    return await opened(path, names.at(-1) ?? '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (NOT_THERE.has(code)) return null
    if (!NOT_ALLOWED.has(code)) throw error
    const { message } = error as Error
    logger.limited(message).warn({ error }, EVENTS.FILE_UNREADABLE)
    return null
  }
}

async function opened(path: string, name: string): Promise<OpenFile | null> {
  const handle = await open(path, FLAGS)
  try {
    const stats = await handle.stat({ bigint: true })
    if (stats.isFile()) return { handle, stats, name }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return null
}

/** Whether a real path is inside a real root, without hidden names below the root. */
function isServed(root: string, path: string): boolean {
  if (!contains(root, path)) return false
  return !path
    .slice(root.length)
    .split(sep)
    .some((name) => name.startsWith('.'))
}

/** Whether a path is the folder itself or below it. */
export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}
