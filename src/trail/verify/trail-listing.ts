import { stat } from 'node:fs/promises'
import { HEAD } from '../chain/chain-head.ts'
import { startAt } from './file-start.ts'

/** A file of a trail at the time of a listing. */
export interface ListedFile {
  readonly path: string
  /** Number of its first line in the chain. */
  readonly first: number
}

/** The files of a trail at one time. */
export interface TrailListing {
  readonly head: string | null
  /** In the order of their lines; files without a chain come last. */
  readonly files: readonly ListedFile[]
  /** Identity, size and time of change of each path: two that are equal show that the file did not change between. */
  readonly stamps: ReadonlyMap<string, string>
}

interface KnownFile {
  /** Of the file at the path: another one may have got its name. */
  readonly birth: string
  readonly first: number
}

/** Lists files again and again; only those that are new or grew from nothing are opened. */
export class TrailLister {
  #known: ReadonlyMap<string, KnownFile> = new Map()

  async list(paths: readonly string[]): Promise<TrailListing> {
    const known = new Map<string, KnownFile>()
    const files: ListedFile[] = []
    const stamps = new Map<string, string>()
    for (const path of paths) {
      const stats = await stat(path).catch(() => null)
      if (stats === null) continue
      const { dev, ino, size, mtimeMs, birthtimeMs } = stats
      stamps.set(path, [dev, ino, size, mtimeMs].join())
      if (path.endsWith(HEAD)) continue
      const birth = [dev, ino, birthtimeMs].join()
      const before = this.#known.get(path)
      const first = before?.birth === birth ? before.first : ((await startAt(path))?.first ?? null)
      if (first === null) continue
      files.push({ path, first })
      // A file without a chain may be one whose first line is being written.
      if (first !== Number.POSITIVE_INFINITY) known.set(path, { birth, first })
    }
    this.#known = known
    files.sort((a, b) => (a.first === b.first ? 0 : a.first - b.first))
    return { head: paths.find((path) => path.endsWith(HEAD)) ?? null, files, stamps }
  }
}

export function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, stamp]) => b.get(path) === stamp)
}
