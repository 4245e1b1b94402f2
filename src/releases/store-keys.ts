import type { KeyRange } from '#etcd'
import { type ContentEntry, PART_BYTES, partsOf } from './content.ts'

/** Keys of a store below its prefix. */
export class StoreKeys {
  readonly prefix: string
  /** The pointer: the one key that instances follow. */
  readonly current: string
  /** What the last commit has put, for followers: the next key after the pointer, so that one watch has both, and no other. */
  readonly change: string
  /** What instances watch. */
  readonly followed: KeyRange
  /** Written with every removal of contents, and compared by every commit. */
  readonly sweep: string
  readonly releases: string
  readonly contents: string
  readonly instances: string

  constructor(prefix: string) {
    const base = prefix.replace(/\/+$/, '')
    this.prefix = base
    this.current = `${base}/current`
    this.change = `${this.current}\0`
    this.followed = { first: this.current, last: this.change }
    this.sweep = `${base}/sweep`
    this.releases = `${base}/releases/`
    this.contents = `${base}/contents/`
    this.instances = `${base}/instances/`
  }

  release(number: number): string {
    return `${this.releases}${String(number).padStart(10, '0')}`
  }

  /** Null for a key that is not the key of a release. */
  numberOf(key: string): number | null {
    const digits = key.startsWith(this.releases) ? key.slice(this.releases.length) : ''
    return /^\d{10}$/.test(digits) && Number(digits) > 0 ? Number(digits) : null
  }

  instance(id: string): string {
    return `${this.instances}${id}`
  }

  /** Keys of a content with the sizes of their values. */
  parts(entry: ContentEntry): { readonly key: string; readonly bytes: number }[] {
    const count = partsOf(entry)
    if (count === 1) return [{ key: `${this.contents}${entry.hash}`, bytes: entry.bytes }]
    return Array.from({ length: count }, (_, at) => ({
      key: `${this.contents}${entry.hash}.${at}`,
      bytes: Math.min(PART_BYTES, entry.bytes - at * PART_BYTES),
    }))
  }

  /** Hash of a content key; null for another key. */
  hashOf(key: string): string | null {
    if (!key.startsWith(this.contents)) return null
    return /^([0-9a-f]{64})(?:\.\d{1,5})?$/.exec(key.slice(this.contents.length))?.[1] ?? null
  }
}
