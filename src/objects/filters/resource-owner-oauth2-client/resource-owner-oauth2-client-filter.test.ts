// Caching and sending of tokens is tested with ClientCredentialsOAuth2ClientFilter, which shares the code.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, type Response, respond } from '#http'
import type { JsonValue } from '#json'
import { build, manualClock } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { type TokenResponse, tokenEndpoint } from '#test/token-endpoint'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { ResourceOwnerOAuth2ClientFilter } from './resource-owner-oauth2-client-filter.ts'

const Secrets = secretsType({ 'owner.password': 'pä&ss' })
const issued = (token: string): TokenResponse => ({
  json: { access_token: token, token_type: 'Bearer', expires_in: 3600 },
})

const made = (config: Record<string, JsonValue>) =>
  build<Filter>(
    ResourceOwnerOAuth2ClientFilter,
    {
      tokenEndpoint: 'https://as.example/token',
      endpointHandler: { type: 'ClientHandler' },
      username: 'reader',
      passwordSecretId: 'owner.password',
      secretsProvider: { type: Secrets.name },
      ...config,
    },
    { types: [ClientHandler, Secrets], clock: manualClock() },
  )

async function started(reply: (count: number) => TokenResponse, config: Record<string, JsonValue> = {}) {
  const endpoint = await tokenEndpoint((_, count) => reply(count))
  const built = await made({ tokenEndpoint: endpoint.url, ...config })
  const seen: (string | null)[] = []
  const send = (answer: (token: string | null) => Response = () => respond(200)) =>
    built.object(
      exchangeFor('GET', 'http://app.example/x', { headers: { Authorization: 'Bearer stolen' } }),
      async (each) => {
        const token = each.request.headers.get('authorization')
        seen.push(token)
        return answer(token)
      },
    )
  const dispose = async () => {
    await built[Symbol.asyncDispose]()
    await endpoint[Symbol.asyncDispose]()
  }
  return { endpoint, built, seen, send, [Symbol.asyncDispose]: dispose }
}

test('a token is requested once with user name and password, and replaces the Authorization of the client', async () => {
  await using gate = await started(() => issued('t1'), { scopes: ['read', 'write'] })
  assert.equal((await gate.send()).status, 200)
  await gate.send()
  assert.deepEqual(gate.seen, ['Bearer t1', 'Bearer t1'])
  assert.equal(gate.endpoint.requests.length, 1)
  assert.deepEqual(Object.fromEntries(gate.endpoint.requests[0]!.form), {
    grant_type: 'password',
    username: 'reader',
    password: 'pä&ss',
    scope: 'read write',
  })
})

test('a token that the service rejects is replaced, and the request sent again', async () => {
  await using gate = await started((count) => issued(`t${count}`))
  const response = await gate.send((token) => respond(token === 'Bearer t2' ? 200 : 401))
  assert.equal(response.status, 200)
  assert.deepEqual(gate.seen, ['Bearer t1', 'Bearer t2'])
})

test('a rejected password gives 502, an unreadable one 503; neither is logged', async () => {
  await using refused = await started(() => ({ status: 400, json: { error: 'invalid_grant' } }))
  assert.equal((await refused.send()).status, 502)
  assert.match(refused.built.log.lines.join(), /invalid_grant/)
  await using unreadable = await started(() => issued('t1'), { passwordSecretId: 'other' })
  assert.equal((await unreadable.send()).status, 503)
  assert.match(unreadable.built.log.lines.join(), /the password can not be read/)
  for (const { seen, built } of [refused, unreadable]) {
    assert.deepEqual(seen, [])
    assert.doesNotMatch(built.log.lines.join(), /ä&ss/)
  }
})

for (const [name, config, message] of [
  ['no password', { passwordSecretId: null }, /passwordSecretId/],
  ['no name', { username: '' }, /username/],
  ['a scope with a space', { scopes: ['a b'] }, /scopes.0.*expected one scope/],
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
