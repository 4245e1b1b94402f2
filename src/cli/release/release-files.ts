import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nameProblems } from '#files'
import { pathProblem } from '#releases'

/** A file of a folder that can not be part of a release. */
interface FileProblem {
  readonly file: string
  readonly message: string
}

/** The files of a folder that are part of a release, and why some can not be. */
interface ReleaseFiles {
  readonly files: ReadonlyMap<string, Buffer>
  readonly problems: readonly FileProblem[]
  /** Paths beside them, which stay on the machine. */
  readonly ignored: readonly string[]
}

/** Bytes of one file: routes are not larger, and scripts are smaller. */
const MAX_FILE = 16 * 1024 * 1024
const MAX_FILES = 100_000
const MAX_DEPTH = 32

/** Places of the files of a release in an instance. */
const PLACES = ['config/config.json', 'config/routes', 'scripts'] as const

/**
 * Reads the files of a release from a folder that has the layout of an instance. Hidden files and those that are not JSON below
 * config/routes are ignored, as the gateway ignores them. Links are followed to files only, so that a folder is not read twice.
 */
export function readReleaseFiles(directory: string): ReleaseFiles {
  const files = new Map<string, Buffer>()
  const problems: FileProblem[] = []
  const ignored: string[] = []
  const pending: { readonly path: string; readonly depth: number }[] = PLACES.map((path) => ({ path, depth: 0 }))
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { path, depth } = next
    try {
      const kind = kindOf(join(directory, path))
      // A name that is not UTF-8 is listed as another one.
      if (kind === 'missing' && path.includes('\ufffd'))
        problems.push({ file: path, message: 'the name is not UTF-8, so that the file can not be read; rename it' })
      if (kind === 'missing') continue
      if (kind === 'folder' && depth < MAX_DEPTH) {
        const names = readdirSync(join(directory, path)).sort()
        pending.push(...names.map((name) => ({ path: `${path}/${name}`, depth: depth + 1 })))
        continue
      }
      if (isIgnored(path)) {
        ignored.push(path)
        continue
      }
      const problem = kind === 'file' ? pathProblem(path) : kind === 'folder' ? 'too many folders in each other' : kind
      if (problem !== null) problems.push({ file: path, message: problem })
      else if (files.size === MAX_FILES) return { files, problems: [tooMany(directory)], ignored }
      else files.set(path, readFileSync(join(directory, path)))
    } catch (error) {
      problems.push({ file: path, message: `it can not be read: ${(error as Error).message}` })
    }
  }
  for (const [file, message] of nameProblems([...files.keys()].sort())) problems.push({ file, message })
  return { files: new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1))), problems, ignored }
}

function tooMany(directory: string): FileProblem {
  return { file: directory, message: `more than ${MAX_FILES} files` }
}

/** `file`, `folder`, `missing`, or the reason why it can not be part of a release. */
function kindOf(path: string): string {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry === undefined) return 'missing'
  if (entry.isDirectory()) return 'folder'
  const target = statSync(path)
  if (target.isDirectory()) return 'a link to a folder is not followed; copy the folder'
  if (!target.isFile()) return 'it is not a regular file'
  return target.size > MAX_FILE ? `it is larger than ${MAX_FILE / 1024 / 1024} MiB` : 'file'
}

function isIgnored(path: string): boolean {
  if (path.split('/').some((segment) => segment.startsWith('.'))) return true
  return path.startsWith('config/routes/') && !path.endsWith('.json')
}
