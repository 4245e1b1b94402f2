import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

const MAX_RESERVE = 4096

/** Parts of the limit that connections leave free: those of clients the most, the management port the least. */
const PARTS = { traffic: 1, upstream: 1 / 2, management: 1 / 4 }

/**
 * File descriptors that a kind of connections leaves to the others, however many there are (threats F17): upstream connections get
 * those that clients leave, and files and the management port those that both leave. With it `accept` does not fail for lack
 * of descriptors, in which case the thread would spin until one is free, unnoticed by Node.
 */
export class DescriptorReserve {
  /** Limit of open files; infinite where unknown. */
  readonly limit: number
  readonly #first: number

  /** A quarter of the limit for clients; half of that for upstream connections, and a quarter of it for the management port. */
  constructor(connections: keyof typeof PARTS, limit: number = openFileLimit()) {
    const reserve = Math.min(Math.floor(limit / 4), MAX_RESERVE)
    this.limit = limit
    this.#first = limit - Math.floor(reserve * PARTS[connections])
  }

  /** How many connections may be added to the open files; infinite where the limit is unknown. */
  room(open: number): number {
    return Math.max(0, this.#first - open)
  }

  /** Whether a connection has a descriptor of the reserve: the system assigns the lowest free number. */
  has(socket: Socket): boolean {
    return descriptorOf(socket) >= this.#first
  }
}

/** -1 where unknown, or after close. */
function descriptorOf(socket: Socket): number {
  return (socket as Socket & { _handle?: { fd?: number } | null })._handle?.fd ?? -1
}

function openFileLimit(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
