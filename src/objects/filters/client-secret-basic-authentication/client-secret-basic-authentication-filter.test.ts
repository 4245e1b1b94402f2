import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, respond } from '#http'
import { build } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { ClientSecretBasicAuthenticationFilter } from './client-secret-basic-authentication-filter.ts'

const built = (clientId: string, secrets: Record<string, string>) =>
  build<Filter>(
    ClientSecretBasicAuthenticationFilter,
    { clientId, clientSecretId: 'client.secret', secretsProvider: { type: 'TestSecrets' } },
    { types: [secretsType(secrets)] },
  )

async function credentials(filter: Filter): Promise<string> {
  let field = ''
  await filter(
    exchangeFor('POST', 'http://as.example/token', { headers: { authorization: 'x' } }),
    async ({ request }) => {
      field = request.headers.all('authorization').join()
      return respond(200)
    },
  )
  assert.match(field, /^Basic \S+$/)
  return Buffer.from(field.slice(6), 'base64').toString()
}

test('id and secret are form-urlencoded, then joined', async () => {
  await using plain = await built('gateway', { 'client.secret': 'sesame' })
  assert.equal(await credentials(plain.object), 'gateway:sesame')
  await using odd = await built('https://gateway.example:8443/ä b', { 'client.secret': 'a:b+c%/~*\n' })
  assert.equal(await credentials(odd.object), 'https%3A%2F%2Fgateway.example%3A8443%2F%C3%A4+b:a%3Ab%2Bc%25%2F%7E*%0A')
})

test('a rotated secret is used at once', async () => {
  const secrets = { 'client.secret': 'first' }
  await using filter = await built('gateway', secrets)
  await credentials(filter.object)
  secrets['client.secret'] = 'second'
  assert.equal(await credentials(filter.object), 'gateway:second')
})

test('nothing is sent without the secret', async () => {
  await using filter = await built('gateway', {})
  const next = () => assert.fail('a request went out')
  await assert.rejects(filter.object(exchangeFor('POST', 'http://as.example/token'), next), {
    message: 'no secret store knows the secret id "client.secret"',
  })
})

test('every field is required', async () => {
  await assert.rejects(build(ClientSecretBasicAuthenticationFilter, {}), (error: Error) => {
    for (const field of ['clientId', 'clientSecretId', 'secretsProvider']) {
      assert.match(error.message, new RegExp(`/heap/0/config/${field}: .*this field is required`))
    }
    return true
  })
})
