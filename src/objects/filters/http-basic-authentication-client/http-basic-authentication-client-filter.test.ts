import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { SecretError } from '#contracts'
import { type Filter, respond } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { type ChangingSecrets, secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { HttpBasicAuthenticationClientFilter } from './http-basic-authentication-client-filter.ts'

const SECRETS: ChangingSecrets = {
  plain: 'open sesame',
  odd: 'a:b&c +ü%',
  lines: 'two\nlines',
  key: generateKeyPairSync('ed25519').privateKey,
  broken: new Error('the store is broken'),
}

const built = (config: Record<string, JsonValue>, secrets = SECRETS) =>
  build<Filter>(
    HttpBasicAuthenticationClientFilter,
    { username: 'gateway', passwordSecretId: 'plain', secretsProvider: { type: 'TestSecrets' }, ...config },
    { types: [secretsType(secrets)] },
  )

/** The values of Authorization after the filter, decoded where they are Basic. */
async function sent(filter: Filter, headers: Record<string, string> = {}): Promise<string[]> {
  const seen: string[] = []
  const exchange = exchangeFor('POST', 'http://app.example/', { headers })
  const response = await filter(exchange, async ({ request }) => {
    seen.push(...request.headers.all('authorization'))
    return respond(200)
  })
  assert.equal(response.status, 200)
  assert.deepEqual(
    exchange.request.headers.all('authorization'),
    'authorization' in headers ? [headers['authorization']] : [],
  )
  return seen.map((field) => field.replace(/^Basic (\S+)$/, (_, code) => Buffer.from(code, 'base64').toString()))
}

test('name and password are sent as Basic credentials in UTF-8', async () => {
  await using filter = await built({})
  assert.deepEqual(await sent(filter.object), ['gateway:open sesame'])
  await using odd = await built({ username: 'jürgen', passwordSecretId: 'odd' })
  assert.deepEqual(await sent(odd.object), ['jürgen:a:b&c +ü%'])
})

test('an existing Authorization is replaced for later filters, and unchanged for earlier ones', async () => {
  await using filter = await built({})
  assert.deepEqual(await sent(filter.object, { authorization: 'Bearer of-the-user' }), ['gateway:open sesame'])
})

test('urlEncodeCredentials encodes both parts as form fields', async () => {
  await using filter = await built({ username: 'a:b c', passwordSecretId: 'odd', urlEncodeCredentials: true })
  assert.deepEqual(await sent(filter.object), ['a%3Ab+c:a%3Ab%26c+%2B%C3%BC%25'])
})

test('a changed password is used at once', async () => {
  const secrets = { plain: 'first' }
  await using filter = await built({}, secrets)
  assert.deepEqual(await sent(filter.object), ['gateway:first'])
  secrets.plain = 'second'
  assert.deepEqual(await sent(filter.object), ['gateway:second'])
})

for (const [secretId, message] of [
  ['absent', /no secret store knows the secret id "absent"/],
  ['broken', /the store is broken/],
  ['key', /it is a key, not a password/],
] as const) {
  test(`without a password (${secretId}) nothing is sent`, async () => {
    await using filter = await built({ passwordSecretId: secretId })
    const next = () => assert.fail('a request went out')
    await assert.rejects(filter.object(exchangeFor('GET', 'http://app.example/'), next), (error: Error) => {
      assert.ok(error instanceof SecretError)
      assert.match(error.message, message)
      return true
    })
  })
}

test('a password with a line break is rejected without revealing it', async () => {
  await using filter = await built({ passwordSecretId: 'lines' })
  const next = () => assert.fail('a request went out')
  await assert.rejects(filter.object(exchangeFor('GET', 'http://app.example/'), next), {
    message: 'the secret id "lines": a password of Basic credentials has no control characters',
  })
})

for (const [what, config, message] of [
  [
    'a colon in the name',
    { username: 'a:b' },
    '/username: expected a name without ":", which ends the name in Basic credentials',
  ],
  ['a line break in the name', { username: 'a\nb' }, '/username: expected a name without control characters'],
  ['an empty name', { username: '' }, '/username: expected a string that is not empty'],
] as const) {
  test(`${what} is refused at load`, async () => {
    await assert.rejects(built(config), { message: `/heap/0/config${message}` })
  })
}

test('every field but urlEncodeCredentials is required', async () => {
  await assert.rejects(build(HttpBasicAuthenticationClientFilter, {}), (error: Error) => {
    for (const field of ['username', 'passwordSecretId', 'secretsProvider']) {
      assert.match(error.message, new RegExp(`/heap/0/config/${field}: .*this field is required`))
    }
    return true
  })
})
