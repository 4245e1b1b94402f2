import { type EtcdClient, EtcdError, type KeyValue } from '#etcd'
import { sha256 } from '#files'
import { batchesOf, inParallel } from './batches.ts'
import type { CommitChange } from './commit-change.ts'
import type { Content, ContentEntry } from './content.ts'
import { differencesOf, type PathDifference } from './differences.ts'
import { decodePointer, type Pointer } from './pointer.ts'
import { ReleaseError } from './release-error.ts'
import { checkTotals, decodeRecord, type ReleaseRecord } from './release-record.ts'
import { decodeShard, type Shard } from './shard.ts'
import type { StoreKeys } from './store-keys.ts'
import { Tree } from './tree.ts'

/** The pointer, with the revisions that a commit compares. */
export interface StoreHead {
  /** Null where the store has no release. */
  readonly pointer: Pointer | null
  /** Of the pointer; 0 where it does not exist. */
  readonly pointerRevision: bigint
  readonly sweepRevision: bigint
  /** Of the store: a watch of the pointer begins after it. */
  readonly revision: bigint
}

/** A content to read, with the path that errors name. */
export interface WantedContent extends ContentEntry {
  readonly path?: string
}

/** Contents that could not be read are remembered up to this number. */
const MAX_DAMAGED = 10_000

/** Keys of contents: more than 100 releases of 10,000 files have without a common one. */
const MAX_KEYS = 1_000_000

/** Records are requested in smaller groups: their sizes are not known, and may be 512 KiB. */
const RECORDS_IN_BATCH = 8

/** Reads releases. Nothing is returned that is not what its manifest says. */
export class ReleaseReader {
  readonly keys: StoreKeys
  readonly #etcd: EtcdClient
  readonly #maxBytes: number
  /** Hashes of contents that were missing or wrong: the next push sends them again. */
  readonly damaged = new Set<string>()

  /** What the last commit has put, as followers get it with the pointer; null where that is not known. */
  #prefetched: CommitChange | null = null

  constructor(etcd: EtcdClient, keys: StoreKeys, maxBytes: number) {
    this.#etcd = etcd
    this.keys = keys
    this.#maxBytes = maxBytes
  }

  async head(): Promise<StoreHead> {
    const { items, revision } = await this.#get([this.keys.current, this.keys.sweep])
    const [current, sweep] = items
    return {
      pointer: current ? decodePointer(this.keys.current, current.value) : null,
      pointerRevision: current?.modRevision ?? 0n,
      sweepRevision: sweep?.modRevision ?? 0n,
      revision,
    }
  }

  /** The next reads of this release need no request for what is in it. */
  usePrefetched(change: CommitChange | null): void {
    this.#prefetched = change
  }

  /** Null where the store has no such release. */
  async record(number: number): Promise<ReleaseRecord | null> {
    const prefetched = this.#prefetched?.release === number ? this.#decoded(number, this.#prefetched.record) : null
    // With another one, what the store has is read.
    if (prefetched !== null && !(prefetched instanceof ReleaseError)) return prefetched
    const [result] = await this.records([number])
    if (result instanceof ReleaseError) throw result
    return result ?? null
  }

  /** The record that the pointer or another record names. */
  async namedRecord(number: number): Promise<ReleaseRecord> {
    const record = await this.record(number)
    if (record !== null) return record
    throw new ReleaseError('missing', this.keys.release(number), `the record of release ${number} does not exist`)
  }

  /** Numbers of all releases, smallest first. */
  async numbers(): Promise<number[]> {
    return (await this.keysBelow(this.keys.releases)).flatMap((key) => this.keys.numberOf(key) ?? [])
  }

  async keysBelow(prefix: string): Promise<string[]> {
    const keys: string[] = []
    for (let after: string | undefined; ; after = keys.at(-1)) {
      const { items, more } = await this.#etcd.list(prefix, { keysOnly: true, ...(after !== undefined && { after }) })
      for (const { key } of items) keys.push(key)
      if (keys.length > MAX_KEYS) throw new ReleaseError('too-large', prefix, `there are more than ${MAX_KEYS} keys`)
      if (!more || items.length === 0) return keys
    }
  }

  /** Records in the order of the numbers; errors are returned, so that one bad record does not hide others. */
  async records(numbers: readonly number[]): Promise<(ReleaseRecord | ReleaseError | null)[]> {
    const groups: number[][] = []
    for (let at = 0; at < numbers.length; at += RECORDS_IN_BATCH) groups.push(numbers.slice(at, at + RECORDS_IN_BATCH))
    const found: (ReleaseRecord | ReleaseError | null)[] = []
    for await (const { group, items } of inParallel(groups, async (group) => ({
      group,
      items: (await this.#get(group.map((number) => this.keys.release(number)))).items,
    }))) {
      found.push(...group.map((number, at) => this.#decoded(number, items[at]?.value ?? null)))
    }
    return found
  }

  #decoded(number: number, value: Buffer | null): ReleaseRecord | ReleaseError | null {
    if (value === null) return null
    try {
      return decodeRecord(this.keys.release(number), value, number, this.#maxBytes)
    } catch (error) {
      if (error instanceof ReleaseError) return error
      throw error
    }
  }

  /** The files of a release. Shards that `known` has are not read again. */
  async tree(record: ReleaseRecord, known: Tree = Tree.EMPTY): Promise<Tree> {
    const where = this.keys.release(record.number)
    if ('entries' in record.tree) return Tree.of(where, record.tree.entries)
    const same = new Map<string, Shard>()
    for (const [id, { hash }] of record.tree.shards) {
      const shard = known.shards.get(id)
      if (shard?.content.hash === hash) same.set(id, shard)
    }
    const others = new Map([...record.tree.shards].filter(([id]) => !same.has(id)))
    const tree = Tree.ofShards(where, new Map([...same, ...(await this.shards(others))]))
    checkTotals(where, record, tree)
    return tree
  }

  /** Paths that differ between two releases; of shards that both have nothing is read. */
  async differences(before: ReleaseRecord, after: ReleaseRecord): Promise<PathDifference[]> {
    if ('entries' in before.tree || 'entries' in after.tree) {
      const known = await this.tree(before)
      return differencesOf(known, await this.tree(after, known))
    }
    const [old, next] = [before.tree.shards, after.tree.shards]
    const differing = (a: typeof old, b: typeof old) =>
      new Map([...a].filter(([id, { hash }]) => b.get(id)?.hash !== hash))
    const where = this.keys.release(after.number)
    const [left, right] = await Promise.all([this.shards(differing(old, next)), this.shards(differing(next, old))])
    return differencesOf(Tree.ofShards(where, left), Tree.ofShards(where, right))
  }

  /** Shards by their ids. */
  async shards(references: ReadonlyMap<string, ContentEntry>): Promise<Map<string, Shard>> {
    const ids = Map.groupBy(references.keys(), (id) => (references.get(id) as ContentEntry).hash)
    const shards = new Map<string, Shard>()
    for await (const { hash, data } of this.contents([...references.values()])) {
      const where = `${this.keys.contents}${hash}`
      for (const id of ids.get(hash) ?? []) shards.set(id, decodeShard(where, id, data, this.#maxBytes))
    }
    return shards
  }

  /** Contents in the order of the entries, each hash once, as they arrive. Their hashes are checked. */
  async *contents(entries: Iterable<WantedContent>): AsyncGenerator<Content> {
    const wanted = new Map([...entries].map((entry) => [entry.hash, entry]))
    const parts = [...wanted.values()].flatMap((entry) =>
      this.keys.parts(entry).map(({ key, bytes }, at, all) => ({ key, bytes, entry, isLast: at === all.length - 1 })),
    )
    let data: Buffer[] = []
    for await (const results of inParallel(batchesOf(parts), (batch) => this.#values(batch))) {
      for (const { part, value } of results) {
        if (value === null) this.#fail('missing', part.key, part.entry, 'the content does not exist')
        data.push(value)
        if (!part.isLast) continue
        yield this.#verified(part.entry, data)
        data = []
      }
    }
  }

  #verified(entry: WantedContent, parts: readonly Buffer[]): Content {
    const key = `${this.keys.contents}${entry.hash}`
    const data = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    if (data.length !== entry.bytes) {
      this.#fail('wrong-hash', key, entry, `expected ${entry.bytes} bytes, found ${data.length}`)
    }
    if (sha256(data) !== entry.hash) this.#fail('wrong-hash', key, entry, 'the content has another hash than its key')
    this.damaged.delete(entry.hash)
    return { hash: entry.hash, bytes: entry.bytes, data }
  }

  #fail(kind: 'missing' | 'wrong-hash', key: string, { hash, path }: WantedContent, problem: string): never {
    if (this.damaged.size < MAX_DAMAGED) this.damaged.add(hash)
    const file = path === undefined ? '' : ` of ${path}`
    throw new ReleaseError(kind, key, `${problem}${file}; push the files again, or roll back to another release`)
  }

  /** A value that is larger than its entry says can make a response too large: halves find it. */
  async #values<P extends { readonly key: string; readonly entry: WantedContent }>(
    batch: readonly P[],
  ): Promise<{ part: P; value: Buffer | null }[]> {
    const known = batch.map(({ entry }) => this.#prefetched?.contents.get(entry.hash) ?? null)
    const unknown = batch.filter((_, at) => known[at] === null)
    try {
      const { items } = unknown.length === 0 ? { items: [] } : await this.#get(unknown.map(({ key }) => key))
      return batch.map((part, at) => ({ part, value: known[at] ?? items[unknown.indexOf(part)]?.value ?? null }))
    } catch (error) {
      if (!(error instanceof EtcdError && error.kind === 'too-large')) throw error
      const [first] = batch
      if (batch.length === 1 && first) this.#fail('wrong-hash', first.key, first.entry, 'the content is too large')
      const middle = Math.ceil(batch.length / 2)
      return [...(await this.#values(batch.slice(0, middle))), ...(await this.#values(batch.slice(middle)))]
    }
  }

  async #get(keys: readonly string[]): Promise<{ items: (KeyValue | null)[]; revision: bigint }> {
    const success = keys.map((key) => ({ get: { key } }))
    const { responses, revision } = await this.#etcd.transact({ compare: [], success })
    return { items: responses.map((response) => (response.type === 'get' ? response.item : null)), revision }
  }
}
