import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readConfigFile } from '#control'
import type { DryRun } from '../dry-run/dry-run.ts'
import { type LocatedProblem, locateProblems } from '../problems.ts'

/** The problem of a file of the access log that this user can not write: the gateway would not start. */
export function accessLogProblems({ settings, directories }: DryRun): readonly LocatedProblem[] {
  const { destination = 'off' } = settings?.unit.settings.accessLog ?? {}
  if (destination === 'off' || destination === 'stdout') return []
  const path = resolve(directories.writable, destination)
  const message = writeProblem(path, directories.logs)
  if (message === null) return []
  const file = join(directories.config, 'admin.json')
  const document = existsSync(file) ? readConfigFile(file) : null
  return locateProblems(file, document, [{ pointer: '/accessLog/destination', message }])
}

/** The gateway creates the folder of logs itself. */
function writeProblem(path: string, logs: string): string | null {
  const folder = dirname(path) === logs && !existsSync(logs) ? dirname(logs) : dirname(path)
  const isThere = existsSync(path)
  if (isThere && statSync(path).isDirectory()) return `expected the path of a file, got the folder ${path}`
  if (!isThere && !existsSync(folder)) return `the folder ${folder} does not exist; create it, or name another file`
  try {
    accessSync(isThere ? path : folder, constants.W_OK)
    return null
  } catch (error) {
    const { code = (error as Error).message } = error as NodeJS.ErrnoException
    return `the user that runs this command can not write ${isThere ? path : `to the folder ${folder}`} (${code}); give the user of the gateway the right, or name another file`
  }
}
