import type { Content, ContentEntry } from './content.ts'
import { checkPath } from './manifest.ts'
import type { ReleaseRecord } from './release-record.ts'
import { Shard, shardOf } from './shard.ts'
import { Tree, type TreeReference } from './tree.ts'

/** A tree with changes, for a new record. */
interface EditedTree {
  readonly tree: TreeReference
  readonly files: number
  readonly bytes: number
  /** Shards that the store may not have. */
  readonly contents: readonly Content[]
}

/** Shards that have to be read before these paths of a release are changed; empty where the record has the entries. */
export function shardsToRead(record: ReleaseRecord, paths: Iterable<string>): Map<string, ContentEntry> {
  if ('entries' in record.tree) return new Map()
  const { shards } = record.tree
  const ids = new Set([...paths].flatMap(shardsConcerning))
  // No route is a folder of another, by its name. For a script that is a question to all paths.
  if (ids.has(ALL)) return new Map(shards)
  return new Map([...shards].filter(([id]) => ids.has(id)))
}

const ALL = 'all'

function shardsConcerning(path: string): string[] {
  return path.startsWith('scripts/') ? [ALL] : [shardOf(path)]
}

/** The entry of a path, in the shards that `shardsToRead` named. */
export function entryIn(record: ReleaseRecord, shards: ReadonlyMap<string, Shard>, path: string): ContentEntry | null {
  if ('entries' in record.tree) return record.tree.entries.get(path) ?? null
  return shards.get(shardOf(path))?.entries.get(path) ?? null
}

/**
 * Applies changes to the tree of a release, of which only the shards of `shardsToRead` are known. A sharded tree stays
 * sharded, also with few files.
 */
export function editTree(
  where: string,
  record: ReleaseRecord,
  shards: ReadonlyMap<string, Shard>,
  changes: ReadonlyMap<string, ContentEntry | null>,
): EditedTree {
  for (const path of changes.keys()) checkPath(where, path)
  if ('entries' in record.tree) return editEntries(where, record.tree.entries, changes)
  const next = new Map<string, ContentEntry>(record.tree.shards)
  const contents: Content[] = []
  const edited = new Map(shards)
  for (const [id, group] of Map.groupBy(changes, ([path]) => shardOf(path))) {
    const shard = (shards.get(id) ?? new Shard(new Map())).with(new Map(group))
    edited.set(id, shard)
    next.delete(id)
    if (shard.entries.size === 0) continue
    next.set(id, shard.content)
    contents.push(shard.content)
  }
  checkFolders(where, edited, changes)
  return { tree: { shards: next }, ...totals(record, shards, changes), contents }
}

function editEntries(
  where: string,
  before: ReadonlyMap<string, ContentEntry>,
  changes: ReadonlyMap<string, ContentEntry | null>,
): EditedTree {
  const entries = new Map(before)
  for (const [path, entry] of changes) {
    if (entry === null) entries.delete(path)
    else entries.set(path, entry)
  }
  const tree = Tree.of(where, entries)
  const { reference, contents } = tree.reference()
  return { tree: reference, files: tree.files, bytes: tree.bytes, contents }
}

/** All shards are known where a script changes. */
function checkFolders(where: string, shards: ReadonlyMap<string, Shard>, changes: ReadonlyMap<string, unknown>): void {
  if ([...changes.keys()].some((path) => path.startsWith('scripts/'))) Tree.ofShards(where, shards)
}

function totals(
  record: ReleaseRecord,
  shards: ReadonlyMap<string, Shard>,
  changes: ReadonlyMap<string, ContentEntry | null>,
): { files: number; bytes: number } {
  let { files, bytes } = record
  for (const [path, after] of changes) {
    const before = entryIn(record, shards, path)
    files += Number(after !== null) - Number(before !== null)
    bytes += (after?.bytes ?? 0) - (before?.bytes ?? 0)
  }
  return { files, bytes }
}
