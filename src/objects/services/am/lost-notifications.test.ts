// Missing notifications: lost by OpenAM on an open socket, or of a server without notifications.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DevelopmentAccessManager } from '#dev'
import type { JsonObject } from '#json'
import { buildAmService } from '#test/am-service'
import { manualClock } from '#test/build'
import { ManualExecutor } from '#test/manual-executor'
import { within } from '#test/waiting'

const cached = { sessionCache: { enabled: true } }
const HTML = '<html><body><h1>HTTP Status 404</h1></body></html>'

const lookups = (manager: DevelopmentAccessManager): number => manager.requests('sessions').length

/** Whether a logged-out session, whose notification was lost, is still found `milliseconds` after its lookup. */
async function isFoundAfter(config: JsonObject, milliseconds: number, family: 'openam' | 'pingam' = 'openam') {
  const clock = manualClock(Date.now())
  await using manager = await DevelopmentAccessManager.start({ family })
  await using built = await buildAmService(manager.url, config, { clock })
  const { sessions } = built.object
  const token = manager.login('demo')
  assert.equal((await sessions.find(token))?.username, 'demo')
  manager.loseNotifications()
  manager.endSession(token)
  clock.advance(milliseconds)
  return (await sessions.find(token)) !== null
}

test('OpenAM loses notifications: a logged-out session is found for 30 seconds at most', async () => {
  assert.equal(await isFoundAfter(cached, 29_999), true)
  assert.equal(await isFoundAfter(cached, 30_000), false)
  const without = { ...cached, notifications: { enabled: false } }
  assert.equal(await isFoundAfter(without, 30_000), false)
})

test('sessionCache.maximumTimeToCache sets another time', async () => {
  const config = { sessionCache: { enabled: true, maximumTimeToCache: '2 minutes' } }
  assert.equal(await isFoundAfter(config, 119_999), true)
  assert.equal(await isFoundAfter(config, 120_000), false)
  assert.equal(await isFoundAfter({ sessionCache: { enabled: true, maximumTimeToCache: '5 s' } }, 5_000), false)
})

test('an unknown version: the TTL is as short, since the server may be an OpenAM', async () => {
  const clock = manualClock(Date.now())
  await using manager = await DevelopmentAccessManager.start()
  manager.fail('version', { status: 403 })
  await using built = await buildAmService(manager.url, cached, { clock })
  const token = manager.login('demo')
  await built.object.sessions.find(token)
  clock.advance(30_000)
  await built.object.sessions.find(token)
  assert.equal(lookups(manager), 2)
  await using versioned = await buildAmService(manager.url, { ...cached, version: '7.5' }, { clock })
  await versioned.object.sessions.find(token)
  clock.advance(30_000)
  await versioned.object.sessions.find(token)
  assert.equal(lookups(manager), 3)
})

test('more than 5 minutes give a warning at load, by the version of the server or the configuration', async () => {
  const long = { sessionCache: { enabled: true, maximumTimeToCache: '10 minutes' } }
  const warning = /sessionCache\.maximumTimeToCache: ended sessions are accepted for up to 600 seconds/
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  await using built = await buildAmService(manager.url, long)
  assert.match(built.warnings.join('\n'), warning)
  await using short = await buildAmService(manager.url, {
    sessionCache: { enabled: true, maximumTimeToCache: '5 min' },
  })
  assert.deepEqual(short.warnings, [])
  const quiet = { ...long, notifications: { enabled: false } }
  await using configured = await buildAmService(manager.url, { ...quiet, version: '16.0.5' })
  assert.match(configured.warnings.join('\n'), warning)
  await using found = await buildAmService(manager.url, quiet)
  assert.deepEqual(found.warnings, [])
  await found.object.sessions.find(manager.login('demo'))
  assert.match(found.log.lines.join('\n'), warning)
  await using ping = await DevelopmentAccessManager.start()
  await using trusted = await buildAmService(ping.url, long)
  assert.deepEqual(trusted.warnings, [])
})

for (const status of [404, 501]) {
  test(`a server without notifications (${status}): logged once, in health too, and sessions are cached for 30 seconds`, async () => {
    const clock = manualClock(Date.now())
    const executor = new ManualExecutor()
    await using manager = await DevelopmentAccessManager.start()
    manager.refuseUpgrades(status)
    await using built = await buildAmService(manager.url, cached, { clock, ...executor.buildOptions })
    const { sessions, notifications } = built.object
    assert.deepEqual(built.states, [
      'starting: notifications: connecting',
      `degraded: notifications: the access manager has none (${status}); caches live by time alone`,
    ])
    const token = manager.login('demo')
    assert.equal((await sessions.find(token))?.username, 'demo')
    manager.endSession(token)
    clock.advance(29_999)
    assert.equal((await sessions.find(token))?.username, 'demo')
    clock.advance(1)
    assert.equal(await sessions.find(token), null)
    const again = executor.waiting.find(({ delay }) => delay === 60_000)
    await again?.task()
    assert.equal(built.log.lines.filter((line) => line.includes('has no notifications')).length, 1)
    manager.refuseUpgrades(null)
    await executor.waiting.findLast(({ delay }) => delay === 60_000)?.task()
    assert.deepEqual([notifications?.connected, notifications?.isAbsent], [true, false])
    assert.equal(built.states.at(-1), 'up: notifications: connected')
  })
}

test('404 of a server that is being deployed does not mean that it has no notifications', async () => {
  const executor = new ManualExecutor()
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  await using built = await buildAmService(manager.url, cached, executor.buildOptions)
  const token = manager.login('demo')
  await built.object.sessions.find(token)
  const { promise: disconnected, resolve } = Promise.withResolvers<void>()
  built.object.notifications?.listen({ disconnected: resolve })
  manager.refuseUpgrades(404)
  manager.fail('*', { status: 404, body: HTML, headers: { 'Content-Type': 'text/html' } })
  manager.dropSockets()
  await within('notifications were disconnected', disconnected)
  await executor.waiting.find(({ delay }) => delay >= 2_500 && delay <= 5_000)?.task()
  assert.deepEqual([built.object.notifications?.connected, built.object.notifications?.isAbsent], [false, false])
  assert.ok(!built.log.lines.some((line) => line.includes('has no notifications')))
})

test('an error page in front of the access manager does not end sessions', async () => {
  for (const family of ['openam', 'pingam'] as const) {
    await using manager = await DevelopmentAccessManager.start({ family })
    await using built = await buildAmService(manager.url)
    const token = manager.login('demo')
    await built.object.sessions.find(token)
    for (const status of [400, 401, 403, 404, 429, 502, 503]) {
      manager.fail('sessions', { status, body: HTML, headers: { 'Content-Type': 'text/html' } })
      await assert.rejects(built.object.sessions.find(token), { code: 'GW_ACCESS_MANAGER', reason: 'unavailable' })
    }
    manager.heal()
    assert.equal((await built.object.sessions.find(token))?.username, 'demo')
  }
})
