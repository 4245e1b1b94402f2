import type { EtcdClient } from '#etcd'
import type { Clock } from '#schema'
import type { Authorship, FileChange, WriteOutcome } from './configuration-store.ts'
import type { Content } from './content.ts'
import type { PathDifference } from './differences.ts'
import type { Divergence, LocalState } from './divergence.ts'
import { type Labels, labelsProblem } from './labels.ts'
import { followPointer, type PointerListener } from './pointer-watch.ts'
import { ReleaseError } from './release-error.ts'
import { baseOf } from './release-guard.ts'
import { againPlan, ChangePlan, stagedPlan, WholePlan } from './release-plans.ts'
import { ReleaseReader, type StoreHead, type WantedContent } from './release-reader.ts'
import type { ReleaseRecord } from './release-record.ts'
import { NEW_RELEASE, type ReleaseOutcome, ReleaseWriter } from './release-writer.ts'
import { StoreKeys } from './store-keys.ts'
import { Sweep, type SweepResult } from './sweep.ts'
import type { Tree } from './tree.ts'

/** Options of releases in etcd. Times are milliseconds. */
export interface ReleaseOptions {
  readonly prefix: string
  readonly clock: Clock
  /** 64 MiB by default. */
  readonly maxReleaseBytes?: number
  /** 100 by default. */
  readonly keepReleases?: number
  /** How long a content is kept after the last release that names it, by the clock of the sweeping instance: an hour by default. */
  readonly keepContents?: number
  /** For all attempts of one write; 20 s by default. */
  readonly writeTime?: number
  /** Until the outcome of a commit without a response is `unknown`; 10 s by default. */
  readonly settleTime?: number
}

/** A release in a list. */
interface ListedRelease {
  readonly number: number
  /** Null where it can not be read. */
  readonly record: ReleaseRecord | null
  readonly problem: string | null
  readonly isCurrent: boolean
  /** Labels of instances that serve it while it is staged; null where it is not. */
  readonly stage: Labels | null
}

/** What a write knows about the instance that makes it. */
interface WriteContext {
  /** The release on the disk of the instance: nothing is written to a store that contradicts it. Null for none. */
  readonly local: LocalState | null
}

const MAX_RELEASE_BYTES = 64 * 1024 * 1024
const HOUR = 3_600_000

/**
 * Releases in etcd. Reads reject with an EtcdError where the store can not be read, and with a ReleaseError where it has something else
 * than releases. Writes resolve with their outcome.
 */
export class EtcdReleases implements Disposable {
  readonly keys: StoreKeys
  readonly #etcd: EtcdClient
  readonly #reader: ReleaseReader
  readonly #writer: ReleaseWriter
  readonly #sweep: Sweep
  readonly #ending = new AbortController()
  readonly #maxBytes: number

  constructor(etcd: EtcdClient, options: ReleaseOptions) {
    const { clock, writeTime = 20_000, settleTime = 10_000, keepReleases = 100, keepContents = HOUR } = options
    this.#maxBytes = options.maxReleaseBytes ?? MAX_RELEASE_BYTES
    this.#etcd = etcd
    this.keys = new StoreKeys(options.prefix)
    this.#reader = new ReleaseReader(etcd, this.keys, this.#maxBytes)
    const { signal } = this.#ending
    const writing = { clock, maxReleaseBytes: this.#maxBytes, writeTime, settleTime, signal }
    this.#writer = new ReleaseWriter(etcd, this.#reader, writing)
    this.#sweep = new Sweep(etcd, this.#reader, { clock, keepReleases, keepContents })
  }

  /** The pointer and the revision after which a watch of `keys.current` begins. */
  head(): Promise<StoreHead> {
    return this.#reader.head()
  }

  /** The head of the store, and how it contradicts what the instance has; null where it does not. */
  async check(local: LocalState | null): Promise<{ readonly head: StoreHead; readonly divergence: Divergence | null }> {
    // It may be another store than the one that was followed.
    this.#reader.usePrefetched(null)
    const head = await this.#reader.head()
    const { divergence } = await baseOf(this.#reader, head.pointer, local)
    return { head, divergence }
  }

  /** Follows the pointer from a revision on, until the watch fails. */
  follow(from: bigint, listener: PointerListener): Disposable {
    return followPointer(this.#etcd, this.#reader, from, listener)
  }

  /** Null where the store has no such release. */
  release(number: number): Promise<ReleaseRecord | null> {
    return this.#reader.record(number)
  }

  /** The files of a release. Of shards that `known` has nothing is read. */
  tree(record: ReleaseRecord, known?: Tree): Promise<Tree> {
    return this.#reader.tree(record, known)
  }

  /** Contents, each hash once, in order and as they arrive. */
  contents(entries: Iterable<WantedContent>): AsyncGenerator<Content> {
    return this.#reader.contents(entries)
  }

  /** Paths that differ between two releases. */
  differences(before: ReleaseRecord, after: ReleaseRecord): Promise<PathDifference[]> {
    return this.#reader.differences(before, after)
  }

  /** Releases, newest first, with smaller numbers than `before`. */
  async list({ limit = 100, before = Number.POSITIVE_INFINITY }: { limit?: number; before?: number } = {}): Promise<{
    readonly releases: ListedRelease[]
    readonly more: boolean
  }> {
    const { pointer } = await this.#reader.head()
    const numbers = (await this.#reader.numbers()).filter((number) => number < before).toSorted((a, b) => b - a)
    const page = numbers.slice(0, limit)
    const records = await this.#reader.records(page)
    const releases = page.map((number, at): ListedRelease => {
      const found = records[at] ?? null
      const problem = found instanceof ReleaseError ? found.message : null
      const record = found instanceof ReleaseError ? null : found
      const stage = pointer?.staged?.release === number ? pointer.staged.only : null
      return { number, record, problem, isCurrent: pointer?.release === number, stage }
    })
    return { releases: releases.filter(({ record, problem }) => record ?? problem), more: numbers.length > limit }
  }

  /** Changes some files of the current release. Changes of other files that came first are kept. */
  async write(changes: readonly FileChange[], by: Authorship, { local }: WriteContext): Promise<WriteOutcome> {
    const plan = new ChangePlan(changes)
    const outcome = await this.#writer.write(by, (head) => plan.on(this.#reader, head, local))
    if (outcome.state === 'unchanged') return { state: 'done', release: outcome.release }
    if (outcome.state === 'missing') throw new Error('a change of files names no release')
    return outcome
  }

  /**
   * Makes a release of these files: the first one, a push, or one that only instances with the labels of `only` serve.
   * `overrules`: it also replaces what a diverged store has. `expected`: the number of the release that it replaces, null for none;
   * where another one is current it is a conflict at the key of the pointer.
   */
  async create(
    files: ReadonlyMap<string, Buffer | string>,
    by: Authorship,
    context: WriteContext & { only?: Labels | null; overrules?: boolean; expected?: number | null },
  ): Promise<ReleaseOutcome> {
    const { local, only = null, overrules = false, expected } = context
    const problem = only === null ? null : labelsProblem(only)
    if (problem !== null) throw new ReleaseError('not-a-manifest', NEW_RELEASE, `expected ${problem}`)
    const bytes = files.values().reduce((sum, data) => sum + Buffer.byteLength(data), 0)
    if (bytes > this.#maxBytes) return { state: 'too-large', bytes, limit: this.#maxBytes }
    const plan = new WholePlan(files)
    return this.#writer.write(by, (head) => plan.on(this.#reader, head, { local, overrules, only, expected }))
  }

  /** Roll back: a new release with the files of an earlier one. */
  deployAgain(number: number, by: Authorship, { local }: WriteContext): Promise<ReleaseOutcome> {
    return this.#writer.write(by, (head) => againPlan(this.#reader, head, number, local))
  }

  /** A staged release becomes the current one. */
  promote(number: number, { local }: WriteContext): Promise<ReleaseOutcome> {
    return this.#writer.write(null, (head) => stagedPlan(this.#reader, head, number, { promotes: true, local }))
  }

  /** A staged release is served by no instance any more. */
  drop(number: number, { local }: WriteContext): Promise<ReleaseOutcome> {
    return this.#writer.write(null, (head) => stagedPlan(this.#reader, head, number, { promotes: false, local }))
  }

  /** Removes releases beyond `keepReleases`, and contents that have had no release for an hour. */
  sweep(): Promise<SweepResult> {
    return this.#sweep.run()
  }

  /** Ends waiting writes; their outcome may be `unknown`. The client belongs to the caller. */
  [Symbol.dispose](): void {
    this.#ending.abort()
  }
}
