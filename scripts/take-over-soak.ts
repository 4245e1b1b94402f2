// Processes that take over from one another under load, of `npm run soak -- --take-over`. Every second one is killed before it serves.
import { setTimeout as delay } from 'node:timers/promises'
import { GatewayProcess } from '../test/support/gateway-process.ts'
import { COUNTER, SessionVisitors } from '../test/support/session-visitors.ts'

const SESSIONS = 20_000
/** Part of the time of a take-over in which a process is killed. */
const KILLED_WITHIN = 0.7

/** Runs the load, and prints the result; false where a session was missing, or had another count. */
export async function takeOverSoak(duration: number, progress: (text: () => string) => void): Promise<boolean> {
  const processes: GatewayProcess[] = []
  try {
    let current = await GatewayProcess.start({ units: 2, routes: { counter: COUNTER } })
    processes.push(current)
    const { instance } = current
    const began = performance.now()
    using visitors = await SessionVisitors.begin(current.port, SESSIONS)
    console.log(`${SESSIONS} sessions were begun in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    visitors.start()
    const end = performance.now() + duration
    let [taken, killed, time] = [0, 0, 0]
    for (let round = 0; round < 2 || performance.now() < end; round++) {
      const next = new GatewayProcess({ instance, words: ['--take-over'] })
      processes.push(next)
      const started = performance.now()
      if (round % 2 === 1) {
        await delay(Math.random() * KILLED_WITHIN * time)
        next.kill('SIGKILL')
        await next.exit
        if (isLeaving(current)) throw new Error('the new process was killed when it had taken over')
        killed++
      } else {
        await next.log.until(/"message":"the gateway is ready"/, 0, 50)
        time = performance.now() - started
        await current.exit
        current = next
        taken++
      }
      progress(() => `${taken} took over, ${killed} were killed before; ${visitors.report}`)
    }
    await visitors.stop()
    console.log(`${taken} processes took over, ${killed} were killed before: ${visitors.report}`)
    for (const what of visitors.wrong) console.log(what)
    return visitors.wrongCount === 0 && taken > 0
  } finally {
    for (const each of processes.toReversed()) await each[Symbol.asyncDispose]()
  }
}

/** Whether another process has taken over from it: one that is killed after that was the gateway. */
function isLeaving(gateway: GatewayProcess): boolean {
  return gateway.log.with(/another process has taken over/).length > 0
}
