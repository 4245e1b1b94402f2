import dns, { type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'

type Found = Parameters<LookupFunction>[2]

/** Callbacks of the lookups in flight, by name and options. */
const pending = new Map<string, Found[]>()

/** Names of the lookups in flight, with their number. */
const names = new Map<string, number>()

/**
 * Resolves a name by the operating system, once for all connections that wait for it. Each lookup occupies a thread until the name
 * servers have answered or the system gives up, and cannot be cancelled: one for each request to a name whose servers
 * are silent would leave none for the names of other servers.
 */
export const sharedLookup: LookupFunction = (name, options, found) => {
  const { family, hints, all } = options
  const key = JSON.stringify([name, family, hints, all])
  const waiting = pending.get(key)
  if (waiting !== undefined) {
    waiting.push(found)
    return
  }
  const callbacks = [found]
  pending.set(key, callbacks)
  names.set(name, (names.get(name) ?? 0) + 1)
  dns.lookup(name, options, (error, address: string | LookupAddress[], used) => {
    pending.delete(key)
    const others = (names.get(name) ?? 1) - 1
    if (others === 0) names.delete(name)
    else names.set(name, others)
    for (const callback of callbacks) callback(error, address, used)
  })
}

/** Whether a name is being resolved. */
export function isLookedUp(name: string): boolean {
  return names.has(name)
}
