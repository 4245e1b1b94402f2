/** Milliseconds of work after which the event loop gets a turn, for requests and the heartbeat. */
const SLICE = 25

/** Returns a function that yields to the event loop after a slice of work; await it between two steps. */
export function yieldRegularly(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < SLICE) return
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}
