import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Environment, Problem } from '#schema'
import type { AuditValues } from './audit-fields.ts'

/**
 * Folders of files that can not be used: they are no error, since the other handlers work and an administrator may repair them while
 * the gateway runs. Permissions are those of the gateway, so that a dry run by another user does not look at them.
 */
export async function folderWarnings(
  handlers: AuditValues['eventHandlers'],
  { serving }: Pick<Environment, 'serving'>,
): Promise<Problem[]> {
  const warnings: Problem[] = []
  for (const [at, { enabled, transport }] of handlers.entries()) {
    if (!enabled || transport.exclusive === undefined) continue
    const problem = await folderProblem(transport.exclusive, serving)
    if (problem === null) continue
    const message = `${problem}; events wait in the queue until that is changed`
    warnings.push({ pointer: `/eventHandlers/${at}/config/logDirectory`, message })
  }
  return warnings
}

/** Of a folder, or of the nearest one above it that exists, in which it will be created. */
async function folderProblem(path: string, checksAccess: boolean): Promise<string | null> {
  try {
    if (!(await stat(path)).isDirectory()) return `${path} is no folder`
    if (checksAccess) await access(path, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const parent = dirname(path)
    if ((code === 'ENOENT' || code === 'ENOTDIR') && parent !== path) return folderProblem(parent, checksAccess)
    return checksAccess ? `the gateway can not write to the folder ${path} (${code})` : null
  }
}
