/** Processor time of this thread, in milliseconds: independent of other load of the machine. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const TRIES = 10

/** Processor time of the fixed loop on a machine for which limits of tests are written, in milliseconds. */
const LOOP_TIME = 40

/**
 * How many times as long as usual the processor takes now, at least 1: on shared hardware the same work takes up to five times
 * as much processor time for minutes.
 */
export function slowness(): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const start = threadTime()
    fixedLoop()
    least = Math.min(least, threadTime() - start)
  }
  return Math.max(1, least / LOOP_TIME)
}

function fixedLoop(): number {
  const memory = new Uint32Array(1024)
  let value = 1
  for (let round = 0; round < 30_000_000; round++) {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0
    memory[value & 1023] = (memory[(value >>> 8) & 1023]! + round) | 0
  }
  return value
}

/** Cost of an operation for the thread, in milliseconds of processor time. */
export interface Cost {
  readonly total: number
  /** The longest time that the event loop was blocked. */
  readonly longest: number
}

/**
 * The minimal cost of an operation, in a few tries until it is below the limits: compilation and garbage collection, which
 * occur occasionally, are not measured. On a slow machine the cost is that on a usual one.
 */
export async function leastCost(bounds: Cost, work: () => Promise<void>): Promise<Cost> {
  let least: Cost = { total: Number.POSITIVE_INFINITY, longest: Number.POSITIVE_INFINITY }
  for (let tries = 0; tries < TRIES; tries++) {
    const total = await totalOf(work)
    const longest = await longestTurn(work)
    least = { total: Math.min(least.total, total), longest: Math.min(least.longest, longest) }
    if (least.total < bounds.total && least.longest < bounds.longest) return least
  }
  const factor = slowness()
  return { total: least.total / factor, longest: least.longest / factor }
}

async function totalOf(work: () => Promise<void>): Promise<number> {
  const start = threadTime()
  await work()
  return threadTime() - start
}

/** Measures every turn of the event loop. That has a cost too, so that the total is measured separately. */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let over = false
  let longest = 0
  let before = threadTime()
  const look = (): void => {
    const now = threadTime()
    longest = Math.max(longest, now - before)
    before = now
    if (!over) setImmediate(look)
  }
  setImmediate(look)
  await work()
  over = true
  return Math.max(longest, threadTime() - before)
}
