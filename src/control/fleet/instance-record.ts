import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type EtcdClient, EtcdError, type EtcdErrorKind, type KeyValue, type OperationResult } from '#etcd'
import type { StoreKeys } from '#releases'
import { boundedWait } from '#timing'
import { decodeStatus, encodeStatus, type InstanceStatus, processOf } from './instance-status.ts'

/** Seconds after which the record of an instance that is gone disappears. */
const LEASE_SECONDS = 15

const RENEWAL = 5_000

/** Milliseconds without a response after which a write is begun again, beside the first one; each time twice as many. */
const SILENCE = 500
const RETRY_AFTER = 200
const ATTEMPTS = 4

/** Milliseconds after which a record says that a release is wanted and not served: most are served by then. */
const BEHIND_AFTER = 250

/** Milliseconds for the removal of the record when the gateway stops. */
const REMOVAL_LIMIT = 2_000

/** Keys of a page; an instance list is read completely, up to this number of pages. */
const PAGE = 500
const MAX_PAGES = 40

/** Input of a record. */
interface RecordInput {
  readonly client: EtcdClient
  readonly keys: StoreKeys
  /** Milliseconds between renewals; two may fail before the lease ends. */
  readonly renewal?: number
  readonly clock: { monotonic(): number }
  status(): InstanceStatus
  /** Another living process writes the record of this id, and where it serves traffic; null: no longer. Must not throw. */
  rivalChanged(address: string | null): void
  /** The store can be read, and refuses the record: it is full, or the user may not write; null: no longer. Must not throw. */
  refusalChanged(refusal: EtcdError | null): void
}

/** Kinds of failure that readers of the store do not see. */
const REFUSALS: ReadonlySet<EtcdErrorKind> = new Set<EtcdErrorKind>(['no-space', 'denied'])

/** Milliseconds without a record of the other process, after which it is taken for gone: a lease, and a renewal. */
const RIVAL_KEPT = LEASE_SECONDS * 1_000 + RENEWAL

/** Writes that are tried in sequence while another process writes the same record. */
const MOST_TRIES = 5

/** Renewals between two counts of the instances. */
const COUNT_EVERY = 3

/**
 * The record of this instance in the store, bound to a lease: it is gone soon after the instance is. Failures are not
 * logged where the follower sees them too; the next renewal writes the record again.
 *
 * Each process writes it by compare-and-swap, with a token of its own. The record of another process is no sign of a second gateway
 * with this id when it is found at the start: that may have been killed, or this one takes over from it. It is one when it replaces
 * the record that this process has written, since then both live.
 */
export class InstanceRecord {
  readonly #input: RecordInput
  #lease: string | null = null
  #written = ''
  /** As in the last record. */
  #served: number | null | undefined = undefined
  #behind: NodeJS.Timeout | null = null
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> | null = null
  #isStale = false
  #isClosed = false
  #renewals = 0
  #instances = 0
  readonly #process = randomUUID()
  /** Of the record as this process has written or found it; 0 without one, null before the first look. */
  #revision: bigint | null = null
  #hasWritten = false
  #rivalSeen: number | null = null
  #refusal: EtcdErrorKind | null = null

  constructor(input: RecordInput) {
    this.#input = input
  }

  /** Number of living instances, as of some seconds before. */
  get instances(): number {
    return this.#instances
  }

  /** Writes the record now and renews it from then on. */
  start(): void {
    this.#timer ??= setInterval(() => this.#renew(), this.#input.renewal ?? RENEWAL).unref()
    this.changed()
  }

  /** The status has changed: writes it, once for several changes at a time. */
  changed(): void {
    if (this.#isClosed || this.#timer === null) return
    const { state, served } = this.#input.status()
    if (state === 'behind' && served === this.#served)
      this.#behind ??= setTimeout(() => {
        this.#behind = null
        this.#begin()
      }, BEHIND_AFTER).unref()
    else this.#begin()
  }

  #begin(): void {
    if (this.#isClosed) return
    this.#isStale = true
    this.#writing ??= this.#writeAll()
  }

  /** Removes the record; waits a bounded time for the store. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearInterval(this.#timer)
    if (this.#behind !== null) clearTimeout(this.#behind)
    const removal = (async () => {
      await this.#writing
      if (this.#lease !== null) await this.#input.client.revokeLease(this.#lease)
    })().catch(() => {})
    await boundedWait(removal, REMOVAL_LIMIT)
  }

  #renew(): void {
    if (this.#renewals++ % COUNT_EVERY === 0) void this.#count()
    // Also for problems that came or went without a change of the release.
    void this.#compare().finally(() => this.changed())
    const lease = this.#lease
    if (lease === null) return
    this.#input.client.keepAlive(lease).catch((error: unknown) => {
      // Also after a long sleep of the machine.
      if (!(error instanceof EtcdError && error.kind === 'lease-not-found') || this.#lease !== lease) return
      this.#lease = null
      this.#written = ''
      this.changed()
    })
  }

  async #writeAll(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false
      await this.#attempts()
    }
    // In the same turn as the last look at `#isStale`: a change in between would wait for the next renewal.
    this.#writing = null
  }

  /**
   * A member that has forwarded a write to a leader that died does not respond before its time-out: the record is written again
   * beside that, as it is by then. What is not written after some attempts is with the next renewal.
   */
  async #attempts(): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS && !this.#isClosed; attempt++) {
      const written = this.#write().then(
        () => true,
        (error: unknown) => {
          // The lease may have ended.
          if (error instanceof EtcdError && error.kind === 'lease-not-found') this.#lease = null
          this.#written = ''
          if (error instanceof EtcdError && REFUSALS.has(error.kind)) this.#refused(error)
          return delay(RETRY_AFTER, false, { ref: false })
        },
      )
      if (await Promise.race([written, delay(SILENCE * 2 ** attempt, false, { ref: false })])) return
    }
  }

  #refused(refusal: EtcdError | null): void {
    const kind = refusal?.kind ?? null
    if (kind === this.#refusal || this.#isClosed) return
    this.#refusal = kind
    this.#input.refusalChanged(refusal)
  }

  async #count(): Promise<void> {
    const { client, keys } = this.#input
    this.#instances = await client.count(keys.instances).catch(() => this.#instances)
  }

  /** Whether the record is still the one that this process has written. */
  async #compare(): Promise<void> {
    const { client, keys, status, clock } = this.#input
    if (this.#rivalSeen !== null && clock.monotonic() - this.#rivalSeen > RIVAL_KEPT) {
      this.#rivalSeen = null
      this.#input.rivalChanged(null)
    }
    // What is written now is compared by itself.
    if (!this.#hasWritten || this.#writing !== null) return
    const before = this.#revision
    const found = await client.get(keys.instance(status().id)).catch(() => null)
    if (found !== null && this.#revision === before && this.#writing === null) this.#found(found.item)
  }

  /** The record as the store has it. */
  #found(item: KeyValue | null): void {
    const revision = item?.modRevision ?? 0n
    const before = this.#revision
    if (revision === before) return
    this.#revision = revision
    // It has ended with its lease, or is that of another process.
    this.#written = ''
    if (item === null || !this.#hasWritten || this.#isClosed || processOf(item.value) === this.#process) return
    // The store was restored from a backup.
    if (before !== null && revision < before) return
    const isNew = this.#rivalSeen === null
    this.#rivalSeen = this.#input.clock.monotonic()
    if (isNew) this.#input.rivalChanged(decodeStatus('', item.value)?.address ?? '')
  }

  async #write(): Promise<void> {
    const { client, keys, status } = this.#input
    if (this.#lease !== null && this.#revision !== null && encodeStatus(status(), this.#process) === this.#written)
      return
    const key = keys.instance(status().id)
    if (this.#revision === null) this.#found((await client.get(key)).item)
    for (let tries = 0; tries < MOST_TRIES && !this.#isClosed; tries++) {
      const now = status()
      const value = encodeStatus(now, this.#process)
      if (this.#lease !== null && value === this.#written) return
      const granted = this.#lease ?? (await client.grantLease(LEASE_SECONDS)).lease
      this.#lease ??= granted
      const compared = this.#revision ?? 0n
      const { succeeded, revision, responses } = await client.transact({
        compare: [{ key, modRevision: compared }],
        success: [{ put: { key, value, lease: this.#lease } }],
        failure: [{ get: { key } }],
        isRepeatable: true,
      })
      const item = itemOf(responses)
      // Another attempt had its response first.
      const isLate = this.#revision !== null && this.#revision > compared
      // Another endpoint may have executed the same request before.
      const isOwn = succeeded || String(item?.value) === value
      if (isOwn && !(isLate && (item?.modRevision ?? revision) < (this.#revision as bigint))) {
        this.#revision = item?.modRevision ?? revision
        this.#hasWritten = true
        this.#written = value
        this.#served = now.served
        this.#refused(null)
        if (this.#instances === 0) await this.#count()
        return
      }
      if (!isLate) this.#found(item)
    }
  }
}

function itemOf([first]: readonly OperationResult[]): KeyValue | null {
  return first?.type === 'get' ? first.item : null
}

/** Records that are read for the first one: others may have written some that are no records. */
const FIRST = 10

/** The smallest id of the living instances; null without any. */
export async function firstInstance(client: EtcdClient, { instances }: StoreKeys): Promise<string | null> {
  const { items } = await client.list(instances, { limit: FIRST })
  const ids = items.map(({ key, value }) => decodeStatus(key.slice(instances.length), value)?.id ?? null)
  return ids.find((id) => id !== null) ?? null
}

/** The living instances, by id. Values that are no records are left out. */
export async function readInstances(client: EtcdClient, keys: StoreKeys): Promise<InstanceStatus[]> {
  const found: InstanceStatus[] = []
  let after: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { items, more } = await client.list(keys.instances, { limit: PAGE, ...(after !== undefined && { after }) })
    for (const { key, value } of items) {
      const status = decodeStatus(key.slice(keys.instances.length), value)
      if (status !== null) found.push(status)
    }
    after = items.at(-1)?.key
    if (!more || after === undefined) break
  }
  return found
}
