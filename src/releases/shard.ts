import { sha256 } from '#files'
import { type Content, type ContentEntry, contentOf } from './content.ts'
import { decodeEntries, Manifest, shown } from './manifest.ts'
import { ReleaseError } from './release-error.ts'
import { foldersOf } from './release-path.ts'

/** 100,000 files of usual paths are 400 entries of some 120 bytes in each shard. */
export const MAX_SHARD_BYTES = 1024 * 1024

/** Shard of a path: the first byte of its SHA-256, so that neighbours in a folder are spread evenly. */
export function shardOf(path: string): string {
  return sha256(path).slice(0, 2)
}

/** The entries of a tree whose paths have one shard. Its content is the same for the same entries. */
export class Shard {
  readonly entries: ReadonlyMap<string, ContentEntry>
  /** Of all contents. */
  readonly bytes: number
  #content: Content | null = null
  #folders: ReadonlySet<string> | null = null

  constructor(entries: ReadonlyMap<string, ContentEntry>) {
    this.entries = entries
    let bytes = 0
    for (const entry of entries.values()) bytes += entry.bytes
    this.bytes = bytes
  }

  /** Folders of its paths, and those above them. Found once: trees share most of their shards. */
  get folders(): ReadonlySet<string> {
    this.#folders ??= foldersIn(this.entries.keys())
    return this.#folders
  }

  /** Encoded once: sorted paths, no spaces. */
  get content(): Content {
    this.#content ??= contentOf(JSON.stringify({ entries: encodedEntries(this.entries) }))
    return this.#content
  }

  with(changes: ReadonlyMap<string, ContentEntry | null>): Shard {
    const entries = new Map(this.entries)
    for (const [path, entry] of changes) {
      if (entry === null) entries.delete(path)
      else entries.set(path, entry)
    }
    return new Shard(entries)
  }
}

function foldersIn(paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const path of paths) {
    for (const folder of foldersOf(path)) {
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}

/** `where` is the key of the content; its hash is checked by the reader. */
export function decodeShard(where: string, id: string, data: Buffer, maxBytes: number): Shard {
  const manifest = Manifest.parse(where, data, MAX_SHARD_BYTES, 'a shard of a release').only('entries')
  const entries = decodeEntries(where, manifest.get('entries'), maxBytes)
  for (const path of entries.keys()) {
    const own = shardOf(path)
    if (own === id) continue
    throw new ReleaseError('not-a-manifest', where, `path ${shown(path)} is of shard ${own}, found in shard ${id}`)
  }
  return new Shard(entries)
}

export function encodedEntries(entries: ReadonlyMap<string, ContentEntry>): Record<string, [string, number]> {
  const paths = [...entries.keys()].sort()
  return Object.fromEntries(paths.map((path) => [path, encodedEntry(entries.get(path) as ContentEntry)]))
}

export function encodedEntry({ hash, bytes }: ContentEntry): [string, number] {
  return [hash, bytes]
}
