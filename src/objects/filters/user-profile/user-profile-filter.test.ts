import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SsoTokenContext, UserProfileContext } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import { type Exchange, type Filter, respond } from '#http'
import type { JsonObject } from '#json'
import { accessManagerOptions } from '#test/am-service'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { groovyValue } from '#test/groovy-script'
import { UserProfileService } from '../../services/user-profile/user-profile-service.ts'
import { UserProfileFilter } from './user-profile-filter.ts'

const USERS = [
  {
    name: 'demo',
    password: 'changeit',
    attributes: { mail: ['demo@example.com'], employeeNumber: ['123', '456'], cn: ['Demo User'] },
  },
  { name: 'jö#rg/a', password: 'x' },
  { name: 'demo', password: 'x', realm: '/alpha', attributes: { mail: ['alpha@example.com'] } },
]

async function withFilter(manager: DevelopmentAccessManager, service: JsonObject = {}, older?: JsonObject) {
  const { types, heap } = accessManagerOptions(manager.url, { notifications: { enabled: false } })
  const config = older ?? {
    username: "${request.headers['user'][0]}",
    userProfileService: { type: 'UserProfileService', config: { amService: 'am', ...service } },
  }
  const built = await build<Filter>(UserProfileFilter, config, { types: [...types, UserProfileService], heap })
  return {
    built,
    async send(user: string | null, exchange: Exchange = naming(user)) {
      let passed: Exchange | null = null
      const response = await built.object(exchange, async (inside) => {
        passed = inside
        return respond(200)
      })
      const profile = (passed as Exchange | null)?.context(UserProfileContext) ?? null
      return { status: response.status, response, passed: passed as Exchange | null, profile }
    },
    lookups: () => manager.requests('users').length,
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const naming = (user: string | null) =>
  exchangeFor('GET', 'http://app.example/', user === null ? {} : { headers: { User: user } })

test('the profile of the user is in contexts.userProfile, without roles', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  await using filter = await withFilter(manager)
  const { status, passed, profile } = await filter.send('demo')
  assert.equal(status, 200)
  assert.deepEqual(profile?.rawInfo['employeeNumber'], ['123', '456'])
  assert.ok(!('roles' in (profile?.rawInfo ?? {})))
  const source =
    'def it = contexts.userProfile; [it.username, it.realm, it.commonName, it.getDistinguishedName(), it.rawInfo.mail[0], it.asJsonValue().uid[0]]'
  assert.deepEqual(await groovyValue(source, { exchange: passed as Exchange }), [
    'demo',
    '/',
    'Demo User',
    'uid=demo,ou=people,dc=openam,dc=example',
    'demo@example.com',
    'demo',
  ])
})

test('profileAttributes selects attributes at the access manager; username is always among them', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  await using filter = await withFilter(manager, { profileAttributes: ['mail', 'roles', 'none'] })
  const { profile } = await filter.send('demo')
  assert.deepEqual(Object.keys(profile?.rawInfo ?? {}).sort(), ['_id', '_rev', 'mail', 'realm', 'username'])
  assert.match(manager.requests('users')[0]?.target ?? '', /_fields=username,realm,mail,roles,none$/)
})

test('realm is that of the users', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  await using filter = await withFilter(manager, { realm: 'alpha/' })
  assert.deepEqual((await filter.send('demo')).profile?.rawInfo['mail'], ['alpha@example.com'])
})

test('a name is one segment of the path, whatever its characters', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  await using filter = await withFilter(manager)
  await filter.send('demo?_fields=mail&x=')
  await filter.send('../sessions')
  await filter.send('demo#a')
  const targets = manager.requests('users').map(({ target }) => target.slice(target.indexOf('/users')))
  assert.deepEqual(targets, ['/users/demo%3F_fields%3Dmail%26x%3D', '/users/..%2Fsessions', '/users/demo%23a'])
})

test('a request without a known user gets 403 and is not passed on', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  await using filter = await withFilter(manager)
  for (const user of [null, '', '.', '..', 'x'.repeat(2_000)]) {
    const { status, passed, response } = await filter.send(user)
    assert.deepEqual([status, passed, response.headers.get('cache-control')], [403, null, 'no-store'])
  }
  assert.equal(filter.lookups(), 0)
  assert.equal((await filter.send('invented')).status, 403)
})

test('OpenAM: the profile is read with the session of the user, since its agents may not', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS, family: 'openam' })
  await using filter = await withFilter(manager)
  const info = { username: 'demo', realm: '/' }
  const sso = { value: manager.login('demo'), info, loginEndpoint: '', universalId: null }
  const own = await filter.send('demo', naming('demo').with(SsoTokenContext, sso))
  assert.deepEqual(own.profile?.rawInfo['mail'], ['demo@example.com'])
  assert.equal((await filter.send('demo')).status, 500)
  assert.match(filter.built.log.lines.join(), /does not let the agent read profiles of users \(403\)/)
})

test('a failing access manager gives 503, never a request without profile', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  await using filter = await withFilter(manager)
  for (const fault of [
    { status: 500 },
    { status: 302 },
    { status: 200, body: 'no JSON' },
    { status: 404, body: 'a proxy' },
  ]) {
    manager.fail('users', fault)
    const { status, passed, response } = await filter.send('demo')
    assert.deepEqual([status, passed, response.headers.get('retry-after')], [503, null, '5'], JSON.stringify(fault))
  }
  manager.heal()
  assert.equal((await filter.send('demo')).status, 200)
})

test('older fields: amService, ssoToken and profileAttributes on the filter', async () => {
  await using manager = await DevelopmentAccessManager.start({ users: USERS })
  const older = { amService: 'am', ssoToken: '${contexts.ssoToken.value}', profileAttributes: ['mail'] }
  await using filter = await withFilter(manager, {}, older)
  assert.match(filter.built.warnings.join(), /userProfileService/)
  const sso = { value: 't', info: { username: 'demo' }, loginEndpoint: '', universalId: null }
  const { profile } = await filter.send(null, naming(null).with(SsoTokenContext, sso))
  assert.deepEqual(profile?.rawInfo['mail'], ['demo@example.com'])
})
