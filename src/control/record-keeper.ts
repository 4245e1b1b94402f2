import type { Clock, KeptRecord, RecordChange, RecordStep } from '#schema'

/** How many records are kept in all; the one that was used longest ago gives way to a new one. */
const MAX_RECORDS = 200_000

interface Entry {
  fields: Record<string, unknown>
  expiresAt: number
}

/** Keeps records for all units: sessions, and what may be used once. Bounded in number; times run on one clock. */
export class RecordKeeper {
  readonly #entries = new Map<string, Entry>()
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
    return this.#entries.size
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
        if (entry !== null) this.#used(id, entry, step.lifetime)
        return entry?.fields ?? null
      case 'amend':
      case 'change': {
        if (entry === null && step.step === 'amend') return null
        const changed = entry ?? { fields: Object.create(null), expiresAt: 0 }
        apply(changed, step.change)
        if (Object.keys(changed.fields).length === 0) this.#forget(id)
        else this.#used(id, changed, step.lifetime)
        return null
      }
      case 'take':
        this.#forget(id)
        return entry?.fields ?? null
      case 'obtain': {
        const kept = entry ?? { fields: { ...step.initial }, expiresAt: 0 }
        this.#used(id, kept, step.lifetime)
        return kept.fields
      }
    }
  }

  #alive(id: string): Entry | null {
    const entry = this.#lasting.get(id) ?? this.#entries.get(id)
    if (entry === undefined) return null
    if (entry.expiresAt > this.#clock.monotonic()) return entry
    this.#entries.delete(id)
    return null
  }

  #forget(id: string): void {
    this.#entries.delete(id)
    this.#lasting.delete(id)
  }

  /** Moves an entry to the end of the order of use, and starts its time anew. */
  #used(id: string, entry: Entry, lifetime: number | null): void {
    if (lifetime !== null) entry.expiresAt = this.#clock.monotonic() + lifetime
    this.#entries.delete(id)
    if (entry.expiresAt === Number.POSITIVE_INFINITY) {
      this.#lasting.set(id, entry)
      return
    }
    this.#entries.set(id, entry)
    this.#makeRoom()
  }

  #makeRoom(): void {
    // Those used longest ago are first; a few whose time is over are taken along each time, so that none stays for ever.
    const now = this.#clock.monotonic()
    let looked = 0
    for (const [id, entry] of this.#entries) {
      const over = entry.expiresAt <= now
      if (!over && this.#entries.size <= this.#limit) return
      this.#entries.delete(id)
      if (!over) this.#dropped += 1
      looked += 1
      if (looked === 4) return
    }
  }
}

function apply(entry: Entry, { clear = false, remove = [], set = {} }: RecordChange): void {
  if (clear) entry.fields = Object.create(null)
  for (const name of remove) delete entry.fields[name]
  Object.assign(entry.fields, set)
}
