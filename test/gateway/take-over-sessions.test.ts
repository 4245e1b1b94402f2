// `gateway run --take-over` while clients use many sessions; `npm run soak -- --take-over` does it with 20,000, and with kills.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewayProcess } from '#test/gateway-process'
import { COUNTER, SessionVisitors } from '#test/session-visitors'

const skip = process.platform === 'linux' ? false : 'ports can be shared between processes on Linux'

test('each request of 2,000 sessions finds its session while a process takes over', {
  skip,
  timeout: 120_000,
}, async (t) => {
  await using first = await GatewayProcess.start({ units: 2, routes: { counter: COUNTER } })
  using visitors = await SessionVisitors.begin(first.port, 2_000)
  visitors.start()
  await using _second = await GatewayProcess.start({ instance: first.instance, words: ['--take-over'] })
  assert.deepEqual(await first.exit, { code: 0, signal: null })
  await visitors.stop()
  t.diagnostic(visitors.report)
  assert.deepEqual([visitors.wrongCount, visitors.wrong], [0, []])
})
