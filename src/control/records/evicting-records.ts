import type { Clock, SharedRecord } from '#schema'

/** A record of a key-value store. */
export interface StoredRecord {
  readonly fields: SharedRecord
  /** By the monotonic clock. */
  expiresAt: number
  /** Whether others are evicted first. */
  readonly isOfUser?: boolean
  /** Characters that it counts; undefined before it is stored. */
  size?: number
}

/** Bounds of records. */
export interface RecordLimits {
  readonly count: number
  /** Characters of all contents. */
  readonly size: number
}

/** Characters that a record counts beside its content, for the objects around it. */
const OVERHEAD = 200
/** Expired records that each insertion removes at most, so that none stays for ever. */
const EXPIRED_AT_ONCE = 4

/** Records in the order of their use, bounded in number and size: the least recently used ones are evicted, last those of users. */
export class EvictingRecords {
  readonly #others = new Map<string, StoredRecord>()
  readonly #ofUsers = new Map<string, StoredRecord>()
  readonly #limits: RecordLimits
  readonly #clock: Clock
  /** Characters of all records. */
  #size = 0
  /** Records that were evicted before they expired. */
  evicted = 0

  constructor(limits: RecordLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  get count(): number {
    return this.#others.size + this.#ofUsers.size
  }

  keys(): string[] {
    return [...this.#ofUsers.keys(), ...this.#others.keys()]
  }

  has(id: string): boolean {
    return this.#others.has(id) || this.#ofUsers.has(id)
  }

  get(id: string): StoredRecord | undefined {
    return this.#others.get(id) ?? this.#ofUsers.get(id)
  }

  /** Stores a record as the one that was used last. */
  set(id: string, record: StoredRecord): void {
    this.delete(id)
    // Records are mostly read: they are measured when they change.
    record.size ??= OVERHEAD + id.length + sizeOf(record.fields)
    const records = record.isOfUser === true ? this.#ofUsers : this.#others
    records.set(id, record)
    this.#size += record.size
    this.#makeRoom()
  }

  /** Returns whether it was there. */
  delete(id: string): boolean {
    this.#size -= this.get(id)?.size ?? 0
    return this.#others.delete(id) || this.#ofUsers.delete(id)
  }

  #makeRoom(): void {
    const now = this.#clock.monotonic()
    const { count, size } = this.#limits
    for (const records of [this.#others, this.#ofUsers]) {
      let expired = 0
      for (const [id, { expiresAt }] of records) {
        const isOver = expiresAt <= now && ++expired <= EXPIRED_AT_ONCE
        if (!isOver && this.count <= count && this.#size <= size) break
        this.delete(id)
        if (expiresAt > now) this.evicted += 1
      }
    }
  }
}

/** Characters of a JSON value, about: without building its text, which may be long. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let size = 16
  for (const [name, member] of Object.entries(value)) size += name.length + sizeOf(member)
  return size
}
