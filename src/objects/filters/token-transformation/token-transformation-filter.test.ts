import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StsContext } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import { type Exchange, type Filter, respond } from '#http'
import type { JsonObject } from '#json'
import { accessManagerOptions } from '#test/am-service'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { groovyValue } from '#test/groovy-script'
import { SecretsProvider } from '../../stores/secrets-provider/secrets-provider.ts'
import { TokenTransformationFilter } from './token-transformation-filter.ts'
import { stsUri } from './translate-token.ts'

const encoded = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
const TOKEN = `${encoded({ alg: 'HS256' })}.${encoded({ sub: 'demo' })}.c2lnbmF0dXJl`

async function withFilter(manager: DevelopmentAccessManager, config: JsonObject = {}) {
  const { types, heap } = accessManagerOptions(manager.url, { notifications: { enabled: false } })
  const given = { amService: 'am', idToken: '${attributes.token}', instance: 'oidc-to-saml', ...config }
  const built = await build<Filter>(TokenTransformationFilter, given, { types: [...types, SecretsProvider], heap })
  return {
    built,
    async send(token: string | null) {
      const exchange = exchangeFor('GET', 'http://app.example/')
      if (token !== null) exchange.attributes['token'] = token
      let passed: Exchange | null = null
      const response = await built.object(exchange, async (inside) => {
        passed = inside
        return respond(200)
      })
      return { status: response.status, response, passed: passed as Exchange | null }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

for (const family of ['pingam', 'openam'] as const) {
  test(`the issued token is in contexts.sts (${family})`, async () => {
    await using manager = await DevelopmentAccessManager.start({ family })
    await using filter = await withFilter(manager)
    const { status, passed } = await filter.send(TOKEN)
    assert.equal(status, 200)
    assert.match(passed?.context(StsContext)?.issuedToken ?? '', /^<saml:Assertion .*demo/)
    assert.match(String(await groovyValue('contexts.sts.issuedToken', { exchange: passed as Exchange })), /demo/)
    assert.match(manager.requests('rest-sts')[0]?.target ?? '', /\/rest-sts\/oidc-to-saml\?_action=translate$/)
  })
}

test('the issued token is also assigned to target', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager, { target: '${attributes.saml_assertions}' })
  assert.deepEqual(filter.built.warnings, [])
  const { passed } = await filter.send(TOKEN)
  assert.equal(passed?.attributes['saml_assertions'], passed?.context(StsContext)?.issuedToken)
  await assert.rejects(withFilter(manager, { target: 'plain' }), /target: expected a place to assign to/)
})

test('a request without ID token, or with one that the service refuses, gets 403', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager)
  for (const token of [null, '', 'nonsense', 'a.b.c']) {
    const { status, passed } = await filter.send(token)
    assert.deepEqual([status, passed], [403, null], String(token))
  }
  assert.ok(!filter.built.log.lines.join().includes('nonsense'))
})

test('an unknown instance gives 500, a failing service 503', async () => {
  const manager = await DevelopmentAccessManager.start()
  await using unknown = await withFilter(manager, { instance: 'other' })
  assert.equal((await unknown.send(TOKEN)).status, 500)
  assert.match(unknown.built.log.lines.join(), /does not know the STS instance/)
  await using filter = await withFilter(manager)
  for (const fault of [{ status: 500 }, { status: 200, body: '{}' }, { status: 200, body: '{"issued_token":1}' }]) {
    manager.fail('rest-sts', fault)
    const { status, response, passed } = await filter.send(TOKEN)
    assert.deepEqual([status, response.headers.get('retry-after'), passed], [503, '5', null])
  }
  await manager.close()
  assert.equal((await filter.send(TOKEN)).status, 503)
})

test('the URI has the realm and the instance, each segment encoded', () => {
  const am = { url: 'https://am.example/am', realm: '/' }
  assert.equal(stsUri(am, 'a b'), 'https://am.example/am/rest-sts/a%20b?_action=translate')
  assert.equal(stsUri({ ...am, realm: '/x/y' }, 'i'), 'https://am.example/am/rest-sts/x/y/i?_action=translate')
})

test('older fields: the address and account of the access manager on the filter', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const older = {
    openamUri: manager.url,
    realm: '/',
    username: 'ig_agent',
    password: 'password',
    from: 'OPENIDCONNECT',
    to: 'SAML2',
  }
  await using filter = await withFilter(manager, { amService: undefined as never, ...older })
  assert.match(filter.built.warnings.join(), /openamUri.*use an AmService/)
  assert.equal((await filter.send(TOKEN)).status, 200)
})

for (const [name, config, message] of [
  ['no amService', { amService: null }, /amService/],
  ['no instance', { instance: '' }, /instance/],
  ['no token', { idToken: null }, /idToken/],
] as const) {
  test(`refused: ${name}`, async () => {
    await using manager = await DevelopmentAccessManager.start()
    await assert.rejects(
      withFilter(manager, config as unknown as JsonObject),
      (error: Error & { problems?: object[] }) => {
        assert.match(JSON.stringify(error.problems), message)
        return true
      },
    )
  })
}
