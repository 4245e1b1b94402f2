import type { JsonObject } from '#json'
import type { ClusterCalls } from './cluster-calls.ts'
import { EtcdError } from './etcd-error.ts'
import type { KeyValue } from './key-value.ts'
import { MalformedResponse } from './malformed-response.ts'
import {
  endOfPrefix,
  flagOf,
  integerOf,
  keyAfter,
  keyBytes,
  objectsOf,
  type RawItem,
  rangeOf,
  rawItemOf,
  readable,
  revisionOf,
} from './wire.ts'

/** Which keys of a prefix are listed. */
export interface ListOptions {
  readonly keysOnly?: boolean
  /** Most items of the page: 1,000 by default, 100 with values. */
  readonly limit?: number
  /** The key before the first one of the page. */
  readonly after?: string
  /** Lists the keys as of this revision, so that all pages are of one state. */
  readonly revision?: bigint
}

/** A part of the keys of a prefix, in their order. */
export interface KeyPage {
  readonly items: KeyValue[]
  readonly more: boolean
  /** For further pages: of the state that was listed. */
  readonly revision: bigint
}

const KEYS_LIMIT = 1_000
const VALUES_LIMIT = 100

/**
 * Reads one page. A page whose response is too large is asked for again with half of the items. Keys that are not UTF-8 are
 * left out, but passed.
 */
export async function listKeys(cluster: ClusterCalls, prefix: string, options: ListOptions): Promise<KeyPage> {
  const first = keyBytes(prefix)
  const end = endOfPrefix(first)
  const { keysOnly = false, after } = options
  const limit = options.limit ?? (keysOnly ? KEYS_LIMIT : VALUES_LIMIT)
  let start = after === undefined ? first : keyAfter(keyBytes(after))
  let { revision } = options
  for (let size = limit; ; ) {
    const page = await part(cluster, { start, end, size, keysOnly, revision }).catch((error: unknown) => {
      if (!(error instanceof EtcdError && error.kind === 'too-large') || size <= 1) throw error
      return null
    })
    if (page === null) {
      size = Math.floor(size / 2)
      continue
    }
    revision ??= page.revision
    const items = readable(page.items)
    const last = page.items.at(-1)
    if (items.length > 0 || last === undefined) return { items, more: page.more, revision }
    // A page of foreign keys only: the caller could not name the last one.
    start = keyAfter(last.rawKey)
  }
}

/** Without reading the keys. */
export function countKeys(cluster: ClusterCalls, prefix: string): Promise<number> {
  const message: JsonObject = { ...rangeOf({ prefix }), count_only: true }
  return cluster.call({ path: 'kv/range', message }, (response) => Number(integerOf(response['count'], 'count')))
}

interface Part {
  readonly start: Buffer
  readonly end: Buffer
  readonly size: number
  readonly keysOnly: boolean
  readonly revision: bigint | undefined
}

interface RawPage {
  readonly items: RawItem[]
  readonly more: boolean
  readonly revision: bigint
}

function part(cluster: ClusterCalls, { start, end, size, keysOnly, revision }: Part): Promise<RawPage> {
  const message: JsonObject = {
    key: start.toString('base64'),
    range_end: end.toString('base64'),
    limit: String(size),
    ...(keysOnly && { keys_only: true }),
    ...(revision !== undefined && { revision: revision.toString() }),
  }
  return cluster.call({ path: 'kv/range', message }, (response) => {
    const items = objectsOf(response['kvs'], 'kvs').map((each, index) => rawItemOf(each, `kvs[${index}]`))
    checkOrder(items, start, end)
    return { items, more: items.length > 0 && flagOf(response['more'], 'more'), revision: revisionOf(response) }
  })
}

/** Keys that do not advance would make a caller ask for pages without end. */
function checkOrder(items: readonly RawItem[], start: Buffer, end: Buffer): void {
  let least = start
  for (const { rawKey } of items) {
    if (rawKey.compare(least) < 0 || rawKey.compare(end) >= 0)
      throw new MalformedResponse('kvs: expected keys of the range in their order, got others')
    least = keyAfter(rawKey)
  }
}
