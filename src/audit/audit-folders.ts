import { join } from 'node:path'
import type { Directories } from '#schema'

type Writable = Pick<Directories, 'writable'>

/** Folder of the trail of configuration changes, which is always written. */
export function configTrailFolder({ writable }: Writable): string {
  return join(writable, 'logs', 'audit')
}

/** Folder of the spools of all event handlers. */
export function spoolsFolder({ writable }: Writable): string {
  return join(writable, 'spool', 'audit')
}
