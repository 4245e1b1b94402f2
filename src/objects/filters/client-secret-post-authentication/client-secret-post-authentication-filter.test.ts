import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Body, type Filter, respond } from '#http'
import { build } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { ClientSecretPostAuthenticationFilter } from './client-secret-post-authentication-filter.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }

const built = (secrets: Record<string, string> = { 'client.secret': 'a b&c=ü' }) =>
  build<Filter>(
    ClientSecretPostAuthenticationFilter,
    { clientId: 'gate way', clientSecretId: 'client.secret', secretsProvider: { type: 'TestSecrets' } },
    { types: [secretsType(secrets)] },
  )

/** Sends content through the filter and returns the content that the next handler gets. */
async function sent(body: Body | string | undefined, headers: Record<string, string> = FORM) {
  await using filter = await built()
  const parts = body === undefined ? { headers } : { headers, body }
  const exchange = exchangeFor('POST', 'http://as.example/token', parts)
  let seen = { text: '', type: '', names: [] as string[] }
  await filter.object(exchange, async ({ request }) => {
    const text = Buffer.from(await request.body.read(100_000)).toString('latin1')
    const type = request.headers.all('content-type').join()
    seen = { text, type, names: request.headers.names().map((name) => name.toLowerCase()) }
    return respond(200)
  })
  return { ...seen, exchange }
}

const ADDED = 'client_id=gate+way&client_secret=a+b%26c%3D%C3%BC'

test('id and secret are added to the form; the bytes of other fields are unchanged', async () => {
  const { text, type, exchange } = await sent('grant_type=x&code=%ff%7e&empty=&bare&&a=1&a=2')
  assert.equal(text, `grant_type=x&code=%ff%7e&empty=&bare&a=1&a=2&${ADDED}`)
  assert.equal(type, FORM['content-type'])
  assert.equal(exchange.request.body.text(), 'grant_type=x&code=%ff%7e&empty=&bare&&a=1&a=2')
})

test('existing values are replaced, in any encoding of their names', async () => {
  const { text } = await sent('client_id=evil&grant_type=x&client%5Fsecret=y&client_secret=z&client_id')
  assert.equal(text, `grant_type=x&${ADDED}`)
})

test('streamed content is buffered first', async () => {
  const stream = Readable.from([Buffer.from('grant_'), Buffer.from('type=x')])
  const { text, names } = await sent(Body.fromStream(stream), { ...FORM, 'transfer-encoding': 'chunked' })
  assert.equal(text, `grant_type=x&${ADDED}`)
  assert.ok(!names.includes('transfer-encoding') && !names.includes('content-length'))
})

test('a request without content becomes a form', async () => {
  const { text, type } = await sent(undefined, {})
  assert.equal(text, ADDED)
  assert.equal(type, 'application/x-www-form-urlencoded')
})

test('other client authentication is removed', async () => {
  const { names } = await sent('a=1', { ...FORM, authorization: 'Basic eDp5' })
  assert.ok(!names.includes('authorization'))
})

for (const [what, headers, message] of [
  [
    'JSON',
    { 'content-type': 'application/json' },
    'expected content of the type application/x-www-form-urlencoded, got "application/json"',
  ],
  ['content without a type', {}, 'expected content of the type application/x-www-form-urlencoded, got none'],
  ['a compressed form', { ...FORM, 'content-encoding': 'gzip' }, 'expected a form without a content coding'],
] as const) {
  test(`${what} is a fault`, async () => {
    await assert.rejects(sent('{}', headers), { message: `client authentication: ${message}` })
  })
}

test('nothing is sent without the secret', async () => {
  await using filter = await built({})
  const next = () => assert.fail('a request went out')
  await assert.rejects(filter.object(exchangeFor('POST', 'http://as.example/token'), next), {
    message: 'no secret store knows the secret id "client.secret"',
  })
})

test('every field is required', async () => {
  await assert.rejects(build(ClientSecretPostAuthenticationFilter, {}), (error: Error) => {
    for (const field of ['clientId', 'clientSecretId', 'secretsProvider']) {
      assert.match(error.message, new RegExp(`/heap/0/config/${field}: .*this field is required`))
    }
    return true
  })
})
