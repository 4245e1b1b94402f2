import dns, { type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'

type Found = Parameters<LookupFunction>[2]

/** Lookups in flight, by name and options. */
const pending = new Map<string, { readonly name: string; readonly callbacks: Found[] }>()

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
    waiting.callbacks.push(found)
    return
  }
  const callbacks = [found]
  pending.set(key, { name, callbacks })
  dns.lookup(name, options, (error, address: string | LookupAddress[], used) => {
    pending.delete(key)
    for (const callback of callbacks) callback(error, address, used)
  })
}

/** Whether a name is being resolved; for messages, not for each request. */
export function isLookedUp(name: string): boolean {
  return pending.values().some((lookup) => lookup.name === name)
}
