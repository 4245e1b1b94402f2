import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningGateway, textRoute } from '#test/gateway'

test('warnings about a route are logged once, with their position, for any number of units', async () => {
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

test('routes that another hides are logged once, and again when there are more of them', async () => {
  await using gateway = await RunningGateway.start({
    units: 2,
    routes: {
      '50-all': textRoute('all'),
      '60-hidden': textRoute('hidden', { condition: '${request.method == "GET"}' }),
    },
  })
  const hidden = /are unreachable/
  const entry = await gateway.log.until(hidden, 0)
  assert.match(
    entry.message ?? '',
    /^50-all\.json:1:\d+: \/condition: the route matches every request, .*: "60-hidden";/,
  )
  await gateway.deploy('10-first', textRoute('first', { condition: '${request.method == "PUT"}' }))
  assert.equal(gateway.log.with(hidden).length, 1)
  await gateway.deploy('70-more', textRoute('more', { condition: '${request.method == "GET"}' }))
  await gateway.log.until(/60-hidden.*70-more/, 0)
  // A repeated entry would have been written before the end of another deploy.
  await gateway.deploy('10-first', textRoute('again', { condition: '${request.method == "PUT"}' }))
  assert.equal(gateway.log.with(hidden).length, 2)
  assert.equal((await gateway.ask('/')).text, 'all')
})
