import { Buffer } from 'node:buffer'

const MAX_PATH_BYTES = 1024
const MAX_SEGMENT_BYTES = 255

/**
 * Why a release may not have a file of this path; null if it may. Instances write files by these paths below a folder: a
 * path can not leave it, name a hidden file, or be read differently by another program.
 */
export function pathProblem(path: string): string | null {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `the path is longer than ${MAX_PATH_BYTES} bytes`
  if (!path.isWellFormed()) return 'the path is not well-formed Unicode'
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path)) return 'the path has a control character'
  if (path.includes('\\')) return 'the path has a backslash'
  if (path.startsWith('/')) return 'the path is absolute'
  const segments = path.split('/')
  for (const segment of segments) {
    if (segment === '') return 'the path has an empty segment'
    if (segment === '..' || segment === '.') return `the path has the segment "${segment}", which leads elsewhere`
    if (segment.startsWith('.')) return `the segment "${segment}" starts with a dot`
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return `a segment is longer than ${MAX_SEGMENT_BYTES} bytes`
  }
  return placeProblem(path, segments)
}

/** Releases have configuration and scripts; settings, secrets and state belong to a machine. */
function placeProblem(path: string, segments: readonly string[]): string | null {
  if (path === 'config/config.json') return null
  if (segments[0] === 'scripts' && segments.length > 1) return null
  if (segments[0] !== 'config' || segments[1] !== 'routes' || segments.length < 3) {
    return 'expected config/config.json, config/routes/**.json or scripts/**'
  }
  if (!path.endsWith('.json')) return 'files below config/routes end in .json'
  // So that a route can be added without reading all paths: no route is a folder of another.
  const folder = segments.slice(2, -1).find((segment) => segment.endsWith('.json'))
  return folder === undefined ? null : `the folder "${folder}" below config/routes ends in .json, as only files may`
}

/** Folders of a path, from its parent up: `scripts/a/b.js` is in `scripts/a` and `scripts`. */
export function* foldersOf(path: string): Generator<string> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end)
}
