import type { UpgradeTarget } from './upgrade-connection.ts'

// Open connections of this thread by server, over all handlers: handlers of a replaced route may still have some.
const open = new Map<string, number>()

/** Counts a connection to a server; returns an idempotent release function, or null at the limit. */
export function acquireConnection(target: UpgradeTarget, most: number): (() => void) | null {
  const server = `${target.isSecure ? 's' : ''} ${target.hostname.toLowerCase()} ${target.port}`
  const count = open.get(server) ?? 0
  if (count >= most) return null
  open.set(server, count + 1)
  let released = false
  return () => {
    if (released) return
    released = true
    const left = (open.get(server) ?? 1) - 1
    if (left === 0) open.delete(server)
    else open.set(server, left)
  }
}
