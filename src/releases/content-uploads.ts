import { type EtcdClient, EtcdError, type Operation } from '#etcd'
import { batchesOf, inParallel } from './batches.ts'
import { type Content, PART_BYTES } from './content.ts'
import type { StoreKeys } from './store-keys.ts'

/** Contents up to these limits go into the transaction of the commit itself. */
const MAX_INLINE_CONTENTS = 40
const MAX_INLINE_BYTES = 256 * 1024

/** Attempts to put a batch. It is safe to repeat: a key of contents has only one right value. */
const ATTEMPTS = 3

interface Part {
  readonly key: string
  readonly bytes: number
  readonly value: Buffer
  readonly hash: string
}

/** Sends contents of one write, but those that the store has. */
export class ContentUploads {
  readonly #etcd: EtcdClient
  readonly #keys: StoreKeys
  /** Hashes that are sent even if the store has the key, since their values could not be read. */
  readonly #damaged: ReadonlySet<string>
  /** Keys that the store has, as long as nothing was swept. */
  readonly #present = new Set<string>()
  #sweepRevision: bigint | null = null

  constructor(etcd: EtcdClient, keys: StoreKeys, damaged: ReadonlySet<string>) {
    this.#etcd = etcd
    this.#keys = keys
    this.#damaged = damaged
  }

  /**
   * Contents that the commit has to put itself: all where they are few and small, else none, and the store has them. `sweepRevision`
   * is the one that the commit compares.
   */
  async prepare(contents: readonly Content[], sweepRevision: bigint): Promise<Operation[]> {
    const parts = this.#partsOf(contents)
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
    if (parts.length <= MAX_INLINE_CONTENTS && bytes <= MAX_INLINE_BYTES) return parts.map(putting)
    if (this.#sweepRevision !== sweepRevision) this.#present.clear()
    this.#sweepRevision = sweepRevision
    await this.#findPresent(parts.filter(({ hash, key }) => !this.#damaged.has(hash) && !this.#present.has(key)))
    await this.#put(parts.filter(({ key }) => !this.#present.has(key)))
    return []
  }

  #partsOf(contents: readonly Content[]): Part[] {
    const once = new Map(contents.map((content) => [content.hash, content]))
    return [...once.values()].flatMap((content) =>
      this.#keys.parts(content).map(({ key, bytes }, at) => {
        const start = at * PART_BYTES
        return { key, bytes, hash: content.hash, value: content.data.subarray(start, start + bytes) }
      }),
    )
  }

  async #findPresent(parts: readonly Part[]): Promise<void> {
    // Keys only: the size of the values does not matter.
    const batches = batchesOf(parts.map(({ key }) => ({ key, bytes: 0 })))
    for await (const { batch, responses } of inParallel(batches, async (batch) => {
      const success = batch.map(({ key }) => ({ get: { key, keysOnly: true } }))
      return { batch, responses: (await this.#etcd.transact({ compare: [], success })).responses }
    })) {
      for (const [at, response] of responses.entries()) {
        const key = batch[at]?.key
        if (response.type === 'get' && response.item !== null && key !== undefined) this.#present.add(key)
      }
    }
  }

  async #put(parts: readonly Part[]): Promise<void> {
    for await (const batch of inParallel(batchesOf(parts), (batch) => this.#putBatch(batch))) {
      for (const { key } of batch) this.#present.add(key)
    }
  }

  async #putBatch(batch: Part[]): Promise<Part[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#etcd.transact({ compare: [], success: batch.map(putting) })
        return batch
      } catch (error) {
        const isRepeatable = error instanceof EtcdError && error.uncertain && error.kind !== 'no-space'
        if (!isRepeatable || attempt === ATTEMPTS) throw error
      }
    }
  }
}

function putting({ key, value }: Part): Operation {
  return { put: { key, value } }
}
