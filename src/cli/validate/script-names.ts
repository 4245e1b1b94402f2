import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { nameProblems } from '#files'
import type { InstanceDirectories } from '#instance'
import type { LocatedProblem } from '../problems.ts'

/** Scripts whose names another file system takes for one, or that do not look like what they are. */
export function scriptNameProblems({ scripts }: Pick<InstanceDirectories, 'scripts'>): readonly LocatedProblem[] {
  if (!existsSync(scripts)) return []
  const names = readdirSync(scripts, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(scripts, join(entry.parentPath, entry.name)))
    .sort()
  return Array.from(nameProblems(names), ([name, message]) => ({ file: join(scripts, name), pointer: '', message }))
}
