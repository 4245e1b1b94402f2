import { join } from 'node:path'
import type { Directories } from '#schema'

/** Folder of the trail of configuration changes, which is always written. */
export function configTrailFolder({ logs }: Pick<Directories, 'logs'>): string {
  return join(logs, 'audit')
}

/** Folder of the spools of all event handlers. */
export function spoolsFolder({ writable }: Pick<Directories, 'writable'>): string {
  return join(writable, 'spool', 'audit')
}
