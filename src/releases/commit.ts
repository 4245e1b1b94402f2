import { setTimeout as delay } from 'node:timers/promises'
import { type EtcdClient, EtcdError, type KeyValue, type Operation, type OperationResult } from '#etcd'
import type { Clock } from '#schema'
import { encodeChange } from './commit-change.ts'
import { encodePointer, type Pointer } from './pointer.ts'
import { ReleaseError } from './release-error.ts'
import type { StoreHead } from './release-reader.ts'
import { decodeRecord, encodeRecord, type ReleaseRecord } from './release-record.ts'
import type { StoreKeys } from './store-keys.ts'

/** What one commit changes. */
interface CommitPlan {
  /** As read before anything was decided. */
  readonly head: StoreHead
  readonly pointer: Pointer
  /** Null where only the pointer moves. */
  readonly record: ReleaseRecord | null
  /** Contents that are not uploaded before. */
  readonly contents: readonly Operation[]
}

/**
 * - `done`: the store has it.
 * - `moved`: another write or a sweep came first, and this one never happens: plan again.
 * - `unknown`: the store did not respond in time; the reason is for an operator.
 */
type CommitResult = 'done' | 'moved' | { readonly unknown: string }

const FIRST_PAUSE = 50
const LONGEST_PAUSE = 1_000

/** Commits with a known outcome, as far as the store responds within a time. */
export class Committer {
  readonly #etcd: EtcdClient
  readonly #keys: StoreKeys
  readonly #clock: Clock
  /** Milliseconds for questions about a commit without a response. */
  readonly #settleTime: number
  readonly #signal: AbortSignal
  /** The last commit whose outcome is unknown. */
  #unsettled: CommitPlan | null = null

  constructor(etcd: EtcdClient, keys: StoreKeys, clock: Clock, settleTime: number, signal: AbortSignal) {
    this.#etcd = etcd
    this.#keys = keys
    this.#clock = clock
    this.#settleTime = settleTime
    this.#signal = signal
  }

  /** Rejects with an EtcdError where the commit certainly did not happen. */
  async commit(plan: CommitPlan): Promise<CommitResult> {
    const { head, record } = plan
    try {
      const { succeeded } = await this.#etcd.transact({
        compare: [
          { key: this.#keys.current, modRevision: head.pointerRevision },
          { key: this.#keys.sweep, modRevision: head.sweepRevision },
          ...(record === null ? [] : [{ key: this.#keys.release(record.number), createRevision: 0n }]),
        ],
        success: [
          ...plan.contents,
          ...(record === null ? [] : this.#recordPuts(record, plan.contents)),
          put(this.#keys.current, encodePointer(plan.pointer)),
        ],
      })
      return succeeded ? 'done' : 'moved'
    } catch (error) {
      if (!(error instanceof EtcdError) || !error.uncertain) throw error
      return this.#settle(plan, error)
    }
  }

  /** The record, and for those who follow the pointer what is new with it. */
  #recordPuts(record: ReleaseRecord, contents: readonly Operation[]): Operation[] {
    const [key, data] = [this.#keys.release(record.number), encodeRecord(record)]
    const puts = contents.flatMap((each) => ('put' in each ? [each.put] : []))
    const change = encodeChange(this.#keys, {
      release: record.number,
      record: data,
      puts: puts.map(({ key: of, value }) => ({ key: of, value: Buffer.from(value) })),
    })
    return [put(key, data), ...(change === null ? [] : [put(this.#keys.change, change)])]
  }

  /** Before another write of this instance: a commit that is still on its way must not overtake it. */
  async settleEarlier(): Promise<void> {
    const plan = this.#unsettled
    if (plan === null) return
    await this.#question(plan, true)
    this.#unsettled = null
  }

  async #settle(plan: CommitPlan, cause: EtcdError): Promise<CommitResult> {
    // A full store has responded: the commit is applied or not, and a further write would fail.
    const wasRefused = cause.kind === 'no-space'
    const end = this.#clock.monotonic() + this.#settleTime
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        const happened = await this.#question(plan, !wasRefused)
        if (!happened && wasRefused) throw cause
        return happened ? 'done' : 'moved'
      } catch (error) {
        if (error === cause || !(error instanceof EtcdError)) throw error
        if (this.#signal.aborted || this.#clock.monotonic() + pause > end) break
      }
      await delay(pause * (0.5 + Math.random() / 2), undefined, { signal: this.#signal }).catch(() => {})
    }
    this.#unsettled = plan
    return {
      unknown: `the store did not respond to the commit of ${described(plan)}, nor to questions about it: ${cause.message}; look at the releases when it responds`,
    }
  }

  /**
   * Whether a commit happened. With `ends` the same transaction writes `sweep`, which the commit compares: if it has not
   * happened by then, it never will, even if its request is still on its way.
   */
  async #question({ head, record, pointer }: CommitPlan, ends: boolean): Promise<boolean> {
    const { current, sweep } = this.#keys
    const reads = [{ get: { key: current } }, { get: { key: this.#keys.release(record?.number ?? pointer.release) } }]
    const success: Operation[] = ends ? [...reads, put(sweep, Buffer.from('settled'))] : reads
    const { responses } = await this.#etcd.transact({ compare: [], success })
    if (record !== null) return this.#isOwn(record, itemOf(responses[1]))
    const found = itemOf(responses[0])
    return found?.modRevision !== head.pointerRevision && found?.value.equals(encodePointer(pointer)) === true
  }

  #isOwn(record: ReleaseRecord, item: KeyValue | null): boolean {
    if (item === null) return false
    try {
      const key = this.#keys.release(record.number)
      return decodeRecord(key, item.value, record.number, Number.POSITIVE_INFINITY).write === record.write
    } catch (error) {
      if (error instanceof ReleaseError) return false
      throw error
    }
  }
}

function put(key: string, value: Buffer): Operation {
  return { put: { key, value } }
}

function itemOf(result: OperationResult | undefined): KeyValue | null {
  return result?.type === 'get' ? result.item : null
}

function described({ record, pointer }: CommitPlan): string {
  return record === null ? `the pointer to release ${pointer.release}` : `release ${record.number}`
}
