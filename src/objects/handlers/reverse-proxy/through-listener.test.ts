import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Handler, Uri } from '#http'
import { build } from '#test/build'
import { listening, RawClient } from '#test/listening'
import { nginx, nginxMissing } from '#test/nginx'
import { httpUpstream, rawUpstream } from '#test/upstream'
import { once, within } from '#test/waiting'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

/** A listener that relays requests to one server, with a header field set by the gateway. */
async function gatewayTo(url: string, config: Record<string, string> = {}) {
  const built = await build<Handler>(ReverseProxyHandler, config)
  const base = Uri.parse(url)
  const listener = await listening((exchange) => {
    exchange.request.uri.rebase(base)
    exchange.request.headers.set('X-User', 'alice')
    return built.object(exchange)
  })
  return {
    port: listener.port,
    url: listener.url,
    log: built.log,
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]()
      await built[Symbol.asyncDispose]()
    },
  }
}

test('through a listener: Host is unchanged, bodies are relayed in both directions, connections are reused', async () => {
  await using upstream = await httpUpstream(async (request, response) => {
    response.setHeader('X-Host', request.headers.host ?? '')
    for await (const chunk of request) response.write(chunk)
    response.end()
  })
  await using gateway = await gatewayTo(upstream.url)
  const content = 'y'.repeat(300_000)
  for (let i = 0; i < 3; i++) {
    const response = await fetch(`${gateway.url}/echo`, { method: 'POST', body: content })
    assert.equal(response.headers.get('x-host'), new URL(gateway.url).host)
    assert.equal(await response.text(), content)
  }
  assert.equal(upstream.accepted, 1)
})

test('through a listener: 502 with a plain text', async () => {
  await using upstream = await rawUpstream((socket) => socket.destroy())
  await using gateway = await gatewayTo(upstream.url)
  await using client = new RawClient(gateway.port)
  client.send('GET / HTTP/1.1\r\nHost: public.example.com\r\nConnection: close\r\n\r\n')
  await client.closed
  assert.match(client.text, /^HTTP\/1\.1 502 Bad Gateway\r\n/)
  assert.match(client.text, /\r\n\r\nBad Gateway$/)
  assert.doesNotMatch(client.text, /127\.0\.0\.1/)
})

test('B27 through a listener: a truncated response resets the connection of the client', async () => {
  await using upstream = await rawUpstream((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'),
  )
  await using gateway = await gatewayTo(upstream.url)
  await using client = new RawClient(gateway.port)
  client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await client.closed
  assert.doesNotMatch(client.text, /\r\n0\r\n\r\n$/)
})

test('through a listener: a client that disconnects aborts the request to the application', async () => {
  const asked = Promise.withResolvers<void>()
  await using upstream = await rawUpstream(() => asked.resolve())
  await using gateway = await gatewayTo(upstream.url)
  const client = new RawClient(gateway.port)
  client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await within('the request reached the server', asked.promise)
  const [socket] = upstream.sockets
  const closed = once(socket!, 'close')
  await client[Symbol.asyncDispose]()
  await closed
})

test('B31: a client that waits for 100 Continue gets it from the gateway, the application no Expect', async () => {
  const expectations: (string | undefined)[] = []
  await using upstream = await httpUpstream((request, response) => {
    expectations.push(request.headers.expect)
    request.resume().on('end', () => response.end('done'))
  })
  await using gateway = await gatewayTo(upstream.url)
  await using client = new RawClient(gateway.port)
  client.send('POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n')
  await client.receives(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
  client.send('hi')
  await client.receives(/HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*done/)
  assert.deepEqual(expectations, [undefined])
})

test('B16: a client can neither remove nor extend header fields of the gateway', async () => {
  const heads: string[] = []
  await using upstream = await rawUpstream((socket, received) => {
    heads.push(received)
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  })
  await using gateway = await gatewayTo(upstream.url)
  for (const connection of ['close, X-User, x-forwarded-for, Host, Content-Length', 'close, x-USER']) {
    await using client = new RawClient(gateway.port)
    client.send(
      `POST / HTTP/1.1\r\nHost: a\r\nX-User: mallory\r\nX-Forwarded-For: 203.0.113.9\r\nConnection: ${connection}\r\nContent-Length: 2\r\n\r\nhi`,
    )
    await client.closed
    const head = heads.at(-1)!
    assert.deepEqual(head.match(/^x-user:.*/gim), ['X-User: alice'])
    assert.deepEqual(head.match(/^x-forwarded-for:.*/gim), ['X-Forwarded-For: 127.0.0.1'])
    assert.match(head, /\r\nHost: a\r\n/i)
    assert.match(head, /\r\ncontent-length: 2/i)
  }
})

test('B33: header names of the prototype pass like any other', async () => {
  let head = ''
  await using upstream = await rawUpstream((socket, received) => {
    head = received
    socket.end('HTTP/1.1 200 OK\r\n__proto__: y\r\nconstructor: z\r\nContent-Length: 0\r\n\r\n')
  })
  await using gateway = await gatewayTo(upstream.url)
  await using client = new RawClient(gateway.port)
  client.send('GET / HTTP/1.1\r\nHost: a\r\n__proto__: x\r\nhasOwnProperty: x\r\nConnection: close\r\n\r\n')
  await client.closed
  assert.match(head, /\r\n__proto__: x\r\nhasOwnProperty: x/)
  assert.match(client.text, /\r\n__proto__: y\r\nconstructor: z\r\n/)
})

test('in front of nginx: files, ranges, conditional requests, HEAD', { skip: nginxMissing }, async () => {
  const file = Buffer.alloc(2_000_000, 'abcdefgh')
  await using server = await nginx('location = /moved { return 301 /file.bin; }', { 'file.bin': file })
  await using gateway = await gatewayTo(server.url)
  const get = (path: string, init: RequestInit = {}) => fetch(gateway.url + path, { redirect: 'manual', ...init })
  const response = await get('/file.bin')
  const etag = response.headers.get('etag')
  assert.equal(Buffer.from(await response.arrayBuffer()).equals(file), true)
  const range = await get('/file.bin', { headers: { Range: 'bytes=8-15' } })
  assert.deepEqual([range.status, await range.text()], [206, 'abcdefgh'])
  assert.equal((await get('/file.bin', { headers: { 'If-None-Match': etag ?? '' } })).status, 304)
  const head = await get('/file.bin', { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, '2000000'])
  assert.equal((await get('/moved')).status, 301)
  assert.equal((await get('/nothing')).status, 404)
})
