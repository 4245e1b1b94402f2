import { lstatSync, mkdirSync } from 'node:fs'
import { constants, enableCompileCache, getCompileCacheDir } from 'node:module'

const WRITABLE_BY_OTHERS = 0o022

/**
 * Caches compiled modules in a directory, which halves the CPU time of the next start. Compiled modules are code: a
 * directory of another user, or one that others can write to, is not used. Returns the directory; null if it can not be
 * used, which makes the start slower, or if the environment decides (NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE).
 */
export function enableCompileCacheIn(directory: string): string | null {
  if (getCompileCacheDir() !== undefined || !isPrivate(directory)) return null
  const { status } = enableCompileCache(directory)
  return status === constants.compileCacheStatus.ENABLED ? directory : null
}

function isPrivate(directory: string): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const stats = lstatSync(directory)
    return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & WRITABLE_BY_OTHERS) === 0
  } catch {
    // The installation may be read-only.
    return false
  }
}
