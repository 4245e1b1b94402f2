import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

const LARGEST_RESERVE = 4096

/**
 * Descriptors that clients do not get, so that upstream connections and files can be opened however many clients come
 * (threats F17). It also keeps `accept` from failing: where it does, Node is not told, and the thread spins until a
 * descriptor is free.
 */
export class DescriptorReserve {
  /** How many files the process may have open; infinite where the system does not tell. */
  readonly limit: number
  readonly #first: number

  /** A quarter of what may be open; half of that on the port of the operator, who shall see why clients are refused. */
  constructor(keptFor: 'everything else' | 'the operator', limit: number = openFileLimit()) {
    const reserve = Math.min(Math.floor(limit / 4), LARGEST_RESERVE)
    this.limit = limit
    this.#first = limit - (keptFor === 'the operator' ? Math.floor(reserve / 2) : reserve)
  }

  /** Whether a connection has a descriptor of the reserve: numbers are given lowest first, so that all below are taken. */
  has(socket: Socket): boolean {
    return descriptorOf(socket) >= this.#first
  }
}

/** -1 where the system has no descriptors, or the connection is gone. */
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
