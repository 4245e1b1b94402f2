/** Milliseconds of work after which requests and the heartbeat get their turn. */
const SLICE = 25

/** Gives the event loop a turn where the work since the last one took long; to be awaited between two steps of it. */
export function yieldRegularly(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < SLICE) return
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}
