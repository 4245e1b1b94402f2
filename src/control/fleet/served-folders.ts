import { join } from 'node:path'
import type { ServedFolders } from '#contracts'

/** The folders of a release below a root. */
export function servedFolders(root: string): ServedFolders {
  return { config: join(root, 'config'), scripts: join(root, 'scripts') }
}
