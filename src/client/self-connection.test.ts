import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { WebSocketClient } from '#client'
import { internalExchange, Request, Uri } from '#http'
import { ConnectorAddresses } from '#listener'
import { Authority, opensslMissing } from '#test/certificates'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { clearHttp2Upstream } from '#test/http2-upstream'
import { httpUpstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'

const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

const LOOP = { name: 'UpstreamError', code: 'GW_UPSTREAM_LOOP', status: 508 }

/** The listeners of a gateway with one connector at the port of a URL. */
function listenerAt(url: string, host = '0.0.0.0'): ConnectorAddresses {
  return new ConnectorAddresses([{ host, ports: [Number(new URL(url).port)] }], null)
}

test('a client request to a connector of this gateway is rejected before it is sent, each time', async () => {
  let requests = 0
  await using upstream = await httpUpstream((_request, response) => {
    requests++
    response.end()
  })
  await using client = clientWith({ connections: 2, ownListeners: listenerAt(upstream.url) })
  for (let i = 0; i < 5; i++) await assert.rejects(send(client, exchangeFor('GET', upstream.url)), LOOP)
  const posted = exchangeFor('POST', upstream.url, { body: 'x'.repeat(100_000) })
  await assert.rejects(send(client, posted), LOOP)
  const byName = exchangeFor('GET', upstream.url.replace('127.0.0.1', 'localhost'))
  await assert.rejects(send(client, byName), LOOP)
  assert.equal(requests, 0)
  // One connection for each origin is enough to detect it.
  assert.ok(upstream.accepted <= 4, `${upstream.accepted}`)
  assert.deepEqual(
    client.stats.map(({ running, queued }) => running + queued),
    [0, 0],
  )
})

test('internal requests to this gateway are allowed', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('keys'))
  await using client = clientWith({ ownListeners: listenerAt(upstream.url) })
  const exchange = internalExchange(new Request({ method: 'GET', uri: Uri.parse(upstream.url) }))
  assert.equal(await textOf(await send(client, exchange)), 'keys')
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), LOOP)
})

test('another port or address of this machine is not a connector of this gateway', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  for (const ownListeners of [
    new ConnectorAddresses([{ host: '0.0.0.0', ports: [1, 2] }], null),
    listenerAt(upstream.url, '127.0.0.2'),
    new ConnectorAddresses([{ host: '0.0.0.0', ports: [0] }], null),
  ]) {
    await using client = clientWith({ ownListeners })
    assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), 'ok')
  }
})

test('a connector with an untrusted certificate is detected too, by one connection for all calls that wait', {
  skip: opensslMissing,
}, async () => {
  const { key, certificate } = authority!.issue({ name: 'gateway.example' })
  const server = createServer({ key, cert: certificate }, (_request, response) => response.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  {
    await using client = clientWith({ connections: 1, ownListeners: listenerAt(url) })
    let accepted = 0
    server.on('connection', () => accepted++)
    const waiting = Array.from({ length: 50 }, () => assert.rejects(send(client, exchangeFor('GET', url)), LOOP))
    await Promise.all(waiting)
    assert.equal(accepted, 1)
  }
  server.closeAllConnections()
  server.close()
})

for (const inClear of ['prior-knowledge', 'h2c-upgrade'] as const) {
  test(`cleartext HTTP/2, ${inClear}: rejected, and no request is sent`, async () => {
    let requests = 0
    await using upstream = await clearHttp2Upstream((_request, response) => {
      requests++
      response.end()
    })
    await using client = clientWith({ ownListeners: listenerAt(upstream.url), http2: { overTls: true, inClear } })
    await assert.rejects(send(client, exchangeFor('GET', upstream.url)), LOOP)
    assert.equal(requests, 0)
  })
}

test('a WebSocket to a connector of this gateway is rejected, and its connection closed', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end())
  const client = new WebSocketClient({
    connectionTimeout: 2_000,
    maxConnections: 1,
    soTimeout: 2_000,
    idleTime: null,
    heartbeatTime: 2_000,
    tls: null,
    proxy: null,
    subProtocols: null,
    withheldExtensions: new Set(),
    ownListeners: listenerAt(upstream.url),
  })
  const headers = {
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
    Upgrade: 'websocket',
  }
  for (let i = 0; i < 3; i++) {
    const exchange = exchangeFor('GET', upstream.url, { headers })
    await assert.rejects(client.upgrade(exchange, exchange.request), LOOP)
  }
  await waitUntil('the upstream connections were closed', () => upstream.sockets.size === 0)
  client.release()
})
