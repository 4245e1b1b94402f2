import type { JsonValue } from '#json'
import type { ContentEntry } from './content.ts'
import { decodeEntries, decodeEntry, FORMAT, MAX_FILES, Manifest } from './manifest.ts'
import { ReleaseError } from './release-error.ts'
import { encodedEntries, encodedEntry, MAX_SHARD_BYTES } from './shard.ts'
import { MAX_INLINE_FILES, type TreeReference } from './tree.ts'

/** Ten digits, so that keys sort as their numbers. */
export const MAX_NUMBER = 9_999_999_999

/** 200 entries with the longest paths, and a note. */
const MAX_RECORD_BYTES = 512 * 1024
const MAX_AUTHOR = 256
const MAX_NOTE = 4096

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

/** The record of a release. It never changes. */
export interface ReleaseRecord {
  readonly number: number
  /** The release that was current when this one was made; null for the first in its store. */
  readonly parent: number | null
  /** UUID of the write that made it: its writer learns from it whether a commit without a response happened. */
  readonly write: string
  readonly author: string
  /** Time by the clock of the writer; nothing is decided by it. */
  readonly created: string
  readonly note: string | null
  readonly files: number
  readonly bytes: number
  readonly tree: TreeReference
}

export function decodeRecord(where: string, data: Buffer, number: number, maxBytes: number): ReleaseRecord {
  const manifest = Manifest.parse(where, data, MAX_RECORD_BYTES, 'the record of a release').checkFormat()
  manifest.only('format', 'number', 'parent', 'write', 'author', 'created', 'note', 'files', 'bytes', 'tree')
  if (manifest.integer('number', 1, MAX_NUMBER) !== number) manifest.fail('number', `${number}`)
  const bytes = manifest.integer('bytes', 0, Number.MAX_SAFE_INTEGER)
  if (bytes > maxBytes) {
    throw new ReleaseError('too-large', where, `the release has ${bytes} bytes, more than maxReleaseSize (${maxBytes})`)
  }
  const record = {
    number,
    parent: manifest.get('parent') === null ? null : manifest.integer('parent', 1, MAX_NUMBER),
    write: uuid(manifest, 'write'),
    author: manifest.text('author', MAX_AUTHOR),
    created: manifest.matching('created', TIME, 'a time as 2026-01-31T23:59:59Z'),
    note: manifest.get('note') === null ? null : manifest.text('note', MAX_NOTE),
    files: manifest.integer('files', 0, MAX_FILES),
    bytes,
    tree: decodeReference(where, manifest.get('tree'), maxBytes),
  }
  if ('entries' in record.tree) checkTotals(where, record, totalsOf(record.tree.entries))
  return record
}

export function encodeRecord(record: ReleaseRecord): Buffer {
  const { tree, ...rest } = record
  return Buffer.from(JSON.stringify({ format: FORMAT, ...rest, tree: encodedReference(tree) }))
}

/** Author and note are cut to what a record may have; lone surrogates, which JSON can not carry in UTF-8, are replaced. */
export function fittingAuthor(author: string): string {
  return author.slice(0, MAX_AUTHOR).toWellFormed()
}

export function fittingNote(note: string | null): string | null {
  return note === null || note === '' ? null : note.slice(0, MAX_NOTE).toWellFormed()
}

/** Counts of a record are shown and used for limits, so they have to be those of its tree. */
export function checkTotals(where: string, record: TreeTotals, { files, bytes }: TreeTotals): void {
  if (files === record.files && bytes === record.bytes) return
  const found = `the tree has ${files} files of ${bytes} bytes`
  throw new ReleaseError('not-a-manifest', where, `${found}, the record says ${record.files} of ${record.bytes}`)
}

type TreeTotals = Pick<ReleaseRecord, 'files' | 'bytes'>

function totalsOf(entries: ReadonlyMap<string, ContentEntry>): TreeTotals {
  return { files: entries.size, bytes: entries.values().reduce((sum, { bytes }) => sum + bytes, 0) }
}

export function uuid(manifest: Manifest, name: string): string {
  return manifest.matching(name, UUID, 'a UUID in lower case')
}

function decodeReference(where: string, value: JsonValue | undefined, maxBytes: number): TreeReference {
  const manifest = Manifest.of(where, value, 'the tree of a release')
  if (manifest.has('entries')) {
    const entries = decodeEntries(where, manifest.only('entries').get('entries'), maxBytes)
    if (entries.size <= MAX_INLINE_FILES) return { entries }
    return manifest.fail('entries', `at most ${MAX_INLINE_FILES} entries`)
  }
  const shards = Manifest.of(where, manifest.only('shards').get('shards'), 'the shards of a release')
  const decoded = shards.entries().map(([id, entry]): [string, ContentEntry] => {
    if (!/^[0-9a-f]{2}$/.test(id)) return shards.fail(id, 'only ids from 00 to ff')
    return [id, decodeEntry(where, id, entry, MAX_SHARD_BYTES)]
  })
  return { shards: new Map(decoded) }
}

function encodedReference(tree: TreeReference): object {
  if ('entries' in tree) return { entries: encodedEntries(tree.entries) }
  const ids = [...tree.shards.keys()].sort()
  return { shards: Object.fromEntries(ids.map((id) => [id, encodedEntry(tree.shards.get(id) as ContentEntry)])) }
}
