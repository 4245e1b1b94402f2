import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readConfigFile } from '#control'
import type { JsonObject } from '#json'
import type { Problem } from '#schema'
import type { DryRun } from '../dry-run/dry-run.ts'
import { type LocatedProblem, locateProblems } from '../problems.ts'

/** Problems of paths in admin.json that this user can not write: the gateway would not start. */
export function writtenPathProblems(dryRun: DryRun): readonly LocatedProblem[] {
  const file = join(dryRun.directories.config, 'admin.json')
  const document = existsSync(file) && dryRun.settings !== null ? readConfigFile(file) : null
  if (document === null) return []
  // Without the field it is a folder of the instance, which may be a checkout here.
  const isNamed = Object.hasOwn(document.value as JsonObject, 'temporaryDirectory')
  const problems = [...accessLogProblems(dryRun), ...(isNamed ? temporaryProblems(dryRun) : [])]
  return locateProblems(file, document, problems)
}

function accessLogProblems({ settings, directories }: DryRun): Problem[] {
  const { destination = 'off' } = settings?.unit.settings.accessLog ?? {}
  if (destination === 'off' || destination === 'stdout') return []
  const path = resolve(directories.writable, destination)
  const message = writeProblem(path, directories.logs)
  return message === null ? [] : [{ pointer: '/accessLog/destination', message }]
}

/** The gateway creates the folder of logs itself. */
function writeProblem(path: string, logs: string): string | null {
  const folder = dirname(path) === logs && !existsSync(logs) ? dirname(logs) : dirname(path)
  const isThere = existsSync(path)
  if (isThere && statSync(path).isDirectory()) return `expected the path of a file, got the folder ${path}`
  if (!isThere && !existsSync(folder)) return `the folder ${folder} does not exist; create it, or name another file`
  const code = refusal(isThere ? path : folder)
  if (code === null) return null
  return `the user that runs this command can not write ${isThere ? path : `to the folder ${folder}`} (${code}); give the user of the gateway the right, or name another file`
}

/** The gateway creates the directory of temporary files and its parents. */
function temporaryProblems({ directories }: DryRun): Problem[] {
  let folder = resolve(directories.temporary)
  while (!existsSync(folder)) folder = dirname(folder)
  const pointer = '/temporaryDirectory'
  if (!statSync(folder).isDirectory()) return [{ pointer, message: `expected a directory, but ${folder} is a file` }]
  const code = refusal(folder)
  if (code === null) return []
  const remedy = 'give the user of the gateway the right, or name another directory'
  return [{ pointer, message: `the user that runs this command can not write to ${folder} (${code}); ${remedy}` }]
}

/** Why this user can not write a file or to a folder; null where it can. */
function refusal(path: string): string | null {
  try {
    accessSync(path, constants.W_OK)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message
  }
}
