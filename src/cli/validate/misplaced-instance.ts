import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { LocatedProblem } from '../problems.ts'
import { shellWord } from '../shell-word.ts'

/** What a folder `config` has, and an instance directory has not. */
const IN_CONFIG = ['admin.json', 'config.json', 'routes']

/**
 * The problem of a folder without `config` that has configuration itself, such as the folder `config` of an instance; or null.
 * `isArgument`: it was given where files of routes may be.
 */
export function misplacedInstance(folder: string, isArgument: boolean): LocatedProblem | null {
  if (existsSync(join(folder, 'config'))) return null
  const found = IN_CONFIG.find((name) => existsSync(join(folder, name)))
  if (found === undefined && isArgument) {
    const message = 'not an instance: it has no folder config; name files of routes one by one, such as routes/*.json'
    return { file: folder, pointer: '', message }
  }
  if (found === undefined) return null
  const advice =
    basename(folder) === 'config'
      ? `the instance is its parent: --instance ${shellWord(dirname(folder))}`
      : 'files of configuration belong into the folder config of an instance'
  return { file: folder, pointer: '', message: `not an instance: it has ${found}, but no folder config; ${advice}` }
}
