import { randomUUID } from 'node:crypto'
import type { EtcdClient } from '#etcd'
import type { Clock } from '#schema'
import { ReleaseError } from './release-error.ts'
import type { ReleaseReader, StoreHead } from './release-reader.ts'
import type { ReleaseRecord } from './release-record.ts'

interface SweepOptions {
  readonly clock: Clock
  readonly keepReleases: number
  /** Milliseconds for which no kept release must have named a content, before it is removed. */
  readonly keepContents: number
}

export interface SweepResult {
  readonly releases: number
  /** Removed keys of contents. */
  readonly contents: number
  /** Contents that no kept release names, but not for long enough. */
  readonly waiting: number
}

/** Below the 128 operations of a request, with the operation that writes the sweep. */
const KEYS_IN_BATCH = 100
const MAX_ATTEMPTS = 10

/**
 * Removes releases beyond the newest ones, and contents that none of the others names. A record that can not be read rejects
 * the sweep: what it names is not known.
 */
export class Sweep {
  readonly #etcd: EtcdClient
  readonly #reader: ReleaseReader
  readonly #options: SweepOptions
  /** Keys of contents to the monotonic time at which they were first seen without a release. */
  #unnamed = new Map<string, number>()
  /** Revision of the pointer at the last complete sweep: as long as it is the same, no content loses its release. */
  #sweptRevision: bigint | null = null

  constructor(etcd: EtcdClient, reader: ReleaseReader, options: SweepOptions) {
    this.#etcd = etcd
    this.#reader = reader
    this.#options = options
  }

  async run(): Promise<SweepResult> {
    const named = new Set<string>()
    const visited = new Set<number>()
    let [releases, contents] = [0, 0]
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      // Before the listing: whatever is committed later changes the pointer, and the removal fails.
      const head = await this.#reader.head()
      if (head.pointer === null || this.#isIdle(head)) break
      const numbers = await this.#reader.numbers()
      const kept = this.#kept(numbers, head)
      await this.#addNamed(kept, visited, named)
      const old = numbers.filter((number) => !kept.has(number)).map((number) => this.#reader.keys.release(number))
      const removed = await this.#remove(old, head)
      releases += removed.count
      if (removed.isMoved) continue
      const due = await this.#due(named)
      const swept = await this.#remove(due, head)
      contents += swept.count
      if (swept.isMoved) continue
      this.#sweptRevision = head.pointerRevision
      break
    }
    return { releases, contents, waiting: this.#unnamed.size }
  }

  /** Nothing can be due: then the trees and keys are not read. */
  #isIdle({ pointerRevision }: StoreHead): boolean {
    const { clock, keepContents } = this.#options
    const due = clock.monotonic() - keepContents
    return pointerRevision === this.#sweptRevision && this.#unnamed.values().every((since) => since > due)
  }

  /** The newest ones, and whatever the pointer leads to. */
  #kept(numbers: readonly number[], { pointer }: StoreHead): Set<number> {
    const kept = new Set(numbers.toSorted((a, b) => b - a).slice(0, this.#options.keepReleases))
    for (const number of [pointer?.release, pointer?.staged?.release]) if (number !== undefined) kept.add(number)
    return kept
  }

  /** Adds the hashes of trees, shards and files; shards that are known by their hash are not read again. */
  async #addNamed(numbers: ReadonlySet<number>, visited: Set<number>, named: Set<string>): Promise<void> {
    const unknown = [...numbers].filter((number) => !visited.has(number))
    const records = await this.#reader.records(unknown)
    for (const [at, record] of records.entries()) {
      const number = unknown[at] as number
      // Deleted since it was listed, by another sweep.
      if (record === null) continue
      if (record instanceof ReleaseError) throw record
      await this.#addTree(record, named)
      visited.add(number)
    }
  }

  async #addTree({ tree }: ReleaseRecord, named: Set<string>): Promise<void> {
    if ('entries' in tree) {
      for (const { hash } of tree.entries.values()) named.add(hash)
      return
    }
    const unread = new Map([...tree.shards].filter(([, { hash }]) => !named.has(hash)))
    for (const shard of (await this.#reader.shards(unread)).values()) {
      for (const { hash } of shard.entries.values()) named.add(hash)
    }
    // After their entries: a shard counts as read only if it was.
    for (const { hash } of tree.shards.values()) named.add(hash)
  }

  /** Keys of contents that no release has named for long enough. */
  async #due(named: ReadonlySet<string>): Promise<string[]> {
    const { clock, keepContents } = this.#options
    const now = clock.monotonic()
    const unnamed = new Map<string, number>()
    for (const key of await this.#reader.keysBelow(this.#reader.keys.contents)) {
      const hash = this.#reader.keys.hashOf(key)
      if (hash !== null && !named.has(hash)) unnamed.set(key, this.#unnamed.get(key) ?? now)
    }
    this.#unnamed = unnamed
    return [...unnamed].filter(([, since]) => now - since >= keepContents).map(([key]) => key)
  }

  /** Removes keys as long as the pointer is as it was read before the trees. */
  async #remove(keys: readonly string[], head: StoreHead): Promise<{ count: number; isMoved: boolean }> {
    let count = 0
    for (let at = 0; at < keys.length; at += KEYS_IN_BATCH) {
      const batch = keys.slice(at, at + KEYS_IN_BATCH)
      const { succeeded } = await this.#etcd.transact({
        compare: [{ key: this.#reader.keys.current, modRevision: head.pointerRevision }],
        success: [
          ...batch.map((key) => ({ delete: { key } })),
          { put: { key: this.#reader.keys.sweep, value: randomUUID() } },
        ],
      })
      if (!succeeded) return { count, isMoved: true }
      count += batch.length
      for (const key of batch) this.#unnamed.delete(key)
    }
    return { count, isMoved: false }
  }
}
