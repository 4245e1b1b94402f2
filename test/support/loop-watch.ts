/** Processor time of this thread, in milliseconds. A busy machine makes everything take longer, but not this. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const TRIES = 10

/** What some work has cost the thread, in milliseconds of processor time. */
export interface Cost {
  readonly total: number
  /** The longest time that the event loop was blocked. */
  readonly longest: number
}

/**
 * The least that some work costs, in a few tries until it is below the bounds: compiling and collecting garbage, which
 * happen now and then, are not what is measured.
 */
export async function leastCost(bounds: Cost, work: () => Promise<void>): Promise<Cost> {
  let least: Cost = { total: Number.POSITIVE_INFINITY, longest: Number.POSITIVE_INFINITY }
  for (let tries = 0; tries < TRIES; tries++) {
    const total = await totalOf(work)
    const longest = await longestTurn(work)
    least = { total: Math.min(least.total, total), longest: Math.min(least.longest, longest) }
    if (least.total < bounds.total && least.longest < bounds.longest) break
  }
  return least
}

async function totalOf(work: () => Promise<void>): Promise<number> {
  const start = threadTime()
  await work()
  return threadTime() - start
}

/** Looks in every turn how long it was. That costs too, so that the whole is measured apart from it. */
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
