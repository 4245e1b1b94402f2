import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** The directory without symbolic links, so that two names of one directory are recognised. Parts that do not exist yet are kept. */
export async function realDirectory(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await realDirectory(parent), basename(path))
  }
}
