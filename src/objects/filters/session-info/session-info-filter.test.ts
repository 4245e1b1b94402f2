import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AmSessionContext, SsoTokenContext } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import { baseScope, compile } from '#expression'
import { type Exchange, exchangeScope, type Filter, respond } from '#http'
import type { JsonObject } from '#json'
import { accessManagerOptions } from '#test/am-service'
import { build } from '#test/build'
import { auditedExchange } from '#test/exchange'
import { groovyValue } from '#test/groovy-script'
import { waitUntil } from '#test/waiting'
import { SessionInfoFilter } from './session-info-filter.ts'

async function withFilter(manager: DevelopmentAccessManager, config: JsonObject = {}, am: JsonObject = {}) {
  const surroundings = accessManagerOptions(manager.url, { notifications: { enabled: false }, ...am })
  const built = await build<Filter>(SessionInfoFilter, { amService: 'am', ...config }, surroundings)
  return {
    built,
    async send(token: string | null, exchange: Exchange = withCookie(token)) {
      let passed: Exchange | null = null
      const response = await built.object(exchange, async (inside) => {
        passed = inside
        return respond(200)
      })
      const decision = exchange.audit?.decision ?? null
      return { status: response.status, response, passed: passed as Exchange | null, decision }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const withCookie = (token: string | null) =>
  auditedExchange(
    'GET',
    'http://app.example/',
    token === null ? {} : { headers: { Cookie: `iPlanetDirectoryPro=${token}` } },
  )

const scope = baseScope({
  env: {},
  system: {},
  now: () => 0,
  gateway: { instanceDirectory: '', configDirectory: '', temporaryDirectory: '' },
})
const evaluate = (exchange: Exchange | null, expression: string) =>
  compile(expression).evaluate(exchangeScope(exchange as Exchange, null, scope))

for (const family of ['pingam', 'openam'] as const) {
  test(`the session of the cookie is in contexts.amSession (${family})`, async () => {
    await using manager = await DevelopmentAccessManager.start({ family })
    await using filter = await withFilter(manager)
    const { status, passed } = await filter.send(manager.login('demo'))
    assert.equal(status, 200)
    const read = (member: string) => evaluate(passed, `\${contexts.amSession.${member}}`)
    assert.equal(read('username'), 'demo')
    assert.equal(read('realm'), '/')
    assert.match(String(read('universalId')), /^id=demo,ou=user,/)
    assert.equal(read("asJsonValue()['username']"), 'demo')
    for (const time of ['latestAccessTime', 'maxIdleExpirationTime', 'maxSessionExpirationTime'])
      assert.match(String(evaluate(passed, `at \${contexts.amSession.${time}}`)), /^at 20\d\d-\d\d-\d\dT[\d:.]+Z$/)
    assert.equal(typeof read('maxIdleExpirationTime.epochMillis'), 'number')
    if (family === 'openam') assert.match(String(read('sessionHandle')), /^shandle:/)
    else assert.match(String(read('properties.AMCtxId')), /^[\w-]+$/)
  })

  test(`sessionProperties of the AmService selects the properties (${family})`, async () => {
    await using manager = await DevelopmentAccessManager.start({ family, sessionProperties: ['AMCtxId', 'AuthLevel'] })
    await using filter = await withFilter(manager, {}, { sessionProperties: ['AuthLevel', 'absent'] })
    const { passed } = await filter.send(manager.login('demo'))
    assert.deepEqual(Object.keys(passed?.context(AmSessionContext)?.properties ?? {}), ['AuthLevel'])
  })
}

test('of several cookies of the name, the first with a session is used', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager)
  const { passed } = await filter.send(`stale; iPlanetDirectoryPro=${manager.login('demo')}`)
  assert.equal(passed?.context(AmSessionContext)?.username, 'demo')
})

test('scripts read the times as instants', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager)
  const { passed } = await filter.send(manager.login('demo'))
  const source =
    'def it = contexts.amSession; [it.username, it.getRealm(), it.maxSessionExpirationTime.isAfter(it.latestAccessTime)]'
  assert.deepEqual(await groovyValue(source, { exchange: passed as Exchange }), ['demo', '/', true])
})

test('the token can come from the context of a login filter', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager, { ssoToken: '${contexts.ssoToken.value}' })
  const sso = { value: manager.login('demo'), info: {}, loginEndpoint: '', universalId: null }
  const { status, passed } = await filter.send(null, withCookie('other').with(SsoTokenContext, sso))
  assert.deepEqual([status, passed?.context(AmSessionContext)?.username], [200, 'demo'])
})

test('a request without a valid session gets 403 and is not passed on', async () => {
  await using manager = await DevelopmentAccessManager.start({
    realms: ['/other'],
    users: [
      { name: 'eve', password: 'x', realm: '/other' },
      { name: 'demo', password: 'x' },
    ],
  })
  await using filter = await withFilter(manager)
  await using fromContext = await withFilter(manager, { ssoToken: '${contexts.ssoToken.value}' })
  for (const token of [null, '', 'unknown', 'x'.repeat(9_000), manager.login('eve', '/other')]) {
    const { status, response, passed } = await filter.send(token)
    assert.deepEqual([status, passed, response.headers.get('cache-control')], [403, null, 'no-store'])
  }
  assert.deepEqual([(await fromContext.send('x')).status], [403])
})

test('while the access manager can not be reached the response is 503', async () => {
  const manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager)
  const token = manager.login('demo')
  assert.equal((await filter.send(token)).status, 200)
  await manager.close()
  const { status, response, passed, decision } = await filter.send(token)
  assert.deepEqual([status, passed, response.headers.get('retry-after')], [503, null, '5'])
  assert.deepEqual([decision?.result, decision?.reason], ['FAILED', 'session lookup failed'])
  assert.match(filter.built.log.lines.join(), /session lookup failed/)
  assert.ok(!filter.built.log.lines.join().includes(token))
})

test('a cached session is gone after its notification', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager, {}, { notifications: {}, sessionCache: { enabled: true } })
  const token = manager.login('demo')
  const lookups = () => manager.requests('sessions').filter(({ target }) => target.includes('getSessionInfo')).length
  assert.equal((await filter.send(token)).status, 200)
  assert.equal((await filter.send(token)).status, 200)
  assert.equal(lookups(), 1)
  manager.endSession(token)
  await waitUntil('the session is refused', async () => (await filter.send(token)).status === 403)
})
