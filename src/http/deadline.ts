/** A timer that fires so many milliseconds late was delayed by an event-loop stall. */
const STALL = 100
/** Milliseconds to read the answer after a stall, during which the peer may have sent it. */
const GRACE_AFTER_STALL = 1_000

/**
 * Calls back once after `timeout` milliseconds; returns the function that stops it. Timers run before I/O: data that is in the
 * sockets already, also after an event-loop stall, is read before the deadline counts as missed.
 */
export function startDeadline(timeout: number, onMissed: () => void): () => void {
  const due = performance.now() + timeout
  let hasStalled = false
  let immediate: NodeJS.Immediate | undefined
  const check = (): void => {
    if (!hasStalled && performance.now() - due > STALL) {
      hasStalled = true
      timer = setTimeout(check, Math.min(timeout, GRACE_AFTER_STALL)).unref()
      return
    }
    immediate = setImmediate(onMissed)
  }
  let timer = setTimeout(check, timeout).unref()
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}
