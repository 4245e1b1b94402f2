import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, type Exchange, type Filter, Headers, Response } from '#http'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { auditedExchange } from '#test/exchange'
import { type TokenResponse, tokenEndpoint } from '#test/token-endpoint'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { PingAuthorizeFilter } from './ping-authorize-filter.ts'

const Secrets = secretsType({ credential: 'sideband-credential' })
type Json = Record<string, unknown>

async function withApi(
  reply: (path: string, body: Json) => TokenResponse = (_, body) => ({ json: body }),
  config: JsonObject = {},
) {
  const calls: { path: string; body: Json; credential: unknown }[] = []
  const server = await tokenEndpoint(({ path, text, headers }) => {
    const body = JSON.parse(Buffer.from(text, 'latin1').toString()) as Json
    calls.push({ path, body, credential: headers['client-token'] ?? headers['x-secret'] })
    return reply(path, body)
  })
  const given = {
    gatewayServiceUri: new URL('/base/', server.url).href,
    secretsProvider: { type: Secrets.name },
    gatewayCredentialSecretId: 'credential',
    sidebandHandler: { type: 'ClientHandler' },
    ...config,
  }
  const options = { types: [ClientHandler, Secrets] }
  const built = await build<Filter>(PingAuthorizeFilter, given as JsonObject, options).catch(async (error) => {
    await server[Symbol.asyncDispose]()
    throw error
  })
  return {
    built,
    calls,
    async send(body?: string, upstream = '{"a":1}', type = 'application/json') {
      const headers = { 'Content-Type': type, 'X-A': '1' }
      const exchange = auditedExchange('POST', 'http://app.example/x?y=1', {
        headers,
        ...(body !== undefined && { body }),
      })
      let received: { method: string; uri: string; headers: string; body: string } | null = null
      const response = await built.object(exchange, async ({ request }: Exchange) => {
        received = {
          method: request.method,
          uri: request.uri.toString(),
          headers: [...request.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
          body: Buffer.from(await request.body.read(10_000)).toString(),
        }
        const headers = new Headers([['Content-Type', type]])
        return new Response(200, { headers, body: Body.of(upstream), isReceived: true })
      })
      type Received = { method: string; uri: string; headers: string; body: string }
      const content = Buffer.from(await response.body.read(10_000)).toString()
      const decision = exchange.audit?.decision ?? null
      return { status: response.status, response, content, received: received as Received | null, decision }
    },
    async [Symbol.asyncDispose]() {
      await built[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('request and response are sent to the API, with the credential; unchanged answers pass them on', async () => {
  await using api = await withApi()
  const { status, content, received } = await api.send('{"q":1}')
  assert.deepEqual(
    [status, content, received?.uri, received?.body],
    [200, '{"a":1}', 'http://app.example/x?y=1', '{"q":1}'],
  )
  const [first, second] = api.calls
  assert.deepEqual([first?.path, first?.credential], ['/base/sideband/request', 'sideband-credential'])
  const { source_ip, source_port, method, url, http_version, body } = first?.body ?? {}
  assert.deepEqual(
    [source_ip, source_port, method, url, http_version, body],
    ['127.0.0.1', '50000', 'POST', 'http://app.example/x?y=1', '1.1', undefined],
  )
  assert.equal(second?.path, '/base/sideband/response')
  assert.deepEqual([second?.body['response_code'], second?.body['response_status']], ['200', 'OK'])
  assert.deepEqual(second?.body['request'], first?.body)
})

test('a response in the answer refuses the request', async () => {
  const response = {
    response_code: '403',
    response_status: 'FORBIDDEN',
    headers: [{ 'Content-Type': 'application/json' }, { 'X-Why': 'policy' }],
    body: '{"why":"policy"}',
  }
  await using api = await withApi((_, body) => ({ json: { ...body, response } }))
  const { status, content, response: refused, received } = await api.send()
  assert.deepEqual([status, content, refused.headers.get('x-why'), received], [403, '{"why":"policy"}', 'policy', null])
})

test('the API changes method, path, query, header fields and content of the request; never its server', async () => {
  const changed = {
    method: 'PUT',
    url: 'https://evil.example/z?k=2',
    headers: [{ 'X-B': '2' }, { 'Transfer-Encoding': 'chunked' }, { 'Content-Length': '1' }],
    body: 'new',
    state: { s: 1 },
  }
  await using api = await withApi((path, body) => ({ json: path.endsWith('request') ? changed : body }))
  const { received } = await api.send('old')
  assert.deepEqual([received?.method, received?.uri, received?.body], ['PUT', 'http://app.example/z?k=2', 'new'])
  assert.doesNotMatch(received?.headers ?? '', /X-A|Transfer-Encoding/i)
  assert.match(received?.headers ?? '', /X-B: 2/)
  assert.match(received?.headers ?? '', /Content-Length: 3/)
  assert.deepEqual([api.calls[1]?.body['state'], api.calls[1]?.body['request']], [{ s: 1 }, undefined])
})

test('a path that an earlier filter has rewritten stays, unless the API changes it', async () => {
  for (const [url, expected] of [
    ['http://app.example/x%5ey?y=1', 'http://app.example/rewritten%5e'],
    ['http://app.example/z', 'http://app.example/z'],
  ] as const) {
    await using api = await withApi((_, body) => ({ json: { ...body, url } }))
    const exchange = auditedExchange('GET', 'http://app.example/x%5ey?y=1')
    exchange.request.uri.rawPath = '/rewritten%5e'
    exchange.request.uri.rawQuery = null
    let received = ''
    await api.built.object(exchange, async ({ request }) => {
      received = request.uri.toString()
      return new Response(200)
    })
    assert.equal(received, expected)
  }
})

test('an answer with thousands of header fields is invalid, and costs next to no time', async () => {
  const fields = Array.from({ length: 100_000 }, (_, at) => [`x-${at}`, ''] as const)
  for (const headers of [fields.map(([name, value]) => ({ [name]: value })), [Object.fromEntries(fields)]]) {
    for (const lying of ['request', 'response']) {
      await using api = await withApi((path, body) => ({ json: path.endsWith(lying) ? { ...body, headers } : body }))
      const startedAt = process.cpuUsage().user
      assert.equal((await api.send()).status, 502)
      // Parsing takes a tenth of a second; each field compared with the others would take minutes.
      assert.ok(process.cpuUsage().user - startedAt < 10_000_000)
    }
  }
})

test('the API changes status, header fields and content of the response', async () => {
  const changed = { response_code: '201', headers: [{ 'X-C': '3' }], body: '{"a":"masked"}' }
  await using api = await withApi((path, body) => ({ json: path.endsWith('response') ? changed : body }))
  const { status, content, response } = await api.send()
  assert.deepEqual([status, content, response.headers.get('x-c')], [201, '{"a":"masked"}', '3'])
  assert.equal(response.headers.get('content-type'), null)
})

test('a refusal of the response is a decision', async () => {
  const changed = { response_code: '403', headers: [], body: '' }
  await using api = await withApi((path, body) => ({ json: path.endsWith('response') ? changed : body }))
  const { status, decision } = await api.send()
  assert.deepEqual([status, decision?.result, decision?.by], [403, 'DENIED', 'gateway+object'])
})

test('content of the configured types is sent, uncompressed', async () => {
  await using api = await withApi(undefined, { includeBodyContentTypes: ['Application/JSON'] })
  const { received } = await api.send('{"q":"ä"}')
  assert.deepEqual(
    api.calls.map(({ body }) => body['body']),
    ['{"q":"ä"}', '{"a":1}'],
  )
  assert.match(received?.headers ?? '', /Accept-Encoding: identity/)
  await api.send('text', 'text', 'text/plain, application/json; charset=utf-8')
  assert.deepEqual([api.calls.at(-2)?.body['body'], api.calls.at(-1)?.body['body']], ['text', 'text'])
  await api.send('text', 'text', 'text/plain')
  assert.deepEqual(
    api.calls.slice(-2).map(({ body }) => body['body']),
    [undefined, undefined],
  )
})

test('accessToken and sharedSecretHeaderName', async () => {
  await using api = await withApi(undefined, {
    accessToken: "${request.headers['x-a'][0]}",
    sharedSecretHeaderName: 'X-Secret',
  })
  await api.send()
  assert.deepEqual([api.calls[0]?.body['access_token'], api.calls[0]?.credential], ['1', 'sideband-credential'])
})

test('a failing API never lets a request pass: 503, and 502 for invalid answers', async () => {
  const answers: [TokenResponse, number][] = [
    [{ status: 500, json: {} }, 503],
    [{ status: 429, json: {} }, 503],
    [{ status: 401, json: {} }, 502],
    [{ status: 302, json: {}, headers: { location: '/' } }, 502],
    [{ text: 'no JSON' }, 502],
    [{ text: '{"method":"GET","method":"POST","url":"http://app.example/","headers":[]}' }, 502],
    [{ json: [] }, 502],
    [{ json: { headers: 'x' } }, 502],
    [{ json: { headers: [{ 'a b': 'x' }] } }, 502],
    [{ json: { headers: [{ a: 'x\r\nb: c' }] } }, 502],
    [{ json: { method: 'GET x' } }, 502],
    [{ json: { url: 'not a url' } }, 502],
    [{ json: { response: { response_code: '99' } } }, 502],
    [{ json: { url: 'http://app.example/', response: '403' } }, 502],
    [{ json: { url: 'http://app.example/', response: [{ response_code: '403' }] } }, 502],
    [{ json: {} }, 502],
    [{ json: { active: true } }, 502],
  ]
  for (const [answer, expected] of answers) {
    await using api = await withApi(() => answer)
    const { status, received } = await api.send()
    assert.deepEqual([status, received], [expected, null], JSON.stringify(answer))
    assert.ok(!api.built.log.lines.join().includes('sideband-credential'))
  }
  await using late = await withApi((path, body) =>
    path.endsWith('request') ? { json: body } : { status: 500, json: {} },
  )
  const { status, content } = await late.send()
  assert.deepEqual([status, content], [503, ''])
})

test('the older field includeBody', async () => {
  await using api = await withApi(undefined, { includeBody: true })
  await api.send('{"q":1}')
  assert.equal(api.calls[0]?.body['body'], '{"q":1}')
  assert.match(api.built.warnings.join(), /includeBodyContentTypes/)
})

for (const [name, config, message] of [
  ['no URL', { gatewayServiceUri: null }, /gatewayServiceUri/],
  ['no credential', { gatewayCredentialSecretId: null }, /gatewayCredentialSecretId/],
  ['an invalid header name', { sharedSecretHeaderName: 'a b' }, /sharedSecretHeaderName/],
  ['an invalid media type', { includeBodyContentTypes: ['json'] }, /includeBodyContentTypes\/0/],
] as const) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(
      withApi(undefined, config as unknown as JsonObject),
      (error: Error & { problems?: object[] }) => {
        assert.match(JSON.stringify(error.problems), message)
        return true
      },
    )
  })
}
