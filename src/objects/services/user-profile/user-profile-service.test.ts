import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserProfileService as UserProfiles } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import type { JsonObject } from '#json'
import { accessManagerOptions } from '#test/am-service'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { waitUntil } from '#test/waiting'
import { UserProfileService } from './user-profile-service.ts'

const USERS = [
  { name: 'demo', password: 'changeit', attributes: { mail: ['demo@example.com'] } },
  { name: 'eve', password: 'x' },
]

async function withService(
  manager: DevelopmentAccessManager,
  config: JsonObject = {},
  am: JsonObject = { notifications: { enabled: false } },
) {
  const clock = manualClock(Date.now())
  const options = { ...accessManagerOptions(manager.url, am), clock }
  const built = await build<UserProfiles>(UserProfileService, { amService: 'am', ...config }, options)
  return {
    built,
    clock,
    find: (username: string) => built.object.find(username, exchangeFor('GET', 'http://app.example/')),
    lookups: () => manager.requests('users').length,
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

test('without a cache each request causes a lookup', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  await using service = await withService(manager)
  assert.equal((await service.find('demo'))?.text('mail'), 'demo@example.com')
  assert.equal(await service.find('invented'), null)
  await service.find('demo')
  assert.equal(service.lookups(), 3)
})

test('a cached profile is used until it expires; concurrent requests share one lookup', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  await using service = await withService(manager, { cache: { enabled: true, maximumTimeToCache: '10 seconds' } })
  await Promise.all([service.find('demo'), service.find('demo')])
  assert.equal(service.lookups(), 1)
  service.clock.advance(9_999)
  await service.find('demo')
  assert.equal(service.lookups(), 1)
  service.clock.advance(2)
  assert.equal((await service.find('demo'))?.text('username'), 'demo')
  assert.equal(service.lookups(), 2)
  await service.find('invented')
  await service.find('invented')
  assert.equal(service.lookups(), 3)
})

test('the cache is bounded', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  await using service = await withService(manager, { cache: { enabled: true, maximumSize: 1 } })
  for (const name of ['demo', 'eve', 'demo']) await service.find(name)
  assert.equal(service.lookups(), 3)
})

test('a failed lookup is not cached', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  await using service = await withService(manager, { cache: { enabled: true } })
  manager.fail('users', { status: 500 })
  await assert.rejects(service.find('demo'), { reason: 'unavailable' })
  manager.heal()
  assert.equal((await service.find('demo'))?.text('username'), 'demo')
})

test('notifications evict profiles of the users they name, and a lost connection evicts all', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  await using service = await withService(manager, { cache: { enabled: true } }, {})
  const session = manager.login('demo')
  await service.find('demo')
  await service.find('eve')
  assert.equal(service.lookups(), 2)
  manager.endSession(session)
  await waitUntil('the profile of demo is looked up again', async () => {
    await service.find('demo')
    return service.lookups() === 3
  })
  await service.find('eve')
  assert.equal(service.lookups(), 3)
  manager.dropSockets()
  await waitUntil('all profiles are looked up again', async () => {
    await service.find('eve')
    return service.lookups() === 4
  })
})

test('profiles are looked up while notifications are disconnected', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  manager.refuseUpgrades(503)
  const am = { notifications: { initialConnectionAttempts: 1 } }
  await using service = await withService(manager, { cache: { enabled: true } }, am)
  assert.equal((await service.find('demo'))?.text('username'), 'demo')
})

for (const [name, config, message] of [
  ['no amService', { amService: null }, /amService/],
  [
    'several attributes in one text',
    { profileAttributes: ['mail,cn'] },
    /profileAttributes\/0.*expected the name of one/,
  ],
  ['a cache without time', { cache: { enabled: true, maximumTimeToCache: 'zero' } }, /maximumTimeToCache/],
] as const) {
  test(`refused: ${name}`, async () => {
    await using manager = await DevelopmentAccessManager.start({ users: USERS })
    const attempt = withService(manager, config as unknown as JsonObject)
    await assert.rejects(attempt, (error: Error & { problems?: object[] }) => {
      assert.match(JSON.stringify(error.problems), message)
      return true
    })
  })
}
