import { type Clock, changedRecord, type KeptRecord, type RecordStep } from '#schema'

/** How many records are kept in all; the one that was used longest ago gives way to a new one. */
const MAX_RECORDS = 200_000

interface Entry {
  fields: KeptRecord
  expiresAt: number
}

/**
 * Keeps records for all units: sessions, and what may be used once. Bounded in number; times run on one clock. A record
 * that nobody has come back for stays among the new ones, which have a quarter of the room: a flood of requests that
 * each begin a session and never return pushes out one another, and not the sessions of those who do.
 */
export class RecordKeeper {
  readonly #used = new Map<string, Entry>()
  readonly #new = new Map<string, Entry>()
  /** Those without an end: few, asked for by the configuration, and never to give way. */
  readonly #lasting = new Map<string, Entry>()
  readonly #clock: Clock
  readonly #limit: number
  #dropped = 0

  constructor(clock: Clock, limit = MAX_RECORDS) {
    this.#clock = clock
    this.#limit = limit
  }

  /** How many are kept, those included whose time is over and that nobody asked for since. */
  get size(): number {
    return this.#used.size + this.#new.size + this.#lasting.size
  }

  /** How many gave way before their time was over. */
  get dropped(): number {
    return this.#dropped
  }

  /** Does one step on the record of a key. Steps are done one after the other, so that each is atomic. */
  do(space: string, key: string, step: RecordStep): KeptRecord | null {
    const id = `${space}\0${key}`
    const entry = this.#alive(id)
    switch (step.step) {
      case 'read':
        if (entry !== null) this.#keep(id, entry, step.lifetime, this.#used)
        return entry?.fields ?? null
      case 'amend':
      case 'change': {
        if (entry === null && step.step === 'amend') return null
        const changed = entry ?? { fields: Object.create(null), expiresAt: 0 }
        changed.fields = changedRecord(changed.fields, step.change)
        if (Object.keys(changed.fields).length === 0) this.#forget(id)
        else this.#keep(id, changed, step.lifetime, entry === null ? this.#new : this.#used)
        return null
      }
      case 'take':
        this.#forget(id)
        return entry?.fields ?? null
      case 'obtain': {
        // Reading does not prolong: a claim ends with its time, however many wait for it.
        if (entry !== null) {
          this.#keep(id, entry, null, this.#used)
          return entry.fields
        }
        this.#keep(id, { fields: { ...step.initial }, expiresAt: 0 }, step.lifetime, this.#new)
        return step.initial
      }
    }
  }

  #alive(id: string): Entry | null {
    const entry = this.#lasting.get(id) ?? this.#used.get(id) ?? this.#new.get(id)
    if (entry === undefined) return null
    if (entry.expiresAt > this.#clock.monotonic()) return entry
    this.#forget(id)
    return null
  }

  #forget(id: string): void {
    for (const entries of [this.#lasting, this.#used, this.#new]) entries.delete(id)
  }

  /** Moves an entry to the end of the order of use, and starts its time anew. */
  #keep(id: string, entry: Entry, lifetime: number | null, among: Map<string, Entry>): void {
    if (lifetime !== null) entry.expiresAt = this.#clock.monotonic() + lifetime
    this.#forget(id)
    if (entry.expiresAt === Number.POSITIVE_INFINITY) {
      this.#lasting.set(id, entry)
      return
    }
    among.set(id, entry)
    this.#makeRoom(this.#new, Math.ceil(this.#limit / 4))
    this.#makeRoom(this.#used, this.#limit - Math.ceil(this.#limit / 4))
  }

  #makeRoom(entries: Map<string, Entry>, limit: number): void {
    // Those used longest ago are first; a few whose time is over are taken along each time, so that none stays for ever.
    const now = this.#clock.monotonic()
    let looked = 0
    for (const [id, entry] of entries) {
      const over = entry.expiresAt <= now
      if (!over && entries.size <= limit) return
      entries.delete(id)
      if (!over) this.#dropped += 1
      looked += 1
      if (looked === 4) return
    }
  }
}
