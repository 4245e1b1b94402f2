import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The bytes of a file, or null where it does not exist. Throws for a link to nothing, also of its folder, and for a folder that may not be
 * read: with defaults in the place of such a file, the gateway would serve without its TLS, filters or password.
 */
export function readIfPresent(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const link = [path, dirname(path)].find(isBrokenLink)
    if (link === undefined) return null
    const message = `ENOENT: ${link} is a symbolic link to ${readlinkSync(link)}, which does not exist`
    throw Object.assign(new Error(message), { code: 'ENOENT', syscall: 'open', path })
  }
}

function isBrokenLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && !existsSync(path)
}
