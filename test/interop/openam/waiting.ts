import { setTimeout as pause } from 'node:timers/promises'

const LONGEST = 40_000

/** Repeats a request until its response has the status; returns the elapsed milliseconds. */
export async function untilStatus(status: number, ask: () => Promise<{ readonly status: number }>): Promise<number> {
  const started = performance.now()
  for (;;) {
    const { status: found } = await ask()
    const passed = Math.round(performance.now() - started)
    if (found === status) return passed
    if (passed > LONGEST) throw new Error(`expected status ${status} within ${LONGEST / 1000} s, found ${found}`)
    await pause(100)
  }
}
