import type { ContentEntry } from './content.ts'
import type { Shard } from './shard.ts'
import type { Tree } from './tree.ts'

/** A path whose content differs between two releases. */
export interface PathDifference {
  readonly path: string
  /** Null where the path is added. */
  readonly before: ContentEntry | null
  /** Null where the path is removed. */
  readonly after: ContentEntry | null
}

/** Differences sorted by path. Shards of equal content are not compared by entries. */
export function differencesOf(before: Tree, after: Tree): PathDifference[] {
  const ids = new Set([...before.shards.keys(), ...after.shards.keys()])
  const found: PathDifference[] = []
  for (const id of ids) found.push(...shardDifferences(before.shards.get(id), after.shards.get(id)))
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function* shardDifferences(before: Shard | undefined, after: Shard | undefined): Generator<PathDifference> {
  if (before === after) return
  for (const [path, entry] of before?.entries ?? []) {
    const other = after?.entries.get(path) ?? null
    if (other?.hash !== entry.hash) yield { path, before: entry, after: other }
  }
  for (const [path, entry] of after?.entries ?? []) {
    if (!before?.entries.has(path)) yield { path, before: null, after: entry }
  }
}
