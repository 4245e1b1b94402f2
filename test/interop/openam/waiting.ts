import { setTimeout as pause } from 'node:timers/promises'

const LONGEST = 40_000

/** Asks until the answer has a status; gives the milliseconds that took. */
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
