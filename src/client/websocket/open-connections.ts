import type { UpgradeTarget } from './upgrade-connection.ts'

// Of this thread, whatever handlers they belong to: those of a route that was replaced still hold theirs.
const open = new Map<string, number>()

/** Takes a place among the connections to a server and gives what leaves it again, once; null where all are taken. */
export function takePlace(target: UpgradeTarget, most: number): (() => void) | null {
  const server = `${target.isSecure ? 's' : ''} ${target.hostname.toLowerCase()} ${target.port}`
  const count = open.get(server) ?? 0
  if (count >= most) return null
  open.set(server, count + 1)
  let taken = true
  return () => {
    if (!taken) return
    taken = false
    const left = (open.get(server) ?? 1) - 1
    if (left === 0) open.delete(server)
    else open.set(server, left)
  }
}
