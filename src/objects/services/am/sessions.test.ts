import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AmService as AccessManager } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import type { JsonObject } from '#json'
import { buildAmService } from '#test/am-service'
import { type Built, manualClock } from '#test/build'
import { within } from '#test/waiting'

const cached = { sessionCache: { enabled: true } }
const unavailable = { code: 'GW_ACCESS_MANAGER', reason: 'unavailable' }

/** Resolves when a notification of the topic was processed. */
async function untilNotified({ object }: Built<AccessManager>, topic: string, cause: () => unknown): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = object.notifications?.listen({ notified: (news) => news.topic === topic && resolve() })
  cause()
  await within(`a notification of ${topic} was processed`, promise)
  stop?.()
}

function lookups(manager: DevelopmentAccessManager): string[] {
  return manager.requests('sessions').map(({ target }) => /_action=(\w+)/.exec(target)?.[1] ?? '')
}

test('PingAM: the agent looks up a session by its token in the body, with the configured properties', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, { sessionProperties: ['AMCtxId'] })
  const token = manager.login('demo')
  const session = await built.object.sessions.find(token)
  assert.equal(session?.username, 'demo')
  assert.equal(session?.realm, '/')
  assert.deepEqual(Object.keys(session?.properties ?? {}), ['AMCtxId'])
  assert.ok((session?.maxSessionExpirationTime ?? 0) > Date.now())
  assert.ok(!manager.requests('sessions').some(({ target }) => target.includes(token)))
  await using none = await buildAmService(manager.url, { sessionProperties: [] })
  assert.deepEqual((await none.object.sessions.find(token))?.properties, {})
})

test('OpenAM: sessionProperties are requested by a separate call, and only if configured', async () => {
  const sessionProperties = ['AMCtxId', 'LoginLocation']
  await using manager = await DevelopmentAccessManager.start({ family: 'openam', sessionProperties })
  const token = manager.login('demo')
  const propertiesOf = async (config: JsonObject) => {
    await using built = await buildAmService(manager.url, { notifications: { enabled: false }, ...config })
    manager.forgetRequests()
    const { properties } = (await built.object.sessions.find(token)) ?? {}
    return { names: Object.keys(properties ?? {}), lookups: lookups(manager).sort(), log: built.log.lines.join('\n') }
  }
  const named = await propertiesOf({ sessionProperties: ['LoginLocation', 'unknown'] })
  assert.deepEqual([named.names, named.lookups], [['LoginLocation'], ['getSessionInfo', 'getSessionProperties']])
  for (const config of [{}, { sessionProperties: [] }])
    assert.deepEqual((await propertiesOf(config)).lookups, ['getSessionInfo'])
  manager.endSession(token)
  assert.deepEqual((await propertiesOf({ sessionProperties: ['LoginLocation'] })).names, [])
})

test('OpenAM: a session is looked up with its own token', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  await using built = await buildAmService(manager.url)
  const token = manager.login('demo')
  assert.equal((await built.object.sessions.find(token))?.username, 'demo')
  assert.ok(!manager.requests('sessions').some(({ target }) => target.includes(encodeURIComponent(token))))
  manager.endSession(token)
  assert.equal(await built.object.sessions.find(token), null)
})

test('OpenAM: where the lookup with its own token is forbidden, the older unauthenticated endpoint is used', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  await using built = await buildAmService(manager.url)
  await built.object.dialect()
  const token = manager.login('demo')
  manager.fail('sessions', { status: 403, times: 1 })
  assert.equal((await built.object.sessions.find(token))?.username, 'demo')
  assert.match(manager.requests('sessions').at(-1)?.target ?? '', /\/sessions\/[^/]+\?_action=validate$/)
})

test('OpenAM: a lookup resets the idle timeout; refresh, which users may not call, is not called', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam', maxIdle: 60_000 })
  const sessionIdleRefresh = { enabled: true }
  await using built = await buildAmService(manager.url, { notifications: { enabled: false }, sessionIdleRefresh })
  const token = manager.login('demo')
  for (let at = 0; at < 3; at++) {
    manager.advance(50_000)
    assert.equal((await built.object.sessions.find(token))?.username, 'demo')
  }
  assert.deepEqual([...new Set(lookups(manager))], ['getSessionInfo'])
  manager.advance(61_000)
  assert.equal(await built.object.sessions.find(token), null)
})

test('calls have the transaction id in the header that access managers read', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  await using built = await buildAmService(manager.url)
  await built.object.sessions.find(manager.login('demo'))
  const requests = [...manager.requests('authenticate'), ...manager.requests('sessions')]
  assert.ok(requests.length >= 2)
  for (const { headers } of requests) {
    const id = String(headers['x-forgerock-transactionid'])
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.equal(headers['x-vendor-transactionid'], `${id}/0`)
  }
})

for (const unknownSession of ['invalid', 'unauthorized', 'not-found'] as const) {
  test(`an unknown token has no session (${unknownSession})`, async () => {
    await using manager = await DevelopmentAccessManager.start({ unknownSession })
    await using built = await buildAmService(manager.url)
    assert.equal(await built.object.sessions.find('AQIC5wM2.*AAJTSQACMDE.*'), null)
  })
}

test('text that can not be a token is not looked up', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url)
  for (const token of ['', '.', '..', 'a b', 'a\r\nb', 'é', 'x'.repeat(10_000)]) {
    assert.equal(await built.object.sessions.find(token), null)
  }
  assert.deepEqual(lookups(manager), [])
})

test('B62: a failing access manager gives an error, never a session', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url)
  const token = manager.login('demo')
  const faults = [
    { status: 500 },
    { status: 200, body: '<html>' },
    { status: 200, body: '' },
    { status: 200, body: '{"username":"demo","realm":"/","realm":"/alpha"}' },
    { status: 302, headers: { Location: '/' } },
    { cut: true },
  ]
  for (const fault of faults) {
    manager.fail('sessions', fault)
    await assert.rejects(built.object.sessions.find(token), unavailable)
  }
  manager.fail('sessions', { status: 200, body: {} })
  assert.equal(await built.object.sessions.find(token), null)
  manager.fail('sessions', { status: 403 })
  await assert.rejects(built.object.sessions.find(token), { reason: 'misconfigured' })
})

test('without a cache every lookup is a call', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url)
  const token = manager.login('demo')
  await built.object.sessions.find(token)
  await built.object.sessions.find(token)
  assert.deepEqual(lookups(manager), ['getSessionInfo', 'getSessionInfo'])
})

test('a notification of the end of a session invalidates that cached session only', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, cached)
  const { sessions } = built.object
  const [one, other] = [manager.login('demo'), manager.login('amadmin')]
  await Promise.all([sessions.find(one), sessions.find(one), sessions.find(other)])
  assert.equal(lookups(manager).length, 2)
  await untilNotified(built, '/agent/session', () => manager.endSession(one))
  assert.equal(await sessions.find(one), null)
  assert.equal((await sessions.find(other))?.username, 'amadmin')
  assert.equal(lookups(manager).length, 3)
})

test('notifications with the audit id or the user alone invalidate the session too; those of new sessions do not', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, cached)
  const { sessions } = built.object
  const token = manager.login('demo')
  const session = await sessions.find(token)
  const names: [object, number][] = [
    [{ eventType: 'SESSION_CREATION', universalId: session?.universalId }, 1],
    [{ eventType: 'LOGOUT', sessionuid: session?.properties['AMCtxId'] }, 2],
    [{ eventType: 'LOGOUT', universalId: session?.universalId }, 3],
    [{ eventType: 'SOMETHING_NEW', universalId: session?.universalId }, 4],
    [{ eventType: 'LOGOUT' }, 5],
    [{ eventType: 'LOGOUT', sessionuid: 'of-another' }, 5],
  ]
  for (const [body, calls] of names) {
    await untilNotified(built, '/agent/session.v2', () => manager.publish('/agent/session.v2', body))
    assert.equal((await sessions.find(token))?.username, 'demo')
    assert.equal(lookups(manager).length, calls)
  }
})

test('while notifications are disconnected, uncached sessions are not looked up', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, cached)
  const token = manager.login('demo')
  await built.object.sessions.find(token)
  const lost = Promise.withResolvers<void>()
  built.object.notifications?.listen({ disconnected: lost.resolve })
  manager.refuseUpgrades(503)
  manager.dropSockets()
  await within('the loss was reported', lost.promise)
  await assert.rejects(built.object.sessions.find(token), unavailable)
  assert.equal(lookups(manager).length, 1)
})

test('without notifications cached sessions expire by time alone, never after their own end', async () => {
  const clock = manualClock(Date.now())
  await using manager = await DevelopmentAccessManager.start({ maxIdle: 600_000 })
  const config = { ...cached, notifications: { enabled: false } }
  await using built = await buildAmService(manager.url, config, { clock })
  const token = manager.login('demo')
  await built.object.sessions.find(token)
  clock.advance(560_000)
  await built.object.sessions.find(token)
  assert.equal(lookups(manager).length, 1)
  clock.advance(20_000)
  await built.object.sessions.find(token)
  assert.equal(lookups(manager).length, 2)
  const short = { ...config, sessionCache: { enabled: true, maximumTimeToCache: '10 seconds' } }
  await using other = await buildAmService(manager.url, short, { clock })
  await other.object.sessions.find(token)
  clock.advance(11_000)
  await other.object.sessions.find(token)
  assert.equal(lookups(manager).length, 4)
})

test('sessionIdleRefresh: the use of a session is reported at most once in its interval', async () => {
  const clock = manualClock(Date.now())
  await using manager = await DevelopmentAccessManager.start()
  const config = { ...cached, sessionIdleRefresh: { enabled: true, interval: '1 minute' } }
  await using built = await buildAmService(manager.url, config, { clock })
  const token = manager.login('demo')
  await built.object.sessions.find(token)
  await built.object.sessions.find(token)
  assert.deepEqual(lookups(manager), ['getSessionInfoAndResetIdleTime'])
  clock.advance(61_000)
  await built.object.sessions.find(token)
  await manager.received('sessions', 2)
  await built.object.sessions.find(token)
  assert.deepEqual(lookups(manager), ['getSessionInfoAndResetIdleTime', 'getSessionInfoAndResetIdleTime'])
})

test('sessionIdleRefresh without a cache: lookups in between do not count as use', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, { sessionIdleRefresh: { enabled: true } })
  const token = manager.login('demo')
  await built.object.sessions.find(token)
  await built.object.sessions.find(token)
  assert.deepEqual(lookups(manager), ['getSessionInfoAndResetIdleTime', 'getSessionInfo'])
})

test('a server of another family than assumed: the session of the agent is never returned', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  manager.fail('version', { status: 403 })
  await using built = await buildAmService(manager.url)
  assert.equal((await built.object.dialect()).family, 'pingam')
  const found = await built.object.sessions.find('made-up').catch((error: { reason?: string }) => error.reason)
  assert.ok(found === null || found === 'misconfigured', String(found))
  manager.fail('sessions', { status: 200, body: { username: 'IG_Agent', realm: '/' } })
  await assert.rejects(built.object.sessions.find('made-up'), { reason: 'misconfigured' })
})

test('a session that a unit has ended is looked up again by all units, also without notifications', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const shared = new Map<string, SharedArrayBuffer>()
  const config = { ...cached, notifications: { enabled: false } }
  await using first = await buildAmService(manager.url, config, { shared, units: 2 })
  await using second = await buildAmService(manager.url, config, { shared, units: 2 })
  const [ended, other] = [manager.login('demo'), manager.login('demo')]
  const usersOf = (token: string) =>
    Promise.all([first, second].map(async ({ object }) => (await object.sessions.find(token))?.username ?? null))
  for (const token of [ended, other]) assert.deepEqual(await usersOf(token), ['demo', 'demo'])
  manager.endSession(ended)
  assert.deepEqual(await usersOf(ended), ['demo', 'demo'], 'cached')
  first.object.sessions.evict(ended)
  manager.forgetRequests()
  assert.deepEqual(await usersOf(ended), [null, null])
  assert.equal(lookups(manager).length, 2)
  assert.deepEqual(await usersOf(other), ['demo', 'demo'])
  assert.equal(lookups(manager).length, 2, 'other sessions stay in the caches')
})

test('OpenAM: a token for which alone the lookup fails has no session', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  await using built = await buildAmService(manager.url, { notifications: { enabled: false } })
  const { sessions } = built.object
  assert.equal((await sessions.find(manager.login('demo')))?.username, 'demo')
  manager.fail('sessions', { status: 500, body: '', times: 1 })
  assert.equal(await sessions.find('of.another*OpenAM*'), null)
  manager.fail('sessions', { status: 500, body: '' })
  await assert.rejects(sessions.find(manager.login('demo')), unavailable)
})

test('PingAM: 401 for sessions of users that have ended causes no login of the agent', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, { notifications: { enabled: false } })
  const { sessions } = built.object
  const token = manager.login('demo')
  assert.equal((await sessions.find(token))?.username, 'demo')
  manager.forgetRequests()
  for (let at = 0; at < 10; at++) {
    manager.fail('sessions', { status: 401, body: '{"code":401}', times: 1 })
    assert.equal(await sessions.find(`ended-${at}`), null)
  }
  assert.equal(manager.requests('authenticate').length, 0)
  assert.equal((await sessions.find(token))?.username, 'demo')
})
