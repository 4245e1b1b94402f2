/** Processor time of this thread, in milliseconds. A busy machine makes everything take longer, but not this. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const TRIES = 10

/** What some work has cost the thread, in milliseconds of processor time. */
export interface Cost {
  readonly total: number
  /** The longest that nobody else had a turn. */
  readonly longest: number
}

/**
 * The least that some work costs, in a few tries until it is below the bounds: compiling and collecting garbage, which
 * happen now and then, are not what is measured.
 */
export async function leastCost(bounds: Cost, work: () => Promise<void>): Promise<Cost> {
  let least: Cost = { total: Number.POSITIVE_INFINITY, longest: Number.POSITIVE_INFINITY }
  for (let tries = 0; tries < TRIES; tries++) {
    const { total, longest } = await costOf(work)
    least = { total: Math.min(least.total, total), longest: Math.min(least.longest, longest) }
    if (least.total < bounds.total && least.longest < bounds.longest) break
  }
  return least
}

async function costOf(work: () => Promise<void>): Promise<Cost> {
  let over = false
  let longest = 0
  let idle = 0
  let before = threadTime()
  const start = before
  const look = (): void => {
    const now = threadTime()
    const turn = now - before
    longest = Math.max(longest, turn)
    // Looking takes time itself, and that of turns in which nothing else happened is no cost of the work.
    if (turn < 0.1) idle += turn
    before = now
    if (!over) setImmediate(look)
  }
  setImmediate(look)
  await work()
  over = true
  longest = Math.max(longest, threadTime() - before)
  return { total: threadTime() - start - idle, longest }
}
