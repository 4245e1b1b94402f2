import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { clearHttp2Upstream } from '#test/http2-upstream'
import { ManualExecutor } from '#test/manual-executor'
import { httpUpstream } from '#test/upstream'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

const proxy = (config: JsonObject) => build<Handler>(ReverseProxyHandler, config, new ManualExecutor().buildOptions)

test('without via neither the request nor the response gets a Via', async () => {
  await using upstream = await httpUpstream((request, response) => {
    response.setHeader('X-Seen', String(request.headers.via)).end()
  })
  await using built = await proxy({})
  const response = await built.object(exchangeFor('GET', upstream.url))
  assert.equal(response.headers.get('x-seen'), 'undefined')
  assert.equal(response.headers.has('via'), false)
})

test('via is appended to existing values, in both directions', async () => {
  await using upstream = await httpUpstream((request, response) => {
    response.setHeader('X-Seen', String(request.headers.via)).setHeader('Via', '1.0 cache').end()
  })
  await using built = await proxy({ via: 'gateway' })
  const exchange = exchangeFor('GET', upstream.url, { headers: { Via: '1.1 edge' } })
  const response = await built.object(exchange)
  assert.equal(response.headers.get('x-seen'), '1.1 edge, 1.1 gateway')
  assert.deepEqual(response.headers.all('via'), ['1.0 cache', '1.1 gateway'])
})

test('via has the HTTP version in which a message was received', async () => {
  await using upstream = await clearHttp2Upstream((_request, response) => response.end())
  await using built = await proxy({ via: 'gateway:8080', protocolVersion: 'HTTP/2', http2PriorKnowledge: true })
  const response = await built.object(exchangeFor('GET', upstream.url))
  assert.deepEqual(response.headers.all('via'), ['2 gateway:8080'])
})

test('a retried request has one Via entry of the gateway; responses of the gateway have none', async () => {
  const seen: (string | undefined)[] = []
  await using upstream = await httpUpstream((request, response) => {
    seen.push(request.headers.via)
    if (seen.length === 1) response.writeHead(503).end()
    else request.socket.destroy()
  })
  const executor = new ManualExecutor()
  const retries = { count: 1, condition: '${response.status.code == 503}' }
  await using built = await build<Handler>(ReverseProxyHandler, { via: 'gateway', retries }, executor.buildOptions)
  const asked = built.object(exchangeFor('POST', upstream.url))
  await executor.next()
  const response = await asked
  assert.equal(response.status, 502)
  assert.equal(response.headers.has('via'), false)
  assert.deepEqual(seen, ['1.1 gateway', '1.1 gateway'])
})

for (const via of ['two words', 'a,b', 'a\r\nX: y', 'host:port', '(comment)']) {
  test(`via ${JSON.stringify(via)} is refused`, async () => {
    await assert.rejects(proxy({ via }), /via/)
  })
}
