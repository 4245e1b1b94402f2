import type { Content, ContentEntry } from './content.ts'
import { checkPath, MAX_FILES, shown } from './manifest.ts'
import { ReleaseError } from './release-error.ts'
import { Shard, shardOf } from './shard.ts'

/** Up to this number of files a release record has the entries themselves. */
export const MAX_INLINE_FILES = 200

/** How a record refers to its tree: the entries, or the contents of the shards that have them. */
export type TreeReference =
  | { readonly entries: ReadonlyMap<string, ContentEntry> }
  | { readonly shards: ReadonlyMap<string, ContentEntry> }

/**
 * The files of a release: each path with the hash and size of its content. A Merkle tree of two levels: shards of paths, and
 * their hashes, so that trees that share files share shards.
 */
export class Tree {
  /** By their ids; none is empty. */
  readonly shards: ReadonlyMap<string, Shard>
  readonly files: number
  readonly bytes: number

  private constructor(shards: ReadonlyMap<string, Shard>) {
    this.shards = shards
    let [files, bytes] = [0, 0]
    for (const shard of shards.values()) {
      files += shard.entries.size
      bytes += shard.bytes
    }
    this.files = files
    this.bytes = bytes
  }

  static readonly EMPTY = new Tree(new Map())

  /** `where` names the release in errors. */
  static of(where: string, entries: Iterable<readonly [string, ContentEntry]>): Tree {
    const shards = new Map<string, Map<string, ContentEntry>>()
    for (const [path, { hash, bytes }] of entries) {
      checkPath(where, path)
      const id = shardOf(path)
      const shard = shards.get(id) ?? new Map<string, ContentEntry>()
      // Without the bytes of a content: a tree lives longer.
      shards.set(id, shard.set(path, { hash, bytes }))
    }
    return Tree.ofShards(where, new Map([...shards].map(([id, shard]) => [id, new Shard(shard)])))
  }

  static ofShards(where: string, shards: ReadonlyMap<string, Shard>): Tree {
    const tree = new Tree(new Map([...shards].filter(([, { entries }]) => entries.size > 0)))
    if (tree.files > MAX_FILES) {
      throw new ReleaseError('too-large', where, `the release has ${tree.files} files, more than ${MAX_FILES}`)
    }
    tree.#checkFolders(where)
    return tree
  }

  get(path: string): ContentEntry | undefined {
    return this.shards.get(shardOf(path))?.entries.get(path)
  }

  /** In no particular order. */
  [Symbol.iterator](): Iterator<readonly [string, ContentEntry]> {
    return entriesOf(this.shards)
  }

  /** The reference for a record, and the contents that it needs in the store beside those of the files. */
  reference(): { readonly reference: TreeReference; readonly contents: readonly Content[] } {
    if (this.files <= MAX_INLINE_FILES) return { reference: { entries: new Map(this) }, contents: [] }
    const entries = [...this.shards].map(
      ([id, { content }]) => [id, { hash: content.hash, bytes: content.bytes }] as const,
    )
    return {
      reference: { shards: new Map(entries) },
      contents: [...this.shards.values()].map(({ content }) => content),
    }
  }

  /** A path that is a file in one place and a folder in another can not be written to a disk. */
  #checkFolders(where: string): void {
    const folders = new Set<string>()
    for (const shard of this.shards.values()) for (const folder of shard.folders) folders.add(folder)
    for (const folder of folders) {
      if (this.get(folder) === undefined) continue
      const path = [...this].find(([each]) => each.startsWith(`${folder}/`))?.[0] ?? ''
      throw new ReleaseError('path', where, `path ${shown(folder)}: is also a folder, of ${shown(path)}`)
    }
  }
}

function* entriesOf(shards: ReadonlyMap<string, Shard>): Generator<readonly [string, ContentEntry]> {
  for (const { entries } of shards.values()) yield* entries
}
