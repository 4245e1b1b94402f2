import type { BigIntStats } from 'node:fs'
import { constants, open, realpath, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { recordFile } from '#expression'

/** More than any password or key has. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024

/** The same of a keystore, which may have many entries. */
export const MAX_KEYSTORE_BYTES = 16 * 1024 * 1024

/** Fingerprint of the state of a file; null where it does not exist. */
export async function fileState(path: string): Promise<string | null> {
  recordFile(path)
  try {
    return stateOf(await stat(path, { bigint: true }))
  } catch (error) {
    if (isAbsent(error)) return null
    // An unreadable file has a distinct state, so that becoming readable is a change.
    return `error ${(error as NodeJS.ErrnoException).code}`
  }
}

function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}

/** Whether a system error means that the file does not exist. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

// Opening a FIFO would wait for a writer, and a link could be created after the path was checked.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** The whole content of a regular file of bounded size; a path that ends in a link is not followed. */
export async function readSecretFile(realPath: string, largest: number = MAX_FILE_BYTES): Promise<Buffer> {
  const handle = await open(realPath, FLAGS)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new Error('expected a regular file')
    if (stats.size > largest) throw new Error(`expected at most ${largest} bytes, got ${stats.size}`)
    // One byte more than expected, to detect a file that is growing.
    const content = Buffer.alloc(stats.size + 1)
    for (let length = 0; length < content.length; ) {
      const { bytesRead } = await handle.read(content, length, content.length - length, null)
      if (bytesRead === 0) return content.subarray(0, length)
      length += bytesRead
    }
    throw new Error('it changed while it was read')
  } finally {
    await handle.close()
  }
}

/** A link leads out of its directory. */
export class LinkOutsideError extends Error {
  constructor() {
    super('it is a link to a file outside of the directory')
    this.name = 'LinkOutsideError'
  }
}

/** The real path of a file; throws where it is outside of the directory after resolving links (threats B52). */
export async function pathInside(directory: string, path: string): Promise<string> {
  const [root, real] = await Promise.all([realpath(directory), realpath(path)])
  if (!real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) {
    throw new LinkOutsideError()
  }
  return real
}
