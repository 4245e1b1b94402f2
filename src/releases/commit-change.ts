import { contentOf } from './content.ts'
import { FORMAT, Manifest } from './manifest.ts'
import { MAX_NUMBER } from './release-record.ts'
import type { StoreKeys } from './store-keys.ts'

/** Of its value: with the contents of a commit a request stays below the 1.5 MiB of etcd. */
const MAX_CHANGE_BYTES = 256 * 1024

/** The record and the contents that a commit has put, as far as they are small: who follows the pointer needs no read for them. */
export interface CommitChange {
  readonly release: number
  readonly record: Buffer
  /** By their hashes, which were checked. */
  readonly contents: ReadonlyMap<string, Buffer>
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Null where it would be too large. Contents that are not UTF-8, or parts of larger ones, are left out. */
export function encodeChange(
  keys: StoreKeys,
  { release, record, puts }: { release: number; record: Buffer; puts: readonly { key: string; value: Uint8Array }[] },
): Buffer | null {
  const contents = puts.flatMap(({ key, value }): [string, string][] => {
    const [hash, text] = [keys.hashOf(key), textOf(value)]
    return hash === null || text === null || key !== `${keys.contents}${hash}` ? [] : [[hash, text]]
  })
  const value = { format: FORMAT, release, record: String(record), contents: Object.fromEntries(contents) }
  const data = Buffer.from(JSON.stringify(value))
  return data.length > MAX_CHANGE_BYTES ? null : data
}

/** Throws a ReleaseError for another value. */
export function decodeChange(where: string, data: Buffer): CommitChange {
  const manifest = Manifest.parse(where, data, MAX_CHANGE_BYTES, 'the last change').checkFormat()
  manifest.only('format', 'release', 'record', 'contents')
  const texts = Manifest.of(where, manifest.get('contents'), 'the contents of the last change').entries()
  const contents = texts.flatMap(([hash, text]): [string, Buffer][] => {
    const content = contentOf(typeof text === 'string' ? text : '')
    return content.hash === hash ? [[hash, content.data]] : []
  })
  return {
    release: manifest.integer('release', 1, MAX_NUMBER),
    record: Buffer.from(manifest.text('record', MAX_CHANGE_BYTES)),
    contents: new Map(contents),
  }
}

function textOf(value: Uint8Array): string | null {
  try {
    return strictUtf8.decode(value)
  } catch {
    return null
  }
}
