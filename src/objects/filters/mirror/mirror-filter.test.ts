import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, type Exchange, type Filter, respond } from '#http'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { httpUpstream, silentUpstream } from '#test/upstream'
import { waitUntil } from '#test/waiting'
import { BaseUriDecorator } from '../../decorators/base-uri/base-uri-decorator.ts'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { MirrorFilter } from './mirror-filter.ts'

const mirroring = (baseURI: string, more: JsonObject = {}) =>
  build<Filter>(
    MirrorFilter,
    { handler: { type: 'ClientHandler', baseURI }, ...more },
    { types: [ClientHandler, BaseUriDecorator], heap: [{ name: 'baseURI', type: 'BaseUriDecorator' }] },
  )

const answer = async ({ request }: Exchange) => {
  const text = request.body.isEmpty ? '' : Buffer.from(await request.body.read(1_000)).toString()
  return respond(200, {}, `main ${text}`)
}

/** A server that records the copies. */
async function shadow() {
  const copies: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = []
  const server = await httpUpstream(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    copies.push({ method: request.method!, url: request.url!, headers: request.headers, body })
    response.writeHead(500).end('ignored')
  })
  return Object.assign(server, { copies })
}

test('a copy has method, path and headers without credentials, and its response is ignored', async () => {
  await using other = await shadow()
  await using built = await mirroring(other.url)
  const headers = { Cookie: 'a=b', Authorization: 'Bearer x', 'X-Any': 'y' }
  const response = await built.object(exchangeFor('GET', 'http://shop.example.com/a?b=c', { headers }), answer)
  assert.equal(response.status, 200)
  await waitUntil('a copy', () => other.copies.length === 1)
  const [copy] = other.copies
  assert.deepEqual([copy?.method, copy?.url, copy?.headers['host']], ['GET', '/a?b=c', 'shop.example.com'])
  assert.deepEqual(
    [copy?.headers['cookie'], copy?.headers['authorization'], copy?.headers['x-any']],
    [undefined, undefined, 'y'],
  )
})

test('credentials are copied where the configuration says so', async () => {
  await using other = await shadow()
  await using built = await mirroring(other.url, { forwardCredentials: true })
  await built.object(exchangeFor('GET', 'http://shop.example.com/', { headers: { Cookie: 'a=b' } }), answer)
  await waitUntil('a copy', () => other.copies.length === 1)
  assert.equal(other.copies[0]?.headers['cookie'], 'a=b')
})

test('the response never waits for the copy', async () => {
  await using other = await silentUpstream()
  const handler = { type: 'ClientHandler', baseURI: other.url, config: { soTimeout: '200 ms' } }
  await using built = await mirroring(other.url, { handler })
  assert.equal((await built.object(exchangeFor('GET', 'http://shop.example.com/'), answer)).status, 200)
  await waitUntil('the connection of the copy', () => other.accepted === 1)
})

test('both have the body; longer ones, other methods and other requests are not copied', async () => {
  await using other = await shadow()
  const more = { methods: ['GET', 'POST'], maxBody: 5, when: "${request.uri.path != '/no'}" }
  await using built = await mirroring(other.url, more)
  const post = async (text: string, path = '/', method = 'POST') => {
    const exchange = exchangeFor(method, `http://shop.example.com${path}`)
    exchange.request.body = Body.of(text)
    const response = await built.object(exchange, answer)
    return Buffer.from(await response.body.read(100)).toString()
  }
  assert.equal(await post('hello'), 'main hello')
  assert.equal(await post('too long'), 'main too long')
  assert.equal(await post('x', '/no'), 'main x')
  assert.equal(await post('x', '/', 'PUT'), 'main x')
  assert.equal(await post('last'), 'main last')
  await waitUntil('two copies', () => other.copies.length === 2)
  assert.deepEqual(other.copies.map(({ body }) => body).sort(), ['hello', 'last'])
  assert.equal(built.metrics.values.get('gw_mirror_dropped_total'), 1)
})

test('a share of the requests is copied', async () => {
  await using other = await shadow()
  await using built = await mirroring(other.url, { sample: 0 })
  for (let i = 0; i < 20; i++) await built.object(exchangeFor('GET', 'http://shop.example.com/'), answer)
  assert.equal(built.metrics.values.get('gw_mirror_sent_total') ?? 0, 0)
  await assert.rejects(mirroring(other.url, { sample: 1.5 }), /\/sample: expected/)
})

test('a copy that fails is counted, and has no other effect', async () => {
  const gone = await (async () => {
    await using closed = await shadow()
    return closed.url
  })()
  await using built = await mirroring(gone)
  assert.equal((await built.object(exchangeFor('GET', 'http://shop.example.com/'), answer)).status, 200)
  await waitUntil('a failure', () => built.metrics.values.get('gw_mirror_failed_total') === 1)
})
