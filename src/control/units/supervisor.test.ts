import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restartDelay } from './supervisor.ts'

test('the delay before a restart doubles from a tenth of a second to half a minute', () => {
  const delays = Array.from({ length: 12 }, (_, at) => restartDelay(at + 1))
  assert.deepEqual(delays, [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000])
  assert.equal(restartDelay(10_000), 30_000)
})
