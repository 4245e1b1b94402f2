// Decisions of an access manager with the observed behaviour of OpenAM.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { PAGE, policy, protectedPages, READERS, singleSignOn } from '#test/protected-pages'

const openam = { family: 'openam' } as const

/** Pages with cached decisions; the policy that allows them is removed, and its notification is lost. */
async function statusAfter(cache: JsonObject, milliseconds: number, ttl?: number): Promise<number> {
  await using pages = await protectedPages([policy({ cache: { enabled: true, ...cache } })], { manager: openam })
  const { manager, clock } = pages
  manager.loseNotifications()
  manager.putPolicy(READERS)
  const session = manager.login('demo')
  if (ttl !== undefined) {
    const decision = { resource: PAGE, actions: { GET: true }, attributes: {}, advices: {}, ttl: clock.now() + ttl }
    manager.fail('policies', { status: 200, body: JSON.stringify([decision]), times: 1 })
  }
  assert.equal((await pages.ask(session)).status, 200)
  manager.removePolicy('pages')
  clock.advance(milliseconds)
  return (await pages.ask(session)).status
}

test('OpenAM loses notifications: a removed permission is used for 30 seconds at most, with any ttl', async () => {
  assert.equal(await statusAfter({}, 29_999), 200)
  assert.equal(await statusAfter({}, 30_000), 403)
  assert.equal(await statusAfter({}, 29_999, 3_600_000), 200)
  assert.equal(await statusAfter({}, 30_000, 3_600_000), 403)
  assert.equal(await statusAfter({}, 10_000, 10_000), 403)
})

test('defaultTimeout and maximumTimeToCache set other times', async () => {
  assert.equal(await statusAfter({ defaultTimeout: '2 minutes' }, 119_999, 3_600_000), 200)
  assert.equal(await statusAfter({ defaultTimeout: '2 minutes' }, 120_000, 3_600_000), 403)
  const both = { defaultTimeout: '10 seconds', maximumTimeToCache: '1 minute' }
  assert.equal(await statusAfter(both, 10_000), 403)
  assert.equal(await statusAfter(both, 59_999, 3_600_000), 200)
  assert.equal(await statusAfter(both, 60_000, 3_600_000), 403)
})

test('times of more than 5 minutes give a warning at load', async () => {
  for (const field of ['defaultTimeout', 'maximumTimeToCache']) {
    const filter = policy({ cache: { enabled: true, [field]: '1 hour' } })
    await using pages = await protectedPages([filter], { manager: openam })
    assert.match(
      pages.built.warnings.join('\n'),
      new RegExp(`cache\\.${field}: ended sessions and withdrawn permissions are accepted for up to 3600 seconds`),
    )
    await using trusted = await protectedPages([filter])
    assert.deepEqual(trusted.built.warnings, [])
  }
})

test('cached decisions of a session whose logout notification is lost expire after 30 seconds', async () => {
  await using pages = await protectedPages([policy({ cache: { enabled: true } })], { manager: openam })
  const { manager, clock } = pages
  manager.loseNotifications()
  manager.putPolicy(READERS)
  const session = manager.login('demo')
  assert.equal((await pages.ask(session)).status, 200)
  manager.endSession(session)
  assert.equal((await pages.ask(session)).status, 200)
  clock.advance(30_000)
  assert.equal((await pages.ask(session)).status, 403)
})

const REALMS = {
  ...openam,
  users: ['/', '/alpha'].map((realm) => ({ name: 'demo', password: 'changeit', realm })),
}

test('a session of another realm is rejected, although the server decides about it', async () => {
  for (const cache of [{}, { cache: { enabled: true } }]) {
    await using pages = await protectedPages([policy(cache)], { manager: REALMS })
    const { manager } = pages
    manager.loseNotifications()
    manager.putPolicy(READERS)
    assert.equal((await pages.ask(manager.login('demo'))).status, 200)
    const foreign = manager.login('demo', '/alpha')
    assert.equal((await pages.ask(foreign)).status, 403)
    assert.equal((await pages.ask(foreign)).status, 403)
  }
  await using shared = await protectedPages([policy()], { manager: REALMS, am: { sharedRealms: ['/alpha'] } })
  shared.manager.putPolicy(READERS)
  assert.equal((await shared.ask(shared.manager.login('demo', '/alpha'))).status, 200)
})

test('after single sign-on the session is not looked up again', async () => {
  const filters = [singleSignOn(), policy({ ssoTokenSubject: '${contexts.ssoToken.value}' })]
  await using pages = await protectedPages(filters, { manager: REALMS })
  pages.manager.putPolicy(READERS)
  assert.equal((await pages.ask(pages.manager.login('demo'))).status, 200)
  assert.equal(pages.manager.requests('sessions').length, 1)
  const { status, location } = await pages.ask(pages.manager.login('demo', '/alpha'))
  assert.deepEqual([status, location?.searchParams.get('realm')], [302, '/'])
})
