import type { JsonObject } from '#json'
import type { ClusterCalls } from './cluster-calls.ts'
import { EtcdError } from './etcd-error.ts'
import type { KeyRange } from './key-value.ts'
import { objectsOf, rangeOf, rawItemOf, revisionOf } from './wire.ts'

/** When a watch is checked, and what a failed check does. */
interface CheckOptions {
  /** Milliseconds; a quarter of it is random. */
  readonly interval: number
  readonly random: () => number
  failed(error: EtcdError): void
}

/**
 * Asks the member of a watch regularly for the watched keys. A watch is silent for minutes while nothing changes, also where
 * its connection is dead or its member is cut off from the others, and HTTP/1.1 can not ask within the stream. A read that the
 * majority confirms proves that the member is part of the cluster; a change that is not delivered until the next check proves
 * that the watch is not.
 */
export class WatchChecks {
  readonly #cluster: ClusterCalls
  readonly #origin: string
  readonly #range: KeyRange
  readonly #from: bigint
  readonly #options: CheckOptions
  #timer: NodeJS.Timeout | undefined
  #delivered: bigint
  /** A change that the last check saw, and the watch had not delivered. */
  #awaited = 0n
  #isOver = false

  constructor(cluster: ClusterCalls, origin: string, target: KeyRange & { from: bigint }, options: CheckOptions) {
    this.#cluster = cluster
    this.#origin = origin
    this.#range = target
    this.#from = target.from
    this.#options = options
    this.#delivered = target.from - 1n
  }

  /** `revision`: that of the member when it created the watch. */
  start(revision: bigint): void {
    // The member may only be behind the others: the majority knows.
    if (revision + 1n < this.#from) this.#check()
    else this.#schedule()
  }

  delivered(revision: bigint): void {
    this.#delivered = revision
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    const { interval, random } = this.#options
    this.#timer = setTimeout(() => this.#check(), interval * (1 - random() / 4)).unref()
  }

  #check(): void {
    this.#ask().then(
      () => {
        if (!this.#isOver) this.#schedule()
      },
      (error: unknown) => {
        if (!this.#isOver) this.#options.failed(this.#errorOf(error))
      },
    )
  }

  async #ask(): Promise<void> {
    // Of a prefix only one key is read: the newest one would need all of them.
    const message: JsonObject = { ...rangeOf(this.#range), limit: '1', keys_only: true }
    const { revision, newest } = await this.#cluster.callMember(
      this.#origin,
      { path: 'kv/range', message },
      (response) => ({
        revision: revisionOf(response),
        newest: objectsOf(response['kvs'], 'kvs').map((each) => rawItemOf(each, 'kvs').modRevision)[0] ?? 0n,
      }),
    )
    if (revision + 1n < this.#from) throw this.#failure('future-revision', `got a store at revision ${revision}`)
    if (this.#awaited > this.#delivered)
      throw this.#failure('unavailable', `got no change of revision ${this.#awaited}, which the store has`)
    this.#awaited = newest
  }

  #errorOf(error: unknown): EtcdError {
    return error instanceof EtcdError ? error : this.#failure('unavailable', 'the check of the watch failed', error)
  }

  #failure(kind: 'future-revision' | 'unavailable', found: string, cause?: unknown): EtcdError {
    return new EtcdError(kind, `etcd ${this.#origin}: expected changes from revision ${this.#from} on, ${found}`, {
      endpoint: this.#origin,
      cause,
    })
  }
}
