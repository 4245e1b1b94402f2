import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

const MAX_RESERVE = 4096

/**
 * File descriptors reserved for upstream connections and files, however many clients connect (threats F17). With it `accept` does
 * not fail for lack of descriptors, in which case the thread would spin until one is free, unnoticed by Node.
 */
export class DescriptorReserve {
  /** Limit of open files; infinite where unknown. */
  readonly limit: number
  readonly #first: number

  /** A quarter of the limit; half of that for the management port, which must stay reachable. */
  constructor(port: 'traffic' | 'management', limit: number = openFileLimit()) {
    const reserve = Math.min(Math.floor(limit / 4), MAX_RESERVE)
    this.limit = limit
    this.#first = limit - (port === 'management' ? Math.floor(reserve / 2) : reserve)
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
