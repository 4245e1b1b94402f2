import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { spoolsFolder } from '#audit'
import type { Environment, Problem } from '#schema'
import type { AuditValues } from './audit-fields.ts'

/** File systems behind a network, by their number in statfs(2) of Linux; those of FUSE may be. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'SMB'],
  [0x00c36400, 'Ceph'],
  [0x01021997, '9P'],
  [0x01161970, 'GFS2'],
  [0x0bd00bd0, 'Lustre'],
  [0x19830326, 'BeeGFS'],
  [0x47504653, 'GPFS'],
  [0x5346414f, 'AFS'],
  [0x65735546, 'FUSE'],
  [0x7461636f, 'OCFS2'],
])

/** Name of the file system of a folder, or of the nearest one above it that exists; null for a local one. */
type FileSystemName = (path: string) => Promise<string | null>

/** A spool whose journal is written to over a network, by the threads of the traffic. */
export async function spoolWarnings(
  handlers: AuditValues['eventHandlers'],
  { serving, directories }: Pick<Environment, 'serving' | 'directories'>,
  networkNameOf: FileSystemName = networkName,
): Promise<Problem[]> {
  const at = handlers.findIndex(({ enabled, queue }) => enabled && queue.spool !== null)
  if (at < 0 || !serving) return []
  const folder = spoolsFolder(directories)
  const name = await networkNameOf(folder)
  if (name === null) return []
  const message = `the folder of spools ${folder} is on a network file system (${name}): while that does not answer, a unit hangs for up to 20 seconds, and its requests with it; use a folder of a local disk`
  return [{ pointer: `/eventHandlers/${at}/config/spool`, message }]
}

async function networkName(path: string): Promise<string | null> {
  try {
    return networkNameOfType((await statfs(path)).type)
  } catch {
    const parent = dirname(path)
    return parent === path ? null : networkName(parent)
  }
}

/** Null for a local file system. */
export function networkNameOfType(type: number): string | null {
  return NETWORK.get(type >>> 0) ?? null
}
