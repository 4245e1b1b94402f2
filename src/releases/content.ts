import { sha256 } from '#files'

/** Contents up to this size are one key; larger ones are parts of this size. Requests to etcd are limited to 1.5 MiB. */
export const PART_BYTES = 1024 * 1024

/** A content by its hash, as a tree names it. */
export interface ContentEntry {
  /** SHA-256 in lower-case hex. */
  readonly hash: string
  readonly bytes: number
}

/** A content with its bytes. */
export interface Content extends ContentEntry {
  readonly data: Buffer
}

export function contentOf(data: Buffer | string): Content {
  const buffer = typeof data === 'string' ? Buffer.from(data, 'utf8') : data
  return { hash: sha256(buffer), bytes: buffer.length, data: buffer }
}

/** Number of keys of a content: 1 up to PART_BYTES. An empty content is a key with an empty value. */
export function partsOf({ bytes }: ContentEntry): number {
  return Math.max(1, Math.ceil(bytes / PART_BYTES))
}
