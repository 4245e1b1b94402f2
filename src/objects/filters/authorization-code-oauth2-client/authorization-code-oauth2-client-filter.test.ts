// Validation of the configuration; logins are tested in test/gateway/openid-login.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, Response } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { auditedExchange, exchangeFor } from '#test/exchange'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { ClientRegistration } from '../../openid/client-registration/client-registration.ts'
import { Issuer } from '../../openid/issuer/issuer.ts'
import { AuthorizationCodeOAuth2ClientFilter } from './authorization-code-oauth2-client-filter.ts'

const types = [Issuer, ClientRegistration, ClientHandler, StaticResponseHandler]
const heap = [
  { name: 'ClientHandler', type: 'ClientHandler' },
  {
    name: 'server',
    type: 'Issuer',
    config: { wellKnownEndpoint: 'https://login.example/.well-known/openid-configuration' },
  },
  { name: 'one', type: 'ClientRegistration', config: { clientId: 'one', issuer: 'server' } },
  { name: 'two', type: 'ClientRegistration', config: { clientId: 'two', issuer: 'server' } },
]
const made = (config: Record<string, JsonValue>) =>
  build<Filter>(AuthorizationCodeOAuth2ClientFilter, { clientEndpoint: '/oidc', ...config }, { types, heap })

test('one registration needs no loginHandler, several do', async () => {
  await using one = await made({ registrations: ['one'] })
  assert.equal(typeof one.object, 'function')
  await using two = await made({
    registrations: ['one', 'two'],
    loginHandler: { type: 'StaticResponseHandler', config: { status: 200 } },
  })
  assert.equal(typeof two.object, 'function')
})

test('loginHandler answers navigations; other requests get 401', async () => {
  await using built = await made({
    registrations: ['one', 'two'],
    loginHandler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'choose' } },
  })
  const ask = (headers: Record<string, string>) =>
    built.object(exchangeFor('GET', 'https://app.example/data', { headers }), async () => assert.fail('passed on'))
  for (const headers of [{ 'Sec-Fetch-Mode': 'cors' }, { 'X-Requested-With': 'XMLHttpRequest' }]) {
    const { status, headers: sent } = await ask(headers as Record<string, string>)
    assert.deepEqual([status, sent.get('www-authenticate')], [401, 'Login uri="https://app.example/oidc/login"'])
  }
  assert.equal((await ask({ 'Sec-Fetch-Mode': 'navigate' })).status, 200)
  assert.equal((await ask({})).status, 200)
})

test('a 401 of the filter is its decision; a 403 of the application has no decision', async () => {
  await using required = await made({ registrations: ['one'] })
  const refused = auditedExchange('GET', 'https://app.example/data', { headers: { 'Sec-Fetch-Mode': 'cors' } })
  assert.equal((await required.object(refused, async () => assert.fail('passed on'))).status, 401)
  assert.equal(refused.audit?.decision?.result, 'DENIED')
  await using optional = await made({ registrations: ['one'], requireLogin: false })
  const anonymous = auditedExchange('GET', 'https://app.example/data')
  const { status } = await optional.object(anonymous, async () => new Response(403, { isReceived: true }))
  assert.deepEqual([status, anonymous.audit?.decision], [403, null])
})

test('a failed login is a decision, whatever its status is and whether failureHandler responds', async () => {
  const failureHandler = { type: 'StaticResponseHandler', config: { status: 403 } }
  for (const [expected, config] of [
    [400, {}],
    [403, { failureHandler }],
  ] as const) {
    await using built = await made({ registrations: ['one'], ...config })
    const callback = auditedExchange('GET', 'https://app.example/oidc/callback?state=x&code=y')
    assert.equal((await built.object(callback, async () => assert.fail('passed on'))).status, expected)
    assert.deepEqual(callback.audit?.decision, {
      result: 'DENIED',
      by: 'gateway+object',
      reason: 'login failed',
    })
  }
})

test('OAuth2ClientFilter is an alias, and loading calls no server', () => {
  assert.deepEqual(AuthorizationCodeOAuth2ClientFilter.aliases, ['OAuth2ClientFilter'])
})

for (const [name, config, message] of [
  ['no registration and no loginHandler', { registrations: [] }, /expected a ClientRegistration, or a loginHandler/],
  ['two without loginHandler', { registrations: ['one', 'two'] }, /loginHandler.*2 registrations to choose from/],
  [
    'one twice',
    { registrations: ['one', 'one'], loginHandler: { type: 'StaticResponseHandler', config: { status: 200 } } },
    /each client of an issuer once/,
  ],
  ['an unknown prompt', { registrations: ['one'], prompt: 'always' }, /prompt/],
  ['an invalid target', { registrations: ['one'], target: 'openid' }, /target/],
] as const) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(
      made(config as unknown as Record<string, JsonValue>),
      (error: Error & { problems?: object[] }) => {
        assert.match(JSON.stringify(error.problems), message)
        return true
      },
    )
  })
}

test('without a registration loginHandler gets every request without a login, with a warning', async () => {
  const loginHandler = { type: 'StaticResponseHandler', config: { status: 401 } }
  await using built = await made({ registrations: [], loginHandler })
  assert.match(built.warnings.join(), /config\/registrations: no user can log in, .* name them in registrations/)
  const send = (method: string, path: string) =>
    built.object(exchangeFor(method, `https://app.example${path}`), async () => assert.fail('passed on'))
  assert.equal((await send('GET', '/page')).status, 401)
  for (const path of [
    '/oidc/login?registration=x',
    '/oidc/login?discovery=a@b.example',
    '/oidc/callback?state=x&code=y',
  ])
    assert.equal((await send('GET', path)).status, 400, path)
  assert.equal((await send('POST', '/oidc/backchannel-logout')).status, 400)
  await using optional = await made({ registrations: [], loginHandler, requireLogin: false })
  const response = await optional.object(exchangeFor('GET', 'https://app.example/page'), async () => new Response(204))
  assert.equal(response.status, 204)
})

test('fields for dynamic registration give a warning', async () => {
  await using built = await made({ registrations: ['one'], metadata: { client_name: 'x' } })
  assert.match(built.warnings.join(), /metadata.*registered by hand/)
})
