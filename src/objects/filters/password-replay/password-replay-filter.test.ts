import assert from 'node:assert/strict'
import { createCipheriv } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { FilterKind } from '#contracts'
import { Body, type Exchange, type Filter, Headers, Response, respond } from '#http'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { AssignmentFilter } from '../assignment/assignment-filter.ts'
import { PasswordReplayFilter } from './password-replay-filter.ts'

const KEY = Buffer.alloc(16, 3)
const Secrets = secretsType({ 'header.key': KEY.toString('base64'), short: 'abc' })

/** Credentials that a lookup has found. */
const Found = defineType({
  name: 'FoundCredentials',
  kind: FilterKind,
  summary: 'Credentials of a test.',
  config: {},
  create: (): Filter => async (exchange, next) => {
    exchange.attributes['user'] = { name: 'demo', password: 'p&ss' }
    return next(exchange)
  },
})

const LOGIN_REQUEST = {
  method: 'POST',
  uri: 'http://app.example/login',
  form: {
    username: ['${attributes.user.name}'],
    password: ['${attributes.user.password}'],
    nonce: ['${attributes.extracted.nonce}'],
  },
}
const LOGIN_PAGE = '<html><form action="/login">\n<input name="nonce" value="n-1"><p>Please log in</p></form></html>'

async function withFilter(config: Record<string, JsonValue>) {
  const built = await build<Filter>(
    PasswordReplayFilter,
    { credentials: { type: 'FoundCredentials' }, request: LOGIN_REQUEST, ...config },
    { types: [Found, Secrets, AssignmentFilter] },
  )
  return {
    built,
    async send(
      path: string,
      app: (exchange: Exchange) => Response,
      headers: Record<string, string> = {},
    ): Promise<{ response: Response; sent: string[] }> {
      const sent: string[] = []
      const exchange = exchangeFor('GET', `http://app.example${path}`, { headers })
      const response = await built.object(exchange, async (inside) => {
        const { method, uri, body } = inside.request
        sent.push([method, uri.path, Buffer.from(await body.read(1_000)).toString()].join(' ').trim())
        return method === 'POST' ? respond(302, { Location: '/home' }) : app(inside)
      })
      return { response, sent }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const page = (
  body: string | Uint8Array,
  headers: Record<string, string> = { 'Content-Type': 'text/html' },
  status = 200,
) => new Response(status, { headers: new Headers(Object.entries(headers)), body: Body.of(body) })

test('loginPage: the login request is sent in place of the request; others are passed on', async () => {
  await using filter = await withFilter({ loginPage: "${request.uri.path == '/login'}" })
  const login = await filter.send('/login', () => page(LOGIN_PAGE))
  assert.deepEqual(login.sent, ['POST /login username=demo&password=p%26ss'])
  assert.equal(login.response.headers.get('location'), '/home')
  const other = await filter.send('/news', () => page('news'))
  assert.deepEqual([other.sent, other.response.status], [['GET /news'], 200])
})

test('loginPageExtractions: the page is requested first, and its texts are in attributes.extracted', async () => {
  const extractions = [
    { name: 'nonce', pattern: 'name="nonce" value="([^"]*)"' },
    { name: 'missing', pattern: 'other="(.*?)"' },
  ]
  await using filter = await withFilter({
    loginPage: "${request.uri.path == '/login'}",
    loginPageExtractions: extractions,
  })
  const { sent, response } = await filter.send('/login', () => page(LOGIN_PAGE))
  assert.deepEqual(sent, ['GET /login', 'POST /login username=demo&password=p%26ss&nonce=n-1'])
  assert.equal(response.status, 302)
})

test('loginPageContentMarker: a response that is the login page is replaced by that of the login request', async () => {
  await using filter = await withFilter({
    loginPageContentMarker: 'Please log in',
    loginPageExtractions: [{ name: 'nonce', pattern: 'value="(.*?)"' }],
  })
  const login = await filter.send('/any', () => page(LOGIN_PAGE, { 'Content-Type': 'text/html; charset=utf-8' }))
  assert.deepEqual(login.sent, ['GET /any', 'POST /login username=demo&password=p%26ss&nonce=n-1'])
  const packed = await filter.send('/any', () =>
    page(gzipSync(LOGIN_PAGE), { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' }),
  )
  assert.equal(packed.sent.length, 2)
  const other = await filter.send('/any', () => page('<html>Welcome</html>'))
  assert.deepEqual(
    [other.sent, Buffer.from(other.response.body.bytes()).toString()],
    [['GET /any'], '<html>Welcome</html>'],
  )
})

test('both: a request for the login page, or a response that is it', async () => {
  await using filter = await withFilter({
    loginPage: "${request.uri.path == '/login'}",
    loginPageContentMarker: 'Please log in',
  })
  assert.deepEqual((await filter.send('/login', () => page('x'))).sent.length, 1)
  assert.deepEqual((await filter.send('/expired', () => page(LOGIN_PAGE))).sent.length, 2)
})

test('a response of another type, too large or undecodable is passed on without a search', async () => {
  await using filter = await withFilter({ loginPageContentMarker: 'Please log in' })
  const large = Buffer.concat([Buffer.alloc(2_000_000, 'x'), Buffer.from(LOGIN_PAGE)])
  for (const response of [
    page(LOGIN_PAGE, { 'Content-Type': 'text/event-stream' }),
    page(LOGIN_PAGE, { 'Content-Type': 'application/json' }),
    page(LOGIN_PAGE, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' }),
  ])
    assert.deepEqual((await filter.send('/x', () => response)).sent, ['GET /x'])
  const streamed = await filter.send('/x', () => page(large))
  assert.equal(streamed.response.status, 200)
})

test('a page that is too long for a pattern is passed on with a warning; a literal marker is found in it', async () => {
  const long = `${'<p>a paragraph of text</p>\n'.repeat(15_000)}${LOGIN_PAGE}`
  await using slow = await withFilter({ loginPageContentMarker: 'Please(?=\\s+log\\s+in)' })
  for (let at = 0; at < 2; at++) {
    const { sent, response } = await slow.send('/x', () => page(long))
    assert.deepEqual([sent, response.status, Buffer.from(response.body.bytes()).toString()], [['GET /x'], 200, long])
  }
  const warnings = slow.built.log.lines.filter((line) => line.includes('"code":"GW_FILTER_PAGE_NOT_SEARCHED"'))
  assert.equal(warnings.length, 1)
  await using literal = await withFilter({ loginPageContentMarker: 'Please log in' })
  assert.equal((await literal.send('/x', () => page(long))).sent.length, 2)
})

test('a failed login is not repeated', async () => {
  await using filter = await withFilter({ loginPageContentMarker: 'Please log in' })
  const sent: string[] = []
  const response = await filter.built.object(exchangeFor('GET', 'http://app.example/'), async ({ request }) => {
    sent.push(request.method)
    return page(LOGIN_PAGE)
  })
  assert.deepEqual([sent, response.status], [['GET', 'POST'], 200])
})

test('headerDecryption decrypts header fields for the login request, and removes those that it can not decrypt', async () => {
  const encrypt = (text: string) => {
    const cipher = createCipheriv('aes-128-ecb', KEY, null)
    return Buffer.concat([cipher.update(text), cipher.final()]).toString('base64')
  }
  const config = {
    loginPage: '${true}',
    credentials: null,
    headerDecryption: {
      keySecretId: 'header.key',
      secretsProvider: { type: Secrets.name },
      headers: ['Password', 'User'],
    },
    request: {
      method: 'POST',
      uri: 'http://app.example/login',
      form: { u: ["${request.headers['user'][0]}"], p: ["${request.headers['password'][0]}"] },
    },
  }
  await using filter = await withFilter(config as never)
  const headers = { User: encrypt('demo'), Password: encrypt('pässword') }
  assert.deepEqual((await filter.send('/', () => page(''), headers)).sent, ['POST /login u=demo&p=p%C3%A4ssword'])
  const wrong = await filter.send('/', () => page(''), { User: encrypt('demo'), Password: 'bm9uc2Vuc2U=' })
  assert.deepEqual(wrong.sent, ['POST /login u=demo'])
})

test('headerDecryption: the older field key, and DES', async () => {
  const des = Buffer.from('0123456789ABCDEF', 'hex')
  const cipher = createCipheriv('des-ede3', Buffer.concat([des, des, des]), null).setAutoPadding(false)
  const password = Buffer.concat([cipher.update(Buffer.from('secret\0\0')), cipher.final()]).toString('base64')
  const { SecretsProvider } = await import('../../stores/secrets-provider/secrets-provider.ts')
  const { Base64EncodedSecretStore } = await import('../../stores/base64-encoded/base64-encoded-secret-store.ts')
  await using built = await build<Filter>(
    PasswordReplayFilter,
    {
      loginPage: '${true}',
      headerDecryption: {
        algorithm: 'DES/ECB/NoPadding',
        keyType: 'DES',
        key: des.toString('base64'),
        charSet: 'utf-8',
        headers: ['password'],
      },
      request: { method: 'POST', uri: 'http://app.example/', entity: "${request.headers['password'][0]}" },
    },
    { types: [SecretsProvider, Base64EncodedSecretStore] },
  )
  let sent = ''
  await built.object(
    exchangeFor('GET', 'http://app.example/', { headers: { Password: password } }),
    async ({ request }) => {
      sent = Buffer.from(await request.body.read(100)).toString()
      return respond(200)
    },
  )
  assert.equal(sent, 'secret')
  assert.ok(!built.warnings.join().includes(des.toString('base64')))
  assert.match(built.warnings.join('\n'), /\/headerDecryption\/algorithm: DES is not secure: its key can be found/)
})

for (const [name, config, message] of [
  ['neither loginPage nor loginPageContentMarker', {}, /loginPage/],
  ['no request', { loginPage: '${true}', request: null }, /request/],
  [
    'a request to no server',
    { loginPage: '${true}', request: { method: 'POST', uri: '/login' } },
    /request\/uri.*absolute/,
  ],
  [
    'an extraction without group',
    { loginPage: '${true}', loginPageExtractions: [{ name: 'a', pattern: 'x' }] },
    /loginPageExtractions\/0\/pattern.*expected a group/,
  ],
  [
    'a key of another cipher',
    { loginPage: '${true}', headerDecryption: { keyType: 'DES', keySecretId: 'short' } },
    /headerDecryption\/keyType/,
  ],
  [
    'an unknown charset',
    { loginPage: '${true}', headerDecryption: { charset: 'latin-17', keySecretId: 'short' } },
    /headerDecryption\/charset/,
  ],
] as const) {
  test(`refused: ${name}`, async () => {
    const attempt = withFilter(config as unknown as Record<string, JsonValue>)
    await assert.rejects(attempt, (error: Error & { problems?: object[] }) => {
      assert.match(JSON.stringify(error.problems), message)
      return true
    })
  })
}
