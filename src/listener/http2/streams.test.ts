import assert from 'node:assert/strict'
import { constants } from 'node:http2'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { Body, type BodySink, type Exchange, Headers, Response, respond } from '#http'
import type { ListenerSettings } from '#listener'
import { Authority, opensslMissing, serverTlsOf } from '#test/certificates'
import { answerOf, H2Client } from '#test/h2-client'
import { listening } from '#test/listening'
import { startProxy } from '#test/test-proxy'
import { httpUpstream } from '#test/upstream'
import { once, waitUntil, within } from '#test/waiting'

const options = { skip: opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'localhost' })
after(() => authority?.[Symbol.dispose]())

const secure = (handler: (exchange: Exchange) => Promise<Response>, settings: Partial<ListenerSettings> = {}) =>
  listening(handler, { tls: serverTlsOf(issued!), ...settings })

const echo = async ({ request }: Exchange) => respond(200, {}, Buffer.from(await request.body.read(1e6)).toString())

test('a request over HTTP/2 results in the same exchange as over HTTP/1.1', options, async () => {
  await using server = await secure(async ({ request, client }) => {
    const { version, method, headers } = request
    const cookie = headers.all('cookie')
    const seen = { version, method, uri: String(request.uri), host: headers.get('host'), cookie, secure: client.secure }
    return respond(200, { 'X-One': 'a' }, JSON.stringify({ ...seen, agent: client.userAgent }))
  })
  await using client = new H2Client(server.port)
  const answer = await client.ask('/some/path?x=1', { headers: { cookie: ['a=1', 'b=2'], 'user-agent': 'me' } })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['x-one'], 'a')
  assert.deepEqual(JSON.parse(answer.text), {
    version: 'HTTP/2',
    method: 'GET',
    uri: `https://localhost:${server.port}/some/path?x=1`,
    host: `localhost:${server.port}`,
    cookie: ['a=1; b=2'],
    secure: true,
    agent: 'me',
  })
})

test('bodies with and without Content-Length are received completely', options, async () => {
  await using server = await secure(echo)
  await using client = new H2Client(server.port)
  assert.equal((await client.ask('/', { method: 'POST', body: 'hello' })).text, 'hello')
  const long = 'x'.repeat(900_000)
  const answer = await client.ask('/', { method: 'PUT', body: long, headers: { 'content-length': '900000' } })
  assert.equal(answer.text.length, long.length)
})

test('look-alikes of framing and forwarding fields are dropped, and so is Proxy (B15)', options, async () => {
  await using server = await secure(async ({ request }) => respond(200, {}, request.headers.names().join(' ')))
  await using client = new H2Client(server.port)
  const names = ['transfer_encoding', 'content.length', 'x_forwarded_for', 'x_vendor_transactionid', 'proxy']
  const headers = Object.fromEntries(['x-vendor-transactionid', ...names].map((name) => [name, '1']))
  const { text } = await client.ask('/', { headers: { ...headers, 'x-kept': '1' } })
  assert.match(text, /x-kept/)
  for (const name of Object.keys(headers)) assert.ok(!text.split(' ').includes(name), name)
})

test('trailers are forwarded in both directions, except those allowed in the head only (B32)', options, async () => {
  const ended = Promise.withResolvers<readonly string[] | null>()
  const sink: BodySink = { write: () => true, end: ended.resolve, fail: ended.reject }
  await using server = await secure(async ({ request }) => {
    request.body.pipe(sink)
    await within('the body ended', ended.promise)
    const trailers = new Headers()
    trailers.set('X-Sum', '2')
    trailers.set('Set-Cookie', 'a=1')
    return new Response(200, { body: Body.of('hello'), trailers })
  })
  await using client = new H2Client(server.port)
  const answer = await client.ask('/', { method: 'POST', body: 'x', trailers: { 'x-sum': '1', authorization: 'x' } })
  assert.deepEqual(await within('the body ended', ended.promise), ['x-sum', '1'])
  assert.equal(answer.text, 'hello')
  assert.equal(answer.trailers['x-sum'], '2')
  assert.equal(answer.trailers['set-cookie'], undefined)
})

test(
  'trailers are forwarded between an HTTP/1.1 server and an HTTP/2 client in both directions, also with buffering',
  options,
  async () => {
    await using upstream = await httpUpstream((request, response) => {
      request.resume()
      request.on('end', () => {
        response.write('x')
        response.addTrailers({ 'X-Back': JSON.stringify(request.rawTrailers), 'Set-Cookie': 'a=1' })
        response.end()
      })
    })
    for (const streaming of [true, false]) {
      await using gateway = await startProxy(upstream.url, {
        listener: { tls: serverTlsOf(issued!), streaming },
        buffersResponses: !streaming,
      })
      await using client = new H2Client(gateway.port)
      const answer = await client.ask('/', {
        method: 'POST',
        body: 'x',
        trailers: { 'x-sum': '1', authorization: 'x' },
      })
      assert.equal(answer.text, 'x')
      assert.deepEqual(Object.entries(answer.trailers), [['x-back', '["x-sum","1"]']])
    }
  },
)

test('an empty body ends the stream with the head, also where the request is not received yet', options, async () => {
  await using server = await secure(async () => respond(200, { 'X-Here': '1' }))
  await using client = new H2Client(server.port)
  for (const method of ['GET', 'POST']) {
    const stream = client.session.request({ ':path': '/', ':method': method }, { endStream: method === 'GET' })
    const [headers, flags] = (await once(stream, 'response')) as [Record<string, string>, number]
    assert.equal(flags & constants.NGHTTP2_FLAG_END_STREAM, constants.NGHTTP2_FLAG_END_STREAM)
    assert.equal(headers['content-length'], '0')
    stream.resume().end()
    await once(stream, 'close')
  }
  await waitUntil('no request was active', () => server.listener.stats.active === 0)
})

test('HEAD, 204, 205 and 304 have no body and end the stream', options, async () => {
  await using server = await secure(async ({ request }) =>
    respond(Number(request.uri.path.slice(1)), { 'X-Here': '1' }, 'body'),
  )
  await using client = new H2Client(server.port)
  for (const [method, status] of [
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 205],
    ['GET', 304],
  ] as const) {
    const answer = await client.ask(`/${status}`, { method })
    assert.equal(answer.status, status)
    assert.equal(answer.headers['x-here'], '1')
    assert.equal(answer.text, '')
    assert.equal(answer.headers['content-length'], { HEAD: '4', 205: '0' }[method === 'HEAD' ? method : `${status}`])
  }
  await waitUntil('no request was active', () => server.listener.stats.active === 0)
})

test('a body that fails resets the stream and never ends it cleanly (B27)', options, async () => {
  const bodies: PassThrough[] = []
  await using server = await secure(async () => {
    const body = new PassThrough()
    bodies.push(body)
    body.write('some of it')
    return new Response(200, { body: Body.fromStream(body) })
  })
  await using client = new H2Client(server.port)
  const stream = client.open('/')
  const answer = answerOf(stream)
  let ended = false
  stream.on('end', () => {
    ended = stream.rstCode === 0
  })
  await once(stream, 'data')
  bodies[0]!.destroy(new Error('gone'))
  await assert.rejects(answer, /reset|INTERNAL_ERROR/)
  assert.equal(ended, false)
})

test('a client that resets the stream aborts the exchange', options, async () => {
  const aborted = Promise.withResolvers<Error>()
  const started = Promise.withResolvers<void>()
  await using server = await secure(async (exchange) => {
    exchange.onAbort(aborted.resolve)
    started.resolve()
    await within('the exchange was aborted', aborted.promise)
    return respond(200)
  })
  await using client = new H2Client(server.port)
  const stream = client.open('/')
  stream.on('error', () => {})
  await within('the handler was called', started.promise)
  stream.close(8)
  await within('the exchange was aborted', aborted.promise)
})

test('a request body fails when its stream is reset, also with NO_ERROR', options, async () => {
  for (const code of [0, 8]) {
    const failed = Promise.withResolvers<string>()
    const started = Promise.withResolvers<void>()
    await using server = await secure(async ({ request }) => {
      const reading = request.body.read(1e6).then(
        () => 'whole',
        () => 'broken',
      )
      started.resolve()
      failed.resolve(await reading)
      return respond(200)
    })
    await using client = new H2Client(server.port)
    const stream = client.session.request({ ':path': '/', ':method': 'POST' })
    stream.on('error', () => {})
    stream.write('half')
    await within('the handler was called', started.promise)
    stream.destroy()
    if (code === 8) stream.close(8)
    assert.equal(await within('the body failed', failed.promise), 'broken')
  }
})

test('requests whose body was read before the response do not count as reset', options, async () => {
  let [completed, aborted] = [0, 0]
  await using server = await secure(async (exchange) => {
    exchange.onComplete(() => completed++)
    exchange.onAbort(() => aborted++)
    await exchange.request.body.read(1_000)
    return respond(200, {}, 'ok')
  })
  await using client = new H2Client(server.port)
  // More than the reset budget of a session.
  for (let count = 0; count < 300; count++) {
    assert.equal((await client.ask('/', { method: 'POST', body: 'some' })).text, 'ok')
  }
  await waitUntil('no request was active', () => server.listener.stats.active === 0)
  assert.deepEqual({ completed, aborted }, { completed: 300, aborted: 0 })
})

test('the rest of a request body is discarded after the response', options, async () => {
  await using server = await secure(async () => respond(200, {}, 'early'))
  await using client = new H2Client(server.port)
  const stream = client.session.request({ ':path': '/', ':method': 'POST' })
  const answer = answerOf(stream)
  stream.write('half')
  assert.equal((await answer).text, 'early')
  assert.equal((await client.ask('/')).text, 'early')
})

test('a handler that throws: 500, and other requests are served', options, async () => {
  await using server = await secure(async ({ request }) => {
    if (request.uri.path === '/bad') throw new Error('boom')
    return respond(200)
  })
  await using client = new H2Client(server.port)
  const [bad, good] = await Promise.all([client.ask('/bad'), client.ask('/good')])
  assert.equal(bad.status, 500)
  assert.equal(good.status, 200)
})

test(
  'the host is that of :authority; a different Host, a different scheme or a missing path is refused (B9)',
  options,
  async () => {
    await using server = await secure(async ({ request }) => respond(200, {}, request.uri.authority))
    await using client = new H2Client(server.port)
    const ask = (headers: Record<string, string>) => client.ask('/', { headers })
    assert.equal((await ask({ ':authority': 'a.example', host: 'A.example:443' })).text, 'a.example')
    assert.equal((await ask({ ':authority': 'a.example', host: 'b.example' })).status, 400)
    await assert.rejects(ask({ ':authority': 'a@b.example' }), /PROTOCOL_ERROR/)
    assert.equal((await ask({ ':scheme': 'http' })).status, 400)
    assert.equal((await client.ask('/%00')).status, 400)
    assert.equal((await client.ask('*', { method: 'OPTIONS' })).status, 200)
    assert.equal((await client.ask('/', { method: 'TRACE' })).status, 405)
  },
)

test(
  'headers over the limit: 431, far over it the stream is reset, and the connection serves on (B89)',
  options,
  async () => {
    await using server = await secure(async () => respond(200), { maxTotalHeadersSize: 8192 })
    await using client = new H2Client(server.port, { maxSendHeaderBlockLength: 1e7 })
    assert.equal((await client.ask('/', { headers: { 'x-long': 'x'.repeat(9_000) } })).status, 431)
    await assert.rejects(client.ask('/', { headers: { 'x-long': 'x'.repeat(40_000) } }))
    const crumbs = Array.from({ length: 10_000 }, (_, at) => `c${at}=1`)
    await assert.rejects(client.ask('/', { headers: { cookie: crumbs } }))
    assert.equal((await client.ask('/')).status, 200)
  },
)

test('paths of the gateway itself are reserved', options, async () => {
  await using server = await secure(async () => respond(200), { reservedPrefix: 'gateway' })
  await using client = new H2Client(server.port)
  assert.equal((await client.ask('/gateway/x')).status, 404)
})

test('a body over the limit: 413', options, async () => {
  await using server = await secure(echo, { maxBodyBytes: 10 })
  await using client = new H2Client(server.port)
  const declared = { method: 'POST', body: 'x'.repeat(11), headers: { 'content-length': '11' } }
  assert.equal((await client.ask('/', declared)).status, 413)
  assert.equal((await client.ask('/', { method: 'POST', body: 'x'.repeat(11) })).status, 413)
})

test('a drain sends GOAWAY and lets active requests end', options, async () => {
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  await using server = await secure(async () => {
    started.resolve()
    await gate.promise
    return respond(200, {}, 'done')
  })
  await using client = new H2Client(server.port)
  const goaway = once(client.session, 'goaway')
  const answer = client.ask('/')
  await within('the handler was called', started.promise)
  const drained = server.listener.drain(10_000)
  await goaway
  gate.resolve()
  assert.equal((await answer).text, 'done')
  assert.deepEqual(await drained, { aborted: 0 })
  await client.closed
})

test('requests active after the grace period are aborted', options, async () => {
  const started = Promise.withResolvers<void>()
  await using server = await secure(async () => {
    started.resolve()
    return new Promise<Response>(() => {})
  })
  await using client = new H2Client(server.port)
  const answer = client.ask('/').catch((error: Error) => error)
  await within('the handler was called', started.promise)
  assert.deepEqual(await server.listener.drain(100), { aborted: 1 })
  assert.ok((await answer) instanceof Error)
})

test('an idle connection is closed after keepAliveTimeout', options, async () => {
  await using server = await secure(async () => respond(200), { keepAliveTimeout: 200 })
  await using client = new H2Client(server.port)
  assert.equal((await client.ask('/')).status, 200)
  await client.closed
})

test('a request body that stalls for idleTimeout: 408', options, async () => {
  await using server = await secure(echo, { idleTimeout: 200 })
  await using client = new H2Client(server.port)
  const stream = client.session.request({ ':path': '/', ':method': 'POST' })
  stream.write('half')
  assert.equal((await answerOf(stream)).status, 408)
})

test('a response of which the client reads nothing is truncated', options, async () => {
  const aborted = Promise.withResolvers<Error>()
  await using server = await secure(
    async (exchange) => {
      exchange.onAbort(aborted.resolve)
      return new Response(200, { body: Body.fromStream(endless()) })
    },
    { idleTimeout: 200 },
  )
  await using client = new H2Client(server.port)
  const stream = client.open('/')
  stream.on('error', () => {})
  stream.pause()
  await within('the exchange was aborted', aborted.promise)
})

function endless(): PassThrough {
  const stream = new PassThrough()
  const chunk = Buffer.alloc(65_536)
  const fill = () => {
    while (stream.write(chunk)) {}
  }
  stream.on('drain', fill)
  fill()
  return stream
}
