import { type EtcdClient, EtcdError } from '#etcd'
import type { StoreKeys } from '#releases'
import { decodeStatus, encodeStatus, type InstanceStatus } from './instance-status.ts'

/** Seconds after which the record of an instance that is gone disappears. */
const LEASE_SECONDS = 15

const RENEWAL = 5_000

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
  status(): InstanceStatus
}

/** Renewals between two counts of the instances. */
const COUNT_EVERY = 3

/**
 * The record of this instance in the store, bound to a lease: it is gone soon after the instance is. Failures are not
 * logged: the follower reports the state of the store, and the next renewal writes the record again.
 */
export class InstanceRecord {
  readonly #input: RecordInput
  #lease: string | null = null
  #written = ''
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> | null = null
  #isStale = false
  #isClosed = false
  #renewals = 0
  #instances = 0

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
    this.#isStale = true
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null
    })
  }

  /** Removes the record; waits a bounded time for the store. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearInterval(this.#timer)
    const removal = (async () => {
      await this.#writing
      if (this.#lease !== null) await this.#input.client.revokeLease(this.#lease)
    })().catch(() => {})
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, REMOVAL_LIMIT)
    })
    await Promise.race([removal, limit])
    clearTimeout(timer)
  }

  #renew(): void {
    if (this.#renewals++ % COUNT_EVERY === 0) void this.#count()
    // Also for problems that came or went without a change of the release.
    this.changed()
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
      try {
        await this.#write()
      } catch (error) {
        // The lease may have ended; the next renewal tries again.
        if (error instanceof EtcdError && error.kind === 'lease-not-found') this.#lease = null
        this.#written = ''
      }
    }
  }

  async #count(): Promise<void> {
    const { client, keys } = this.#input
    this.#instances = await client.count(keys.instances).catch(() => this.#instances)
  }

  async #write(): Promise<void> {
    const { client, keys, status } = this.#input
    const now = status()
    const value = encodeStatus(now)
    if (this.#lease !== null && value === this.#written) return
    this.#lease ??= (await client.grantLease(LEASE_SECONDS)).lease
    await client.transact({
      compare: [],
      success: [{ put: { key: keys.instance(now.id), value, lease: this.#lease } }],
    })
    this.#written = value
    if (this.#instances === 0) await this.#count()
  }
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
