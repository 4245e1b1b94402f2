import { getHeapStatistics } from 'node:v8'
import {
  type Clock,
  changedRecord,
  REVOCATION_SPACE,
  type RecordChange,
  type SharedRecord,
  type SharedStore,
} from '#schema'
import { EvictingRecords, type RecordLimits, type StoredRecord } from './evicting-records.ts'

/** Maximum number of records; the least recently used one is evicted. Revocations have a limit of the same size. */
const MAX_RECORDS = 200_000

/** Maximum of characters in all records: half of the heap, so that large sessions can not use it up. */
const MAX_SIZE = getHeapStatistics().heap_size_limit / 2

/** A record for a process that takes over. */
export interface KeptRecord {
  readonly id: string
  readonly fields: SharedRecord
  /** Milliseconds until it expires; null for never. */
  readonly lifetime: number | null
  /** Whether it was read since it was created. */
  readonly isUsed: boolean
  readonly isOfUser?: boolean
}

/**
 * The key-value store of a gateway, shared by all units: sessions, and ids that may be used once. Bounded in number
 * and size, with one clock; each method is atomic. Records that were never read share a quarter of the capacity, so that a flood
 * of requests that each create a session evicts only such records, and no session in use. Of the others, those of users are evicted
 * last: an application that sets a cookie for everybody gives a session to each visitor.
 */
export class KeyValueStore {
  readonly #used: EvictingRecords
  readonly #new: EvictingRecords
  /** Records without expiry: few, created by the configuration, and never evicted. */
  readonly #lasting = new Map<string, StoredRecord>()
  /** Never evicted: at the limit new ones are rejected. */
  readonly #revocations = new Map<string, StoredRecord>()
  readonly #clock: Clock
  readonly #limit: number

  constructor(clock: Clock, { count = MAX_RECORDS, size = MAX_SIZE }: Partial<RecordLimits> = {}) {
    this.#clock = clock
    this.#limit = count
    const limits = { count: Math.ceil(count / 4), size: size / 4 }
    this.#new = new EvictingRecords(limits, clock)
    this.#used = new EvictingRecords({ count: count - limits.count, size: size - limits.size }, clock)
  }

  /** Number of records, including expired ones that were not removed yet. */
  get size(): number {
    return this.#used.count + this.#new.count + this.#lasting.size + this.#revocations.size
  }

  /** Records that were evicted before they expired. */
  get evicted(): number {
    return this.#used.evicted + this.#new.evicted
  }

  get(space: string, key: string, lifetime: number | null): SharedRecord | null {
    const id = recordId(space, key)
    const entry = this.#alive(id)
    if (entry !== null) this.#store(id, entry, lifetime, this.#used)
    return entry?.fields ?? null
  }

  update(space: string, key: string, change: RecordChange, lifetime: number, ifPresent: boolean): void {
    const id = recordId(space, key)
    const entry = this.#alive(id)
    if (entry === null && ifPresent) return
    const fields = changedRecord(entry?.fields ?? Object.create(null), change)
    const isOfUser = (entry?.isOfUser ?? false) || (change.isOfUser ?? false)
    const changed = { fields, expiresAt: entry?.expiresAt ?? 0, isOfUser }
    if (Object.keys(changed.fields).length === 0) this.#delete(id)
    else this.#store(id, changed, lifetime, entry === null && !isOfUser ? this.#new : this.#used)
  }

  getAndDelete(space: string, key: string): SharedRecord | null {
    const id = recordId(space, key)
    const entry = this.#alive(id)
    this.#delete(id)
    return entry?.fields ?? null
  }

  getOrCreate(space: string, key: string, initial: SharedRecord, lifetime: number): SharedRecord {
    const id = recordId(space, key)
    const entry = this.#alive(id)
    if (entry !== null) {
      // Reading does not extend the lifetime: a claim expires, however many callers wait for it.
      this.#store(id, entry, null, this.#used)
      return entry.fields
    }
    this.#store(id, { fields: { ...initial }, expiresAt: 0 }, lifetime, this.#new)
    return initial
  }

  /** The ids of all records, for `kept`. */
  get ids(): string[] {
    return [this.#lasting, this.#revocations, this.#used, this.#new].flatMap((entries) => [...entries.keys()])
  }

  /** A record for another process; null where it has expired. */
  kept(id: string): KeptRecord | null {
    const entry = this.#alive(id)
    if (entry === null) return null
    const left = entry.expiresAt - this.#clock.monotonic()
    const { fields, isOfUser = false } = entry
    return { id, fields, lifetime: Number.isFinite(left) ? left : null, isUsed: !this.#new.has(id), isOfUser }
  }

  /** Takes a record of another process. */
  keep({ id, fields, lifetime, isUsed, isOfUser = false }: KeptRecord): void {
    const entry = { fields: Object.assign(Object.create(null), fields), expiresAt: 0, isOfUser }
    this.#store(id, entry, lifetime ?? Number.POSITIVE_INFINITY, isUsed ? this.#used : this.#new)
  }

  /** The store of one key space, for objects of this thread. */
  space(space: string): SharedStore {
    return {
      get: async (key, lifetime) => structuredClone(this.get(space, key, lifetime ?? null)),
      update: async (key, change, lifetime) => this.update(space, key, change, lifetime, false),
      updateIfPresent: async (key, change, lifetime) => this.update(space, key, change, lifetime, true),
      getAndDelete: async (key) => this.getAndDelete(space, key),
      getOrCreate: async (key, initial, lifetime) => structuredClone(this.getOrCreate(space, key, initial, lifetime)),
    }
  }

  #alive(id: string): StoredRecord | null {
    const entry = this.#lasting.get(id) ?? this.#used.get(id) ?? this.#new.get(id) ?? this.#revocations.get(id)
    if (entry === undefined) return null
    if (entry.expiresAt > this.#clock.monotonic()) return entry
    this.#delete(id)
    return null
  }

  #delete(id: string): void {
    for (const entries of [this.#lasting, this.#used, this.#new, this.#revocations]) entries.delete(id)
  }

  /** Moves an entry to the end of the order of use, and restarts its lifetime. */
  #store(id: string, entry: StoredRecord, lifetime: number | null, among: EvictingRecords): void {
    if (id.startsWith(REVOCATION_PREFIX)) {
      this.#storeRevocation(id, entry, lifetime)
      return
    }
    if (lifetime !== null) entry.expiresAt = this.#clock.monotonic() + lifetime
    this.#delete(id)
    if (entry.expiresAt === Number.POSITIVE_INFINITY) {
      this.#lasting.set(id, entry)
      return
    }
    among.set(id, entry)
  }

  #storeRevocation(id: string, entry: StoredRecord, lifetime: number | null): void {
    const now = this.#clock.monotonic()
    if (!this.#revocations.has(id) && this.#revocations.size >= this.#limit) {
      for (const [each, { expiresAt }] of this.#revocations) if (expiresAt <= now) this.#revocations.delete(each)
      if (this.#revocations.size >= this.#limit) throw new Error(`limit of ${this.#limit} revocations reached`)
    }
    if (lifetime !== null) entry.expiresAt = now + lifetime
    this.#revocations.set(id, entry)
    // The oldest are first; each insertion removes a few expired ones.
    let checked = 0
    for (const [each, { expiresAt }] of this.#revocations) {
      if (expiresAt > now || ++checked > 4) break
      this.#revocations.delete(each)
    }
  }
}

const REVOCATION_PREFIX = `${REVOCATION_SPACE}\0`

/** Key of a record among those of all spaces. */
export function recordId(space: string, key: string): string {
  return `${space}\0${key}`
}
