/** Lets the first of many equal warnings through, then one for each interval. */
export interface RepeatGuard {
  /** How many were held back since the last one that passed, or null when this one is to be held back. */
  admit(key: string): number | null
}

const maxKeys = 1000

interface Seen {
  readonly at: number
  held: number
}

/** A guard for repeated log entries; it remembers the latest thousand keys. */
export function onceEvery(clock: { now(): number }, interval: number): RepeatGuard {
  const seen = new Map<string, Seen>()
  return {
    admit(key) {
      const now = clock.now()
      const before = seen.get(key)
      if (before !== undefined && now - before.at < interval) {
        before.held += 1
        return null
      }
      seen.delete(key)
      if (seen.size >= maxKeys) {
        for (const oldest of seen.keys()) {
          seen.delete(oldest)
          break
        }
      }
      seen.set(key, { at: now, held: 0 })
      return before?.held ?? 0
    },
  }
}
