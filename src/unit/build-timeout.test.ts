import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { withBuildTimeout } from './build-timeout.ts'

test('what is built in time is handed on, a failure too', async () => {
  assert.equal(await withBuildTimeout(1000, Promise.resolve('route'), () => assert.fail()), 'route')
  await assert.rejects(
    withBuildTimeout(1000, Promise.reject<string>(new Error('bad')), () => assert.fail()),
    /bad/,
  )
})

test('what never becomes ready is given up, and discarded if it comes after all', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const late = Promise.withResolvers<string>()
    const discarded = Promise.withResolvers<string>()
    const waiting = withBuildTimeout(60_000, late.promise, discarded.resolve)
    mock.timers.tick(60_000)
    await assert.rejects(waiting, { code: 'GW_CONFIG_INVALID', message: /was not ready after 60 seconds/ })
    late.resolve('route')
    assert.equal(await discarded.promise, 'route')
  } finally {
    mock.timers.reset()
  }
})
