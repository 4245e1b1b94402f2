import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type EtcdClient, EtcdError } from '#etcd'
import type { Clock } from '#schema'
import { Committer } from './commit.ts'
import type { Authorship, WriteOutcome } from './configuration-store.ts'
import type { Content } from './content.ts'
import { ContentUploads } from './content-uploads.ts'
import type { Pointer } from './pointer.ts'
import { ReleaseError } from './release-error.ts'
import type { ReleaseReader, StoreHead } from './release-reader.ts'
import { fittingAuthor, fittingNote, MAX_NUMBER, type ReleaseRecord } from './release-record.ts'
import type { TreeReference } from './tree.ts'

/** What became of a release that was to be made, staged or moved. */
export type ReleaseOutcome =
  | WriteOutcome
  /** Nothing was to be changed; the release that has it already. */
  | { readonly state: 'unchanged'; readonly release: number }
  /** The store has no such release (404). */
  | { readonly state: 'missing'; readonly release: number }

/** A change of the store, planned on its head. */
export type Draft =
  /** A new release, with the contents that the store may not have. */
  | {
      readonly make: { readonly tree: TreeReference; readonly files: number; readonly bytes: number }
      readonly contents: readonly Content[]
      /** For the number that the release gets. */
      readonly pointer: (number: number) => Pointer
      /** Numbers up to this are taken. */
      readonly last: number
      readonly parent: number | null
    }
  /** Only the pointer moves. */
  | { readonly move: Pointer }

type Plan = (head: StoreHead) => Promise<Draft | ReleaseOutcome>

/** Where errors of the new release itself are, in contrast to those of the store. */
export const NEW_RELEASE = 'the new release'

const MAX_ATTEMPTS = 60
const MAX_WAITING = 1_000
const LONGEST_PAUSE = 200

/** Options of writes. Times are milliseconds. */
interface WriterOptions {
  readonly clock: Clock
  readonly maxReleaseBytes: number
  /** For all attempts of one write. */
  readonly writeTime: number
  /** For questions about a commit without a response. */
  readonly settleTime: number
  readonly signal: AbortSignal
}

/** Makes changes of the store one after the other: plan on the current head, upload, commit; and again where others were first. */
export class ReleaseWriter {
  readonly #etcd: EtcdClient
  readonly #reader: ReleaseReader
  readonly #options: WriterOptions
  readonly #committer: Committer
  #queue: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(etcd: EtcdClient, reader: ReleaseReader, options: WriterOptions) {
    this.#etcd = etcd
    this.#reader = reader
    this.#options = options
    this.#committer = new Committer(etcd, reader.keys, options.clock, options.settleTime, options.signal)
  }

  /** Rejects with a ReleaseError where the new release itself is not allowed, for example by a path. */
  async write(by: Authorship | null, plan: Plan): Promise<ReleaseOutcome> {
    if (this.#waiting >= MAX_WAITING) {
      return {
        state: 'unavailable',
        reason: `${MAX_WAITING} changes of this gateway wait for the store; try again later`,
      }
    }
    this.#waiting++
    const result = this.#queue.then(() => this.#outcome(by, plan))
    this.#queue = result.catch(() => {})
    try {
      return await result
    } finally {
      this.#waiting--
    }
  }

  async #outcome(by: Authorship | null, plan: Plan): Promise<ReleaseOutcome> {
    try {
      await this.#committer.settleEarlier()
      return await this.#attempts(by, plan)
    } catch (error) {
      if (error instanceof EtcdError) return { state: 'unavailable', reason: error.message }
      if (!(error instanceof ReleaseError) || error.where === NEW_RELEASE) throw error
      return { state: 'blocked', reason: error.message }
    }
  }

  async #attempts(by: Authorship | null, plan: Plan): Promise<ReleaseOutcome> {
    const { clock, writeTime, signal } = this.#options
    const end = clock.monotonic() + writeTime
    const uploads = new ContentUploads(this.#etcd, this.#reader.keys, this.#reader.damaged)
    const write = randomUUID()
    for (let attempt = 1; attempt <= MAX_ATTEMPTS && clock.monotonic() < end && !signal.aborted; attempt++) {
      const head = await this.#reader.head()
      const draft = await plan(head)
      if ('state' in draft) return draft
      const outcome = await this.#attempt(head, draft, uploads, { ...(by ?? { author: '', note: null }), write })
      if (outcome !== null) return outcome
      // Another writer has succeeded, so there is progress; the pause spreads the writers.
      const pause = Math.random() * Math.min(LONGEST_PAUSE, 2 ** attempt)
      await delay(pause, undefined, { signal }).catch(() => {})
    }
    return { state: 'unavailable', reason: 'other writers changed the releases before every attempt; try again' }
  }

  /** Null where another writer or a sweep came first. */
  async #attempt(
    head: StoreHead,
    draft: Draft,
    uploads: ContentUploads,
    by: Authorship & { readonly write: string },
  ): Promise<ReleaseOutcome | null> {
    const record = 'make' in draft ? this.#record(draft, by) : null
    const limit = this.#options.maxReleaseBytes
    if (record !== null && record.bytes > limit) return { state: 'too-large', bytes: record.bytes, limit }
    if (record !== null && record.number > MAX_NUMBER)
      return { state: 'blocked', reason: 'the numbers of releases are used up' }
    const pointer = 'move' in draft ? draft.move : draft.pointer((record as ReleaseRecord).number)
    const contents = 'make' in draft ? await uploads.prepare(draft.contents, head.sweepRevision) : []
    const result = await this.#committer.commit({ head, pointer, record, contents })
    if (result === 'moved') return null
    if (result !== 'done') return { state: 'unknown', reason: result.unknown }
    if ('make' in draft) for (const { hash } of draft.contents) this.#reader.damaged.delete(hash)
    return { state: 'done', release: record?.number ?? pointer.release }
  }

  #record(draft: Extract<Draft, { make: unknown }>, by: Authorship & { readonly write: string }): ReleaseRecord {
    return {
      number: draft.last + 1,
      parent: draft.parent,
      write: by.write,
      author: fittingAuthor(by.author),
      created: new Date(this.#options.clock.now()).toISOString(),
      note: fittingNote(by.note),
      files: draft.make.files,
      bytes: draft.make.bytes,
      tree: draft.make.tree,
    }
  }
}
