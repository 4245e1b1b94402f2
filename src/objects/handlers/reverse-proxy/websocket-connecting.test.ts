import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebSocket as WsClient } from 'ws'
import { httpUpstream, silentUpstream } from '#test/upstream'
import { waitUntil, within } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'
import { opened, refusal, startProxy } from '#test/websocket-proxy'

for (const [what, isSecure, hasProxy] of [
  ['the TLS handshake', true, false],
  ['the answer of a forward proxy', false, true],
  ['the answer of a forward proxy, for TLS', true, true],
] as const) {
  test(`a client that disconnects while ${what} is awaited aborts it at once`, async () => {
    const accepted = Promise.withResolvers<void>()
    // It reads and sends nothing.
    await using server = await silentUpstream((socket) => {
      socket.resume()
      accepted.resolve()
    })
    const url = hasProxy ? 'http://127.0.0.1:1' : server.url
    await using proxy = await startProxy(isSecure ? url.replace('http:', 'https:') : url, {
      connectionTimeout: '1 hour',
      ...(hasProxy ? { proxy: { uri: server.url } } : {}),
    })
    const client = new WsClient(proxy.ws)
    client.on('error', () => {})
    await within('the connection was accepted', accepted.promise)
    client.terminate()
    await waitUntil(
      'the upstream connections were closed and no request was active',
      () => server.sockets.size === 0 && proxy.listener.stats.active === 0,
    )
  })
}

test('maxWebSockets: a connection beyond the limit gets 503, and succeeds when another has ended', async () => {
  await using upstream = await webSocketUpstream()
  const vertx = { maxWebSockets: 7 }
  await using proxy = await startProxy(upstream.url, { websocket: { vertx } }, { units: 3 })
  const first = await opened(proxy.ws)
  const second = await opened(proxy.ws)
  assert.equal(await refusal(proxy.ws), 503)
  // The next version of a route counts open connections of the last one.
  await using next = await startProxy(upstream.url, { websocket: { vertx } }, { units: 3 })
  assert.equal(await refusal(next.ws), 503)
  await using other = await webSocketUpstream()
  await using elsewhere = await startProxy(other.url, { websocket: { vertx } }, { units: 3 })
  ;(await opened(elsewhere.ws)).close()
  first.close()
  await waitUntil(
    'all connections but one were closed',
    () => upstream.server.clients.size <= 1 && proxy.listener.stats.active <= 1,
  )
  const third = await opened(next.ws)
  second.close()
  third.close()
})

test('maxWebSockets: failed attempts do not count', async () => {
  await using upstream = await httpUpstream((_request, response) => response.writeHead(403).end())
  const config = { websocket: { vertx: { maxWebSockets: 1 } } }
  await using proxy = await startProxy(upstream.url, config)
  await using gone = await startProxy('http://127.0.0.1:1', config)
  for (let i = 0; i < 3; i++) {
    assert.equal(await refusal(proxy.ws), 403)
    assert.equal(await refusal(gone.ws), 502)
    await waitUntil(
      'the upstream connections were closed and no request was active',
      () => upstream.sockets.size === 0 && proxy.listener.stats.active === 0,
    )
  }
})
