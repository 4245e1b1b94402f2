import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningGateway, textRoute } from '#test/gateway'

test('what the author of a route should know is logged once, with its place, whatever the number of units', async () => {
  await using gateway = await RunningGateway.start({ units: 2 })
  await gateway.deploy('old', textRoute('x', { monitor: true }))
  const entry = await gateway.log.until(/monitor is no longer used/, 0)
  assert.match(
    entry.message ?? '',
    /^old\.json:\d+:\d+: \/monitor: monitor is no longer used and has no effect; remove it$/,
  )
  // Another deploy has gone through all units: a second entry would have been written before it.
  await gateway.deploy('other', textRoute('y', { name: 'zz', audit: 'x' }))
  await gateway.log.until(/audit is no longer used/, 0)
  assert.equal(gateway.log.with(/monitor is no longer used/).length, 1)
})
