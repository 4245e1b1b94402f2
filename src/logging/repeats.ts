/** Milliseconds per written entry of a kind, unless the caller sets another interval. */
export const REPEAT_INTERVAL = 10_000

/** Keys of one message in an interval; a client may make up any number of them. */
const MAX_KEYS = 16
/** Messages of all loggers that are remembered; the oldest gives way. */
const MAX_MESSAGES = 2_000

interface Repeated {
  /** When an entry of a key was last written. */
  readonly written: Map<string, { at: number; suppressed: number }>
  /** Entries of keys beyond the bound. */
  suppressed: number
  /** When the interval of a key is over, so that there may be room for another. */
  fullUntil: number
}

let suppressedSoFar = 0

/** Entries of this thread that were suppressed so far. */
export function suppressedEntries(): number {
  return suppressedSoFar
}

/** Lets through the first of many equal entries, then one in each interval. */
export class Repeats {
  readonly #now: () => number
  readonly #messages = new Map<string, Repeated>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** How many were suppressed since the last one that was written, or null where this one is to be suppressed. */
  admit(message: string, key: string, interval: number): number | null {
    const now = this.#now()
    const repeated = this.#messages.get(message) ?? this.#remember(message)
    const known = repeated.written.get(key)
    if (known !== undefined && now - known.at < interval) {
      known.suppressed++
      suppressedSoFar++
      return null
    }
    if (known === undefined && repeated.written.size >= MAX_KEYS && !makeRoom(repeated, now, interval)) {
      repeated.suppressed++
      suppressedSoFar++
      return null
    }
    const suppressed = (known?.suppressed ?? 0) + repeated.suppressed
    repeated.suppressed = 0
    repeated.written.set(key, { at: now, suppressed: 0 })
    return suppressed
  }

  #remember(message: string): Repeated {
    if (this.#messages.size >= MAX_MESSAGES) {
      const [oldest] = this.#messages.keys()
      this.#messages.delete(oldest as string)
    }
    const repeated: Repeated = { written: new Map(), suppressed: 0, fullUntil: 0 }
    this.#messages.set(message, repeated)
    return repeated
  }
}

/** Forgets keys whose interval is over. */
function makeRoom(repeated: Repeated, now: number, interval: number): boolean {
  if (now < repeated.fullUntil) return false
  let oldest = now
  for (const [key, { at, suppressed }] of repeated.written) {
    if (now - at < interval) {
      oldest = Math.min(oldest, at)
      continue
    }
    repeated.suppressed += suppressed
    repeated.written.delete(key)
  }
  if (repeated.written.size < MAX_KEYS) return true
  repeated.fullUntil = oldest + interval
  return false
}
