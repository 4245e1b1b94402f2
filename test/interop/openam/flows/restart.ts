import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { LogEntry } from '#logging'
import type { Flow } from '../../flows.ts'
import type { Peers } from '../peers.ts'
import { USER } from '../set-up.ts'
import { untilStatus } from '../waiting.ts'

/** Requests while OpenAM is down and starts again, some milliseconds apart. */
const INTERVAL = 100

export const restartFlows: readonly Flow<Peers>[] = [
  {
    timeout: 900_000,
    name: 'restart: while OpenAM is down 503 with Retry-After, no request is granted, no session is ended',
    async run({ ask, gateway, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      assert.equal((await ask('/sso/page', session)).status, 200, 'status before')
      const from = gateway.log.lines.length
      const counts = new Map<number, number>()
      const isOver = new AbortController()
      const traffic = sendTraffic(ask, session, counts, isOver.signal)
      // Awaited after the restart; an earlier failure fails the flow then.
      traffic.catch(() => {})
      await openam.stop()
      const stopped = Date.now()
      await openam.start('classic')
      const down = Date.now() - stopped
      isOver.abort()
      await traffic
      await openam.admin.logIn()
      const fresh = await openam.admin.session(USER.name, USER.password)
      const back = await untilStatus(200, () => ask('/sso/page', fresh))
      const decided = await untilStatus(200, () => ask('/policies/plain/page', fresh))
      const strange = [...counts.keys()].filter((status) => ![200, 302, 503].includes(status))
      assert.deepEqual(strange, [], 'other statuses than 200 (cached), 302 (ended session, server up) and 503')
      assert.equal((counts.get(503) ?? 0) > 0, true, '503 among the responses')
      const total = [...counts.values()].reduce((sum, each) => sum + each, 0)
      const seconds = down / 1000
      const lines = linesByCause(gateway.log.entries.slice(from))
      const most = Math.max(...lines.values())
      assert.ok(
        most <= seconds / 10 + 3,
        `${most} log lines of one cause in ${seconds} s, more than one in ten seconds`,
      )
      return `${total} requests in ${seconds.toFixed(0)} s: ${JSON.stringify(Object.fromEntries(counts))}; at most ${most} log lines of one cause; sessions pass ${back} ms, decisions ${decided} ms after the start`
    },
  },
]

/** Number of warnings by logger. */
function linesByCause(entries: readonly LogEntry[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { level, logger, message } of entries) {
    if (level !== 'warn' && level !== 'error') continue
    const cause = `${logger}: ${message}`
    counts.set(cause, (counts.get(cause) ?? 0) + 1)
  }
  return counts
}

async function sendTraffic(
  ask: Peers['ask'],
  session: string,
  counts: Map<number, number>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const path = (counts.get(503) ?? 0) % 2 === 0 ? '/sso/page' : '/policies/plain/page'
    const { status, headers } = await ask(path, session)
    if (status === 503 && headers['retry-after'] === undefined) throw new Error(`503 without Retry-After for ${path}`)
    counts.set(status, (counts.get(status) ?? 0) + 1)
    await pause(INTERVAL)
  }
}
