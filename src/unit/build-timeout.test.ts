import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { within } from '#test/waiting'
import { withBuildTimeout } from './build-timeout.ts'

test('result and error of a build within the limit are passed through', async () => {
  assert.equal(await withBuildTimeout(1000, Promise.resolve('route'), () => assert.fail()), 'route')
  await assert.rejects(
    withBuildTimeout(1000, Promise.reject<string>(new Error('bad')), () => assert.fail()),
    /bad/,
  )
})

test('a build over the limit fails, and a late result is discarded', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const late = Promise.withResolvers<string>()
    const discarded = Promise.withResolvers<string>()
    const waiting = withBuildTimeout(60_000, late.promise, discarded.resolve)
    mock.timers.tick(60_000)
    await assert.rejects(waiting, { code: 'GW_CONFIG_INVALID', message: /was not ready after 60 seconds/ })
    late.resolve('route')
    assert.equal(await within('the late result was discarded', discarded.promise), 'route')
  } finally {
    mock.timers.reset()
  }
})
