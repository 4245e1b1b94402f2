import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedWait } from './bounded-wait.ts'

test('the result or error of a promise that settles within the limit is passed on, and the timer is cleared', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  assert.equal(await boundedWait(Promise.resolve('done'), 60_000), 'done')
  await assert.rejects(boundedWait(Promise.reject(new Error('failed')), 60_000), /failed/)
  assert.equal(timers(), before)
})

test('at the limit the wait ends, and a later rejection is handled', async () => {
  const { promise, reject } = Promise.withResolvers<string>()
  assert.equal(await boundedWait(promise, 1), undefined)
  reject(new Error('late'))
  await new Promise((resolve) => setImmediate(resolve))
})
