import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, type Exchange, type Filter, type Handler, type Request, respond } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticRequestFilter } from './static-request-filter.ts'

const incoming = () =>
  exchangeFor('PUT', 'http://gateway.test/in?q=1', {
    headers: { Host: 'gateway.test', Cookie: 'a=b', 'X-Name': 'J & Co' },
  })

/** The request that the next handler gets. */
async function sent(config: JsonObject, exchange: Exchange = incoming()): Promise<Request> {
  await using built = await build<Filter>(StaticRequestFilter, {
    method: 'GET',
    uri: 'http://app.test/login',
    ...config,
  })
  let seen: Request | null = null
  const next: Handler = async ({ request }) => {
    seen = request
    return respond(200)
  }
  assert.equal((await built.object(exchange, next)).status, 200)
  assert.ok(seen !== null)
  return seen
}

const shape = ({ method, uri, headers, body }: Request) => [method, uri.toString(), headers.raw(), body.text()]

test('no part of the original request is passed on', async () => {
  assert.deepEqual(shape(await sent({})), ['GET', 'http://app.test/login', [], ''])
})

test('uri and headers may be expressions; a null value adds nothing', async () => {
  const request = await sent({
    uri: 'https://app.test:8443${request.uri.path}?a=1#part',
    headers: { 'X-A': ["${request.headers['X-Name'][0]}", "${request.headers['None'][0]}"], 'X-B': 'b' },
  })
  assert.deepEqual(shape(request), ['GET', 'https://app.test:8443/in?a=1', ['X-A', 'J & Co', 'X-B', 'b'], ''])
})

test('a header value that is a list or beyond Latin-1 is left out with a warning', async () => {
  await using built = await build<Filter>(StaticRequestFilter, {
    method: 'GET',
    uri: 'http://app.test/',
    headers: { A: ["${request.headers['Many']}", 'a'], B: "${request.queryParams['u'][0]}" },
  })
  let headers: readonly string[] = []
  await built.object(exchangeFor('GET', 'http://x.test/?u=%C5%81', { headers: { Many: ['1', '2'] } }), async (seen) => {
    headers = seen.request.headers.raw()
    return respond(200)
  })
  assert.deepEqual(headers, ['A', 'a'])
  assert.equal(built.log.entries.filter(({ level }) => level === 'warn').length, 2)
})

test('the form of a POST is its content', async () => {
  const form = { user: ["${request.headers['X-Name'][0]}"], tag: ['a', 'b'], none: ['${attributes.none}'] }
  assert.deepEqual(shape(await sent({ method: 'POST', form })), [
    'POST',
    'http://app.test/login',
    ['Content-Type', 'application/x-www-form-urlencoded'],
    'user=J+%26+Co&tag=a&tag=b',
  ])
})

test('a configured content type is not replaced', async () => {
  const type = 'application/x-www-form-urlencoded; charset=utf-8'
  const request = await sent({ method: 'POST', form: { a: 'é' }, headers: { 'content-type': type } })
  assert.deepEqual(request.headers.raw(), ['content-type', type])
  assert.equal(request.body.text(), 'a=%C3%A9')
})

test('the form of another method is appended to the query', async () => {
  const form = { 'a b': ['1&2+3'] }
  assert.equal((await sent({ form })).uri.toString(), 'http://app.test/login?a%20b=1%262%2B3')
  const uri = 'http://app.test/login?x=%31'
  assert.equal((await sent({ form, uri })).uri.toString(), 'http://app.test/login?x=%31&a%20b=1%262%2B3')
  assert.equal((await sent({ form: { a: '${attributes.none}' } })).uri.toString(), 'http://app.test/login')
  const put = await sent({ method: 'PUT', form, entity: 'content' })
  assert.deepEqual([put.uri.query, put.body.text()], ['a b=1&2+3', 'content'])
})

test('the entity is a text or an array of lines, and may use the original body', async () => {
  assert.equal((await sent({ method: 'POST', entity: 'ä' })).body.text(), 'ä')
  assert.equal((await sent({ method: 'POST', entity: ['a', '${attributes.none}', 'c'] })).body.text(), 'a\n\nc')
  const { body } = watched('old')
  const exchange = exchangeFor('POST', 'http://gateway.test/', { body })
  assert.equal((await sent({ method: 'POST', entity: '<${request.entity.string}>' }, exchange)).body.text(), '<old>')
  assert.equal(exchange.request.body.text(), 'old')
})

test('the original body is cancelled', async () => {
  const { body, state } = watched('old')
  await sent({}, exchangeFor('POST', 'http://gateway.test/', { body }))
  assert.equal(state.cancelled, true)
})

test('earlier filters see the original request, unless restore is false', async () => {
  const kept = incoming()
  await sent({}, kept)
  assert.equal(kept.request.method, 'PUT')
  assert.equal(kept.request.uri.path, '/in')

  const { body, state } = watched('old')
  const changed = exchangeFor('PUT', 'http://gateway.test/in', { body })
  await sent({ method: 'POST', restore: false, entity: 'new' }, changed)
  assert.deepEqual(shape(changed.request), ['POST', 'http://app.test/login', [], 'new'])
  assert.equal(state.cancelled, true)
})

test('the original URI is unchanged', async () => {
  const exchange = incoming()
  await sent({ restore: false }, exchange)
  assert.equal(exchange.originalUri.toString(), 'http://gateway.test/in?q=1')
})

test('a uri that is null or no http URI is a fault, and nothing is sent', async () => {
  const bad: Record<string, RegExp> = {
    '${attributes.none}': /^uri: expected an absolute URI, got null$/,
    '${request.uri.path}': /^uri: expected an absolute http or https URI, got "\/in"$/,
    "ftp://${request.headers['Host'][0]}/": /^uri: expected an absolute http or https URI, got "ftp:/,
    "http://app.test${request.headers['Evil'][0]}": /^uri: expected no user information before the host$/,
    'http://${attributes.none}/': /^uri: expected an absolute http or https URI, got "http:\/\/\/"$/,
  }
  for (const [uri, message] of Object.entries(bad)) {
    const exchange = exchangeFor('GET', 'http://gateway.test/in', { headers: { Evil: '@evil.test/' } })
    await assert.rejects(sent({ uri }, exchange), { name: 'InvalidUriError', message })
  }
})

test('a line break in a header is a fault', async () => {
  const exchange = exchangeFor('GET', 'http://gateway.test/?q=a%0d%0ab')
  const headers = { A: ["${request.queryParams['q'][0]}"] }
  await assert.rejects(sent({ headers }, exchange), { name: 'InvalidHeaderError' })
})

test('the version is accepted without effect', async () => {
  await using built = await build<Filter>(StaticRequestFilter, {
    method: 'GET',
    uri: 'http://app.test',
    version: 'HTTP/1.0',
  })
  assert.deepEqual(built.warnings, [
    '/heap/0/config/version: version has no effect: the version of a request is that of the connection to its server',
  ])
})

const refusals: readonly [string, JsonValue, string][] = [
  ['no method', { uri: 'http://a' }, '/method: expected an HTTP method; this field is required'],
  [
    'a method that is not one',
    { method: 'GET /', uri: 'http://a' },
    '/method: expected an HTTP method such as "POST", got "GET /"',
  ],
  ['no uri', { method: 'GET' }, '/uri: expected an expression (string); this field is required'],
  [
    'a relative uri',
    { method: 'GET', uri: '/login' },
    '/uri: uri: expected an absolute http or https URI, got "/login"',
  ],
  [
    'user information',
    { method: 'GET', uri: 'http://u:p@app.test/' },
    '/uri: uri: expected no user information before the host',
  ],
  [
    'form and entity of a POST',
    { method: 'POST', uri: 'http://a', form: { a: '1' }, entity: 'b' },
    '/entity: give form or entity, not both: the form is the content of a POST',
  ],
  [
    'a bad header',
    { method: 'GET', uri: 'http://a', headers: { 'a b': 'c' } },
    '/headers/a b: header name: expected a token (RFC 9110 section 5.6.2), got "a b"',
  ],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(build(StaticRequestFilter, config), {
      code: 'GW_CONFIG_INVALID',
      message: `/heap/0/config${message}`,
    })
  })
}

/** A body that records whether it was cancelled. */
function watched(text: string): { body: Body; state: { cancelled: boolean } } {
  const state = { cancelled: false }
  const body = Body.fromSource({
    start: (sink) => {
      sink.write(Buffer.from(text))
      sink.end(null)
    },
    resume: () => {},
    cancel: () => {
      state.cancelled = true
    },
  })
  return { body, state }
}
