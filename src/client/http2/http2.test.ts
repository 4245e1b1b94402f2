import assert from 'node:assert/strict'
import { constants, type Http2ServerResponse } from 'node:http2'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import type { ClientTls } from '#contracts'
import { Body } from '#http'
import { Authority, clientTlsOf, type Issued, opensslMissing } from '#test/certificates'
import { clientWith, Reader, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { clearHttp2Upstream, secureHttp2Upstream } from '#test/http2-upstream'
import { httpUpstream, rawUpstream } from '#test/upstream'
import { once, waitUntil, within } from '#test/waiting'

const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'localhost' }) as Issued
after(() => authority?.[Symbol.dispose]())
const secure = { skip: opensslMissing }

const trusting = (fields: Partial<ClientTls> = {}): ClientTls => clientTlsOf(authority!, fields)

const OVER_TLS = { overTls: true, inClear: 'off' } as const
const KNOWN = { overTls: true, inClear: 'prior-knowledge' } as const
const ASKED = { overTls: true, inClear: 'h2c-upgrade' } as const

test('a server that supports both versions gets HTTP/2 on one connection', secure, async () => {
  await using upstream = await secureHttp2Upstream(
    issued,
    (request, response) => {
      response.setHeader('X-Seen', JSON.stringify([request.httpVersion, request.headers[':authority']]))
      response.end(request.url)
    },
    { allowHTTP1: true },
  )
  await using client = clientWith({ http2: OVER_TLS, tls: trusting() })
  const all = Array.from({ length: 30 }, async (_, at) => {
    const exchange = exchangeFor('GET', `${upstream.url}/${at}?a=%20b`, { headers: { Host: 'public.example' } })
    const response = await send(client, exchange)
    assert.equal(response.headers.get('x-seen'), '["2.0","public.example"]')
    assert.equal(await textOf(response), `/${at}?a=%20b`)
  })
  await Promise.all(all)
  assert.equal(upstream.accepted, 1)
  assert.equal(client.stats[0]?.connected, 1)
})

test('a response that ends with its head has an empty body of known length', async () => {
  await using upstream = await clearHttp2Upstream((_request, { stream }) =>
    stream.respond({ ':status': 200, 'grpc-status': '9' }, { endStream: true }),
  )
  await using client = clientWith({ http2: KNOWN })
  for (const method of ['GET', 'POST', 'HEAD']) {
    const { body, headers } = await send(client, exchangeFor(method, `${upstream.url}/`))
    assert.deepEqual([body.length, headers.get('grpc-status')], [0, '9'])
  }
})

test('a server that supports HTTP/1.1 only gets it on the connection that negotiated ALPN', secure, async () => {
  const { createServer } = await import('node:https')
  let connections = 0
  const server = createServer({ key: issued.key, cert: issued.certificate }, (request, response) =>
    response.end(request.httpVersion),
  )
  // Before the handshake: one that is not completed counts, too.
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  for (const limit of [1, 64]) {
    connections = 0
    await using client = clientWith({ connections: limit, http2: OVER_TLS, tls: trusting() })
    for (let i = 0; i < 3; i++) {
      assert.equal(await textOf(await send(client, exchangeFor('GET', `https://localhost:${port}/`))), '1.1')
    }
    assert.deepEqual([connections, client.stats[0]?.connected], [1, 1])
  }
  server.closeAllConnections()
  server.close()
})

test('a certificate of another name is rejected for HTTP/2 too', secure, async () => {
  await using upstream = await secureHttp2Upstream(authority!.issue({ name: 'other.example' }), (_, response) =>
    response.end(),
  )
  await using client = clientWith({ http2: OVER_TLS, tls: trusting() })
  const sent = send(client, exchangeFor('GET', upstream.url, { headers: { Host: 'other.example' } }))
  await assert.rejects(sent, { code: 'GW_UPSTREAM_CONNECT' })
})

test('connections that are used once use HTTP/1.1', secure, async () => {
  await using upstream = await secureHttp2Upstream(issued, (request, response) => response.end(request.httpVersion), {
    allowHTTP1: true,
  })
  await using client = clientWith({ http2: OVER_TLS, tls: trusting(), disableReuseConnection: true })
  assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), '1.1')
})

test('request and response bodies are forwarded with their lengths', async () => {
  await using upstream = await clearHttp2Upstream(async (request, response) => {
    let bytes = 0
    for await (const chunk of request) bytes += (chunk as Buffer).length
    response.end(`${request.method} ${request.headers['content-length']} ${bytes}`)
  })
  await using client = clientWith({ http2: KNOWN })
  const said = async (method: string, body?: Body | Uint8Array) =>
    textOf(await send(client, exchangeFor(method, upstream.url, body === undefined ? {} : { body })))
  assert.equal(await said('GET'), 'GET undefined 0')
  assert.equal(await said('POST'), 'POST 0 0')
  assert.equal(await said('PUT', Buffer.alloc(1000)), 'PUT 1000 1000')
  assert.equal(await said('PUT', Buffer.alloc(1_000_000)), 'PUT 1000000 1000000')
  const streamed = Body.fromStream(Readable.from(Array.from({ length: 50 }, () => Buffer.alloc(20_000))), null)
  assert.equal(await said('POST', streamed), 'POST undefined 1000000')
})

test('HEAD, 204, 304 and early hints', async () => {
  await using upstream = await clearHttp2Upstream((request, response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' })
    if (request.method === 'HEAD') response.writeHead(200, { 'content-length': 5 })
    else response.writeHead(Number(request.url?.slice(1)))
    response.end()
  })
  await using client = clientWith({ http2: KNOWN })
  const head = await send(client, exchangeFor('HEAD', upstream.url))
  assert.equal(head.headers.get('content-length'), '5')
  for (const status of [204, 304, 500]) {
    assert.equal((await send(client, exchangeFor('GET', `${upstream.url}/${status}`))).status, status)
  }
  await waitUntil('the client had no running request', () => (client.stats[0]?.running ?? 0) === 0)
})

test('trailers are forwarded in both directions', async () => {
  await using upstream = await clearHttp2Upstream((request, response) => {
    request.resume()
    request.on('end', () => {
      response.addTrailers({ 'x-back': `${request.trailers['x-sum']}` })
      response.end('x')
    })
  })
  await using client = clientWith({ http2: KNOWN })
  const body = Body.fromSource(
    {
      start: (sink) => {
        sink.write(Buffer.from('hello'))
        sink.end(['X-Sum', '42'])
      },
      resume: () => {},
      cancel: () => {},
    },
    null,
  )
  const response = await send(client, exchangeFor('POST', upstream.url, { body, headers: { TE: 'trailers' } }))
  const end = new Promise((resolve, reject) => {
    response.body.pipe({ write: () => true, end: resolve, fail: reject })
  })
  const trailers = await within('the body ended', end)
  assert.deepEqual(trailers, ['x-back', '42'])
})

test('a response has the HTTP version it was received with', async () => {
  await using modern = await clearHttp2Upstream((_request, response) => response.end('x'))
  await using old = await httpUpstream((_request, response) => response.end('x'))
  await using client = clientWith({ http2: KNOWN })
  assert.equal((await send(client, exchangeFor('GET', modern.url))).version, 'HTTP/2')
  await using other = clientWith({ http2: ASKED })
  assert.equal((await send(other, exchangeFor('GET', old.url))).version, 'HTTP/1.1')
})

test('a response over HTTP/2 gets the standard reason phrase', async () => {
  await using upstream = await clearHttp2Upstream((_request, response) => response.writeHead(404).end())
  await using client = clientWith({ http2: KNOWN })
  assert.equal((await send(client, exchangeFor('GET', upstream.url))).reason, 'Not Found')
})

test('OPTIONS * is sent in asterisk-form over HTTP/2', async () => {
  await using upstream = await clearHttp2Upstream((request, response) => response.end(request.url))
  await using client = clientWith({ http2: KNOWN })
  const exchange = exchangeFor('OPTIONS', upstream.url)
  exchange.request.uri.rawPath = '*'
  assert.equal(await textOf(await send(client, exchange)), '*')
})

test('a slow reader exerts back-pressure on its own stream only', async () => {
  let sent = 0
  await using upstream = await clearHttp2Upstream((request, response) => {
    if (request.url === '/small') {
      response.end('ok')
      return
    }
    const more = () => {
      while (sent < 20_000_000) {
        sent += 100_000
        if (!response.write(Buffer.alloc(100_000))) return
      }
      response.end()
    }
    response.on('drain', more)
    more()
  })
  await using client = clientWith({ http2: KNOWN, soTimeout: 300 })
  const reader = new Reader((await send(client, exchangeFor('GET', upstream.url))).body)
  reader.block()
  await reader.atLeast(1)
  for (let i = 0; i < 5; i++)
    assert.equal(await textOf(await send(client, exchangeFor('GET', `${upstream.url}/small`))), 'ok')
  await new Promise((resolve) => setTimeout(resolve, 600))
  assert.ok(sent < 5_000_000, `sent ${sent}`)
  reader.unblock()
  await reader.done
  assert.equal(reader.received, 20_000_000)
  assert.equal(upstream.accepted, 1)
})

test('an unresponsive server: 504, and no further request on the connection', async () => {
  let silent = true
  await using upstream = await clearHttp2Upstream((_request, response) => {
    if (!silent) response.end('ok')
  })
  await using client = clientWith({ http2: KNOWN, soTimeout: 100 })
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_TIMEOUT', status: 504 })
  silent = false
  assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), 'ok')
  assert.equal(upstream.accepted, 2)
})

test('a client that disconnects resets its own stream only', async () => {
  const held: Http2ServerResponse[] = []
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  await using upstream = await clearHttp2Upstream((request, response) => {
    if (request.url === '/gone') request.stream.on('aborted', () => resolve()).on('close', () => resolve())
    held.push(response)
    if (held.length === 2) controller.abort()
  })
  await using client = clientWith({ http2: KNOWN })
  const gone = exchangeFor('GET', `${upstream.url}/gone`)
  const controller = { abort: () => gone.abort(new Error('gone')) }
  const stays = send(client, exchangeFor('GET', `${upstream.url}/stays`))
  await assert.rejects(send(client, gone), { code: 'GW_CLIENT_GONE' })
  await within('the stream was reset', aborted)
  held[0]!.end('ok')
  assert.equal(await textOf(await stays), 'ok')
  assert.equal(upstream.accepted, 1)
})

test('a stream reset is reported before and after the response head', async () => {
  await using upstream = await clearHttp2Upstream(({ url, stream }, response) => {
    if (url === '/before') stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    else {
      response.writeHead(200, url === '/short' ? { 'content-length': 10 } : {})
      response.write('part')
      setTimeout(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR), 20)
    }
  })
  await using client = clientWith({ http2: KNOWN })
  await assert.rejects(send(client, exchangeFor('GET', `${upstream.url}/before`)), { status: 502 })
  for (const path of ['/short', '/open']) {
    const { body } = await send(client, exchangeFor('GET', upstream.url + path))
    await assert.rejects(new Reader(body).done, { status: 502 }, path)
  }
  assert.equal(upstream.accepted, 1)
})

test('a request that the server did not process is retried, also if its method is not idempotent', async () => {
  let refused = 0
  await using upstream = await clearHttp2Upstream(({ stream, url }, response) => {
    if (url === '/always' || refused++ === 0) stream.close(constants.NGHTTP2_REFUSED_STREAM)
    else response.end('ok')
  })
  await using client = clientWith({ http2: KNOWN })
  assert.equal(await textOf(await send(client, exchangeFor('POST', upstream.url, { body: 'x' }))), 'ok')
  await assert.rejects(send(client, exchangeFor('POST', `${upstream.url}/always`, { body: 'x' })), { status: 502 })
})

test('GOAWAY: active streams finish, new requests use a new connection', async () => {
  const held: Http2ServerResponse[] = []
  await using upstream = await clearHttp2Upstream((request, response) => {
    if (request.url === '/held') held.push(response)
    else response.end('ok')
  })
  await using client = clientWith({ http2: KNOWN })
  const running = send(client, exchangeFor('GET', `${upstream.url}/held`))
  await waitUntil('a request reached the upstream', () => held.length > 0)
  const [session] = upstream.sessions
  session!.close()
  const away = once(session!, 'close')
  assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), 'ok')
  held[0]!.end('late')
  assert.equal(await textOf(await running), 'late')
  await away
  assert.equal(upstream.accepted, 2)
})

test('more requests than streams: further connections up to the limit, then queueing', async () => {
  const held: Http2ServerResponse[] = []
  await using upstream = await clearHttp2Upstream((_request, response) => {
    held.push(response)
  })
  await using client = clientWith({ connections: 2, http2: { ...KNOWN, maxStreams: 3 }, maxWaitQueueSize: 2 })
  const sent = Array.from({ length: 8 }, () => send(client, exchangeFor('GET', upstream.url)))
  const over = send(client, exchangeFor('GET', upstream.url))
  const settled = Promise.allSettled([...sent, over])
  const answering = setInterval(() => held.shift()?.end('ok'), 5)
  const statuses = (await settled).map((each) => (each.status === 'fulfilled' ? each.value.status : each.reason.status))
  clearInterval(answering)
  assert.ok(statuses.filter((status) => status === 200).length >= 4, `${statuses}`)
  assert.ok(upstream.accepted <= 2, `${upstream.accepted}`)
})

test('h2c upgrade: a server that does not upgrade gets HTTP/1.1, and is probed once', async () => {
  const seen: string[] = []
  await using upstream = await httpUpstream((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.upgrade ?? ''}`)
    response.end(request.httpVersion)
  })
  await using client = clientWith({ http2: ASKED })
  for (let i = 0; i < 2; i++) assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), '1.1')
  assert.deepEqual(seen, ['OPTIONS * h2c', 'GET / ', 'GET / '])
})

test('h2c upgrade: a server that closes the connection gets HTTP/1.1', async () => {
  await using upstream = await rawUpstream((socket, head) => {
    if (head.startsWith('OPTIONS')) socket.destroy()
    else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  })
  await using client = clientWith({ http2: ASKED })
  assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), 'ok')
})

test('prior knowledge, but a server without HTTP/2: 502', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end())
  await using client = clientWith({ http2: KNOWN })
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), { status: 502 })
})

test('connection refused: 502 for all queued requests', async () => {
  await using client = clientWith({ http2: KNOWN })
  const all = Array.from({ length: 3 }, () => send(client, exchangeFor('GET', 'http://127.0.0.1:1/')))
  for (const each of await Promise.allSettled(all)) {
    assert.equal(each.status === 'rejected' && each.reason.code, 'GW_UPSTREAM_CONNECT')
  }
})

test('a server that allows no streams: 503 after connectionTimeout', async () => {
  let answered = 0
  await using upstream = await clearHttp2Upstream((_request, response) => {
    answered++
    response.end('ok')
  })
  await using client = clientWith({ connections: 1, connectionTimeout: 150, http2: { ...KNOWN, idleTime: 400 } })
  await textOf(await send(client, exchangeFor('GET', upstream.url)))
  const [session] = upstream.sessions
  session!.settings({ maxConcurrentStreams: 0 })
  await once(session!, 'localSettings')
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_POOL_FULL', status: 503 })
  assert.equal(answered, 1)
})
