/** Milliseconds per written entry of a kind, unless the caller sets another interval. */
export const REPEAT_INTERVAL = 10_000

/** Limit of keys of one message in an interval: clients can create any number of them. */
const MAX_KEYS = 16
/** Limit of recorded messages of all loggers; the oldest is evicted. */
const MAX_MESSAGES = 2_000

interface Repeated {
  /** Time of the last written entry by key. */
  readonly written: Map<string, { at: number; suppressed: number }>
  /** Time of the last entry that was written because it was the first of its subject. */
  readonly subjects: Map<string, number>
  /** Suppressed entries of keys beyond the limit. */
  suppressed: number
  /** End of the first interval that expires: then another key may be added. */
  fullUntil: number
}

let suppressedSoFar = 0

/** Number of suppressed entries of this thread. */
export function suppressedEntries(): number {
  return suppressedSoFar
}

/** Rate limit: admits the first of many equal entries, then one in each interval. */
export class Repeats {
  readonly #now: () => number
  readonly #messages = new Map<string, Repeated>()

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * The number of entries suppressed since the last written one; null if this one is suppressed. The first entry of a subject in an
   * interval is admitted also where the keys of another subject have used the limit, for up to MAX_KEYS subjects.
   */
  admit(message: string, key: string, interval: number, subject = ''): number | null {
    const now = this.#now()
    const repeated = this.#messages.get(message) ?? this.#record(message)
    const known = repeated.written.get(key)
    const isFirst = subject !== '' && isFirstOf(repeated.subjects, subject, now - interval)
    if (isFirst) {
      repeated.subjects.set(subject, now)
      if (known === undefined && repeated.written.size >= MAX_KEYS) return takeSuppressed(repeated)
    }
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
    const suppressed = (known?.suppressed ?? 0) + takeSuppressed(repeated)
    repeated.written.set(key, { at: now, suppressed: 0 })
    return suppressed
  }

  #record(message: string): Repeated {
    if (this.#messages.size >= MAX_MESSAGES) {
      const [oldest] = this.#messages.keys()
      this.#messages.delete(oldest as string)
    }
    const repeated: Repeated = { written: new Map(), subjects: new Map(), suppressed: 0, fullUntil: 0 }
    this.#messages.set(message, repeated)
    return repeated
  }
}

/** Whether no entry of a subject was written since a time, and another subject may be recorded. */
function isFirstOf(subjects: Map<string, number>, subject: string, since: number): boolean {
  const at = subjects.get(subject)
  if (at !== undefined) return at <= since
  if (subjects.size < MAX_KEYS) return true
  for (const [known, last] of subjects) if (last <= since) subjects.delete(known)
  return subjects.size < MAX_KEYS
}

function takeSuppressed(repeated: Repeated): number {
  const { suppressed } = repeated
  repeated.suppressed = 0
  return suppressed
}

/** Removes keys whose interval has ended. */
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
