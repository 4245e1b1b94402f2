import { sep } from 'node:path'
import { normalizePath } from '#http'

/** File or folder of a request path, below the base path. */
export interface RequestedFile {
  /** Decoded names of folders and file; none for the base path itself. */
  readonly names: readonly string[]
  /** Whether the path ends with a slash, for a folder. */
  readonly isFolder: boolean
  /** The encoded last segment of the path. */
  readonly rawLast: string
}

// Separators of any system, and control characters.
const UNSAFE = /[/\\\0-\x1f\x7f]/
// Windows: streams and drives ("a.txt::$DATA", "c:"), wildcards, and endings that are dropped when a file is opened.
const UNSAFE_ON_WINDOWS = /[:<>"|?*]|[. ]$/

/** Whether a name may be looked up: it leaves no folder, and has no leading dot. */
export function isServableName(name: string): boolean {
  if (name === '' || name.startsWith('.') || UNSAFE.test(name)) return false
  return sep !== '\\' || !UNSAFE_ON_WINDOWS.test(name)
}

/**
 * Parses a path; null for one that no file can have. It is normalized again, since a filter may have changed the path that the
 * listener normalized (threats B1, B5).
 */
export function requestedFile(rawPath: string, basePath: string): RequestedFile | null {
  const normal = normalizePath(rawPath === '' ? '/' : rawPath)
  if ('problem' in normal) return null
  const path = normal.text
  const rawLast = path.slice(path.lastIndexOf('/') + 1)
  if (path === basePath) return { names: [], isFolder: false, rawLast }
  if (!path.startsWith(`${basePath}/`)) return null
  const segments = path.slice(basePath.length + 1).split('/')
  const isFolder = rawLast === ''
  if (isFolder) segments.pop()
  const names: string[] = []
  for (const segment of segments) {
    // Does not throw: the normal form has valid UTF-8 escapes only.
    const name = decodeURIComponent(segment)
    if (!isServableName(name)) return null
    names.push(name)
  }
  return { names, isFolder, rawLast }
}

/** A base path for comparison: normalized, with a leading and without a trailing slash, empty for the root. */
export function normalBasePath(basePath: string): string {
  const normal = normalizePath(basePath.startsWith('/') ? basePath : `/${basePath}`)
  if ('problem' in normal) throw new TypeError(normal.problem)
  return normal.text.endsWith('/') ? normal.text.slice(0, -1) : normal.text
}
