import { sep } from 'node:path'
import { normalizePath } from '#http'

/** What a request path asks for, below the base path. */
export interface RequestedFile {
  /** Decoded names of folders and file; none for the base path itself. */
  readonly names: readonly string[]
  /** The path ended in a slash and so means a folder. */
  readonly isFolder: boolean
  /** The last segment of the path as it is written in a URI. */
  readonly rawLast: string
}

// Separators of any system, and characters that end or hide a name.
const UNSAFE = /[/\\\0-\x1f\x7f]/
// Windows: streams and drives ("a.txt::$DATA", "c:"), wildcards, and endings that are dropped when a file is opened.
const UNSAFE_ON_WINDOWS = /[:<>"|?*]|[. ]$/

/** Whether a name may be looked for: it leads nowhere else, and is not hidden by a leading dot. */
export function isServableName(name: string): boolean {
  if (name === '' || name.startsWith('.') || UNSAFE.test(name)) return false
  return sep !== '\\' || !UNSAFE_ON_WINDOWS.test(name)
}

/**
 * Reads a path, or gives null for one that no file can answer. It is brought to its normal form once more, as a filter
 * may have changed what the listener had made normal (threats B1, B5).
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
    // The normal form has only escapes that are UTF-8, so that this can not throw.
    const name = decodeURIComponent(segment)
    if (!isServableName(name)) return null
    names.push(name)
  }
  return { names, isFolder, rawLast }
}

/** A base path as it is compared: normal, with a leading and without a trailing slash, empty for the root. */
export function normalBasePath(basePath: string): string {
  const normal = normalizePath(basePath.startsWith('/') ? basePath : `/${basePath}`)
  if ('problem' in normal) throw new TypeError(normal.problem)
  return normal.text.endsWith('/') ? normal.text.slice(0, -1) : normal.text
}
