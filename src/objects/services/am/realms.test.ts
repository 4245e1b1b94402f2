// Sessions of other realms are rejected, although the server returns sessions of any realm under the path of every realm.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DevelopmentAccessManager } from '#dev'
import type { JsonObject } from '#json'
import { buildAmService } from '#test/am-service'

const USERS = ['/', '/alpha', '/alpha/beta', '/gamma'].map((realm) => ({ name: 'demo', password: 'changeit', realm }))
const AGENTS = ['/', '/alpha'].map((realm) => ({ name: 'ig_agent', password: 'password', realm }))

/** The realms whose sessions an AmService with this configuration finds. */
async function found(config: JsonObject, family: 'openam' | 'pingam' = 'openam'): Promise<readonly string[]> {
  await using manager = await DevelopmentAccessManager.start({ family, users: USERS, agents: AGENTS })
  await using built = await buildAmService(manager.url, { notifications: { enabled: false }, ...config })
  const sessions = await Promise.all(USERS.map(({ realm }) => built.object.sessions.find(manager.login('demo', realm))))
  return sessions.flatMap((session) => (session === null ? [] : [session.realm]))
}

for (const family of ['openam', 'pingam'] as const) {
  test(`${family}: a session of another realm is not accepted`, async () => {
    assert.deepEqual(await found({}, family), ['/'])
    assert.deepEqual(await found({ realm: '/alpha' }, family), ['/alpha'])
  })

  test(`${family}: sharedRealms admits other realms by name, or all`, async () => {
    assert.deepEqual(await found({ sharedRealms: ['/alpha'] }, family), ['/', '/alpha'])
    assert.deepEqual(await found({ realm: '/alpha', sharedRealms: ['/gamma', '/'] }, family), ['/', '/alpha', '/gamma'])
    assert.deepEqual(await found({ sharedRealms: ['*'] }, family), ['/', '/alpha', '/alpha/beta', '/gamma'])
  })
}

test('names of realms are compared ignoring case and trailing slashes, as the server does', async () => {
  assert.deepEqual(await found({ sharedRealms: ['/ALPHA/', '/gamma//'] }), ['/', '/alpha', '/gamma'])
})

test('a session of another realm is logged, once in ten seconds', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam', users: USERS })
  await using built = await buildAmService(manager.url, { sessionCache: { enabled: true } })
  for (let at = 0; at < 3; at++) assert.equal(await built.object.sessions.find(manager.login('demo', '/alpha')), null)
  const lines = built.log.lines.filter((line) => line.includes('session of another realm ignored'))
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /"realm":"\/alpha","expected":"\/"/)
})

test('sharedRealms: an invalid realm is reported with its pointer', async () => {
  await assert.rejects(buildAmService('http://127.0.0.1:1/am', { sharedRealms: ['/alpha', 'beta'] }), {
    message: /config\/sharedRealms\/1: expected a realm such as "\/alpha", or "\*", got "beta"/,
  })
})
