import { lstatSync } from 'node:fs'
import { join } from 'node:path'

/** The first link on the way to one of some paths below a folder, or in its place; null without one. The folder itself may be a link. */
export function linkedPlace(directory: string, paths: Iterable<string>): string | null {
  const known = new Set<string>()
  for (const path of paths) {
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const place = end === -1 ? path : path.slice(0, end)
      if (!known.has(place)) {
        known.add(place)
        if (lstatSync(join(directory, place), { throwIfNoEntry: false })?.isSymbolicLink()) return place
      }
      if (end === -1) break
    }
  }
  return null
}
