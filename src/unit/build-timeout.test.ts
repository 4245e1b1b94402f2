import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { withBuildTimeout } from './build-timeout.ts'

test('result and error of a build within the limit are passed through', async () => {
  assert.equal(await withBuildTimeout(1000, Promise.resolve('route'), () => assert.fail()), 'route')
  await assert.rejects(
    withBuildTimeout(1000, Promise.reject<string>(new Error('bad')), () => assert.fail()),
    /bad/,
  )
})

test('a build over the limit fails and is discarded, even if it never ends', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    let discarded = 0
    const waiting = withBuildTimeout(60_000, new Promise<string>(() => {}), () => discarded++)
    mock.timers.tick(59_999)
    assert.equal(discarded, 0)
    mock.timers.tick(1)
    await assert.rejects(waiting, { code: 'GW_CONFIG_INVALID', message: /was not ready after 60 seconds/ })
    assert.equal(discarded, 1)
  } finally {
    mock.timers.reset()
  }
})
