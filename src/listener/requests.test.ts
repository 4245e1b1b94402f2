import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Exchange, respond } from '#http'
import { converse, listening, RawClient } from '#test/listening'
import { waitUntil } from '#test/waiting'

/** A handler that records its exchanges. */
function recorder() {
  const seen: Exchange[] = []
  const handler = async (exchange: Exchange) => {
    seen.push(exchange)
    return respond(200, {}, 'ok')
  }
  return { seen, handler }
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1])

const request = (lines: string, body = '') => `${lines}\r\nConnection: close\r\n\r\n${body}`

test('passes method, normalized URI, headers and peer to the handler', async () => {
  const { seen, handler } = recorder()
  await using server = await listening(handler)
  await converse(
    server.port,
    request('PROPFIND /a/./b?x=%3f HTTP/1.1\r\nHost: Example.com:80\r\nX-One: 1\r\nx-one: 2\r\nUser-Agent: test'),
  )

  const { request: got, client } = seen[0]!
  assert.equal(got.method, 'PROPFIND')
  assert.equal(got.uri.rawPath, '/a/b')
  assert.equal(got.uri.rawQuery, 'x=%3f')
  assert.equal(got.headers.get('host'), got.uri.authority)
  assert.deepEqual(got.headers.all('x-one'), ['1', '2'])
  assert.equal(client.remoteAddress, '127.0.0.1')
  assert.equal(client.userAgent, 'test')
  assert.equal(client.localPort, server.port)
})

const refused: [string, string, number][] = [
  ['a fragment in the target (B4)', 'GET /admin#/public HTTP/1.1\r\nHost: a', 400],
  ['absolute form that names another host (B8)', 'GET http://other/ HTTP/1.1\r\nHost: gw', 400],
  ['no Host', 'GET / HTTP/1.1', 400],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: a', 400],
  ['a bad international Host (B34)', 'GET / HTTP/1.1\r\nHost: xn--\u00ff', 400],
  ['TRACE (B10)', 'TRACE / HTTP/1.1\r\nHost: a', 405],
  ['CONNECT (B10)', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443', 405],
  ['CONNECT with a body', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\nContent-Length: 9', 405],
  ['CONNECT with a chunked body', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\nTransfer-Encoding: chunked', 405],
  ['a method that is not known', 'FOO / HTTP/1.1\r\nHost: a', 501],
  ['a method that begins as a known one', 'GETS /x?y HTTP/1.1\r\nHost: a', 501],
  ['a method that a known one begins with', 'GE / HTTP/1.1\r\nHost: a', 501],
  ['a method of every character that may stand in one', "A!#$%&'*+-.^_`|~09 / HTTP/1.1\r\nHost: a", 501],
  ['a method of RTSP', 'DESCRIBE / HTTP/1.1\r\nHost: a', 501],
  ['a method of Icecast', 'SOURCE / HTTP/1.1\r\nHost: a', 501],
  ['a method that is no token', 'F(O / HTTP/1.1\r\nHost: a', 400],
  ['a method of 33 letters', `${'A'.repeat(33)} / HTTP/1.1\r\nHost: a`, 400],
  ['an unknown method in a malformed line', 'FOO / x HTTP/1.1\r\nHost: a', 400],
  ['a method that is not known, in HTTP/0.9', 'FOO /', 400],
  ['a method in lower case (B10)', 'get / HTTP/1.1\r\nHost: a', 400],
  ['the HTTP/2 preface (B10)', 'PRI * HTTP/2.0', 400],
  ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe', 417],
  [
    'Content-Length with Transfer-Encoding',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked',
    400,
  ],
  ['two Content-Lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3', 400],
  ['an empty element in Transfer-Encoding (B23)', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ,chunked', 400],
  ['another coding before chunked', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked', 400],
  [
    'Transfer-Encoding twice',
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
    400,
  ],
  ['Transfer-Encoding in HTTP/1.0', 'POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked', 400],
  ['HTTP/2.0 in the request line', 'GET / HTTP/2.0\r\nHost: a', 505],
  ['a head over 16 KiB (B89)', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}`, 431],
  ['2,000 header fields (B89)', `GET / HTTP/1.1\r\nHost: a\r\n${'a:b\r\n'.repeat(2000)}c:d`, 431],
  ['bytes that are no HTTP', '\u0016\u0003\u0001\u0002', 400],
]

for (const [what, text, status] of refused) {
  test(`refuses ${what} with ${status}, without details, and closes`, async () => {
    const { seen, handler } = recorder()
    await using server = await listening(handler)
    const answer = await converse(server.port, request(text))

    assert.equal(statusOf(answer), status, answer)
    assert.match(answer, /x-content-type-options: nosniff/i)
    assert.match(answer, /connection: close/i)
    assert.doesNotMatch(answer, /node|gateway|server:|x-powered-by|HPE_/i)
    assert.equal(seen.length, 0)
  })
}

test('a request with several Content-Lengths, and the bytes after it, never reach the handler', async () => {
  const { seen, handler } = recorder()
  await using server = await listening(handler)
  await converse(
    server.port,
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabcGET /smuggled HTTP/1.1\r\n\r\n',
  )

  assert.equal(seen.length, 0)
})

test('more than 16 KB of chunk extensions are refused with 413 (B24)', async () => {
  await using server = await listening(async (exchange) => {
    await exchange.request.body.read(1000)
    return respond(200)
  })
  const extension = `1;${'x'.repeat(1000)}\r\na\r\n`
  const answer = await converse(
    server.port,
    `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${extension.repeat(300)}0\r\n\r\n`,
  )

  assert.equal(statusOf(answer), 413)
})

for (const path of [
  '/gateway',
  '/gateway/api',
  '/GateWay/x',
  '/%67ateway',
  '/x/../gateway',
  '//gateway',
  '/gateway;a=b/c',
]) {
  test(`the reserved path ${path} is 404 and reaches no handler (B12)`, async () => {
    const { seen, handler } = recorder()
    await using server = await listening(handler, { reservedPrefix: 'gateway' })
    const answer = await converse(server.port, request(`GET ${path} HTTP/1.1\r\nHost: a`))
    await converse(server.port, request(`GET http://a${path} HTTP/1.1\r\nHost: a`))

    assert.ok([404, 400].includes(statusOf(answer)), answer)
    assert.equal(seen.length, 0)
  })
}

test('a path that has the reserved one only as a prefix of its first segment is served', async () => {
  const { handler } = recorder()
  await using server = await listening(handler, { reservedPrefix: 'gateway' })
  assert.equal(statusOf(await converse(server.port, request('GET /gateways HTTP/1.1\r\nHost: a'))), 200)
})

test('hop-by-hop fields, and those that Connection names, are removed before filters run (B16, B17)', async () => {
  const { seen, handler } = recorder()
  await using server = await listening(handler)
  await using client = new RawClient(server.port)
  client.send(
    'POST / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, X-Hop, content-length, Authorization, x-forwarded-for\r\n' +
      'Keep-Alive: 5\r\nProxy-Connection: x\r\nTE: gzip\r\nTrailer: x\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n' +
      'X-Hop: 1\r\nAuthorization: Bearer t\r\nContent-Length: 2\r\n\r\nhi',
  )
  await client.receives(/ok$/)

  const { headers, body } = seen[0]!.request
  assert.deepEqual(headers.names().sort(), [
    'Authorization',
    'Content-Length',
    'Host',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Port',
    'X-Forwarded-Proto',
  ])
  assert.equal(body.length, 2)
})

test('header names of Object.prototype are data (B33)', async () => {
  const { seen, handler } = recorder()
  await using server = await listening(handler)
  const answer = await converse(
    server.port,
    request('GET / HTTP/1.1\r\nHost: a\r\n__proto__: x\r\nconstructor: y\r\nhasOwnProperty: z'),
  )

  assert.equal(statusOf(answer), 200)
  assert.equal(seen[0]!.request.headers.get('__proto__'), 'x')
})

test('a transaction id is trusted only if configured and well-formed (B21)', async () => {
  const id = 'abc-123/0'
  const send = async (value: string, trustTransactionHeader: boolean) => {
    const { seen, handler } = recorder()
    await using server = await listening(handler, { trustTransactionHeader })
    await converse(server.port, request(`GET / HTTP/1.1\r\nHost: a\r\nX-Vendor-TransactionId: ${value}`))
    return seen[0]!.transactionId.value
  }

  assert.equal(await send(id, true), id)
  assert.notEqual(await send(id, false), id)
  for (const bad of ['a b', 'x'.repeat(10_000), 'a<script>', '%0d%0aX: y', 'é']) {
    assert.match(await send(bad, true), /^[\w-]{36}$/)
  }
})

test('requests on one connection are served sequentially, in order', async () => {
  const started: string[] = []
  const gate = Promise.withResolvers<void>()
  await using server = await listening(async ({ request }) => {
    started.push(request.uri.path)
    if (request.uri.path === '/1') await gate.promise
    return respond(200, {}, request.uri.path)
  })
  await using client = new RawClient(server.port)
  client.send('GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n')
  await converse(server.port, request('GET /other HTTP/1.1\r\nHost: a'))
  assert.deepEqual(started, ['/1', '/other'])
  gate.resolve()
  await client.receives(/\/1HTTP[\s\S]*\/2HTTP[\s\S]*\/3$/)
})

test('CONNECT gets its 405 after the responses to earlier requests', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await using server = await listening(async () => {
    await held
    return respond(200, {}, 'first')
  })
  await using client = new RawClient(server.port)
  client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n')
  await waitUntil('a request was active', () => server.listener.stats.active > 0)
  release()
  await client.closed

  assert.match(client.text, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\nfirstHTTP\/1\.1 405 [\s\S]*\r\nAllow: GET/)
})

test('an unknown method gets 501 on a connection that has served requests, and closes it', async () => {
  const { seen, handler } = recorder()
  await using server = await listening(handler)
  await using client = new RawClient(server.port)
  client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc')
  await client.receives(/ok$/)
  client.send('FOO /x HTTP/1.1\r\nHost: a\r\n\r\nGET /y HTTP/1.1\r\nHost: a\r\n\r\n')
  await client.closed
  assert.match(client.text, /okHTTP\/1\.1 501 Not Implemented\r\n[\s\S]*\r\nConnection: close\r\n/)
  assert.equal(seen.length, 1)
})

test('an unknown method gets 501 behind a body too', async () => {
  const { handler } = recorder()
  await using server = await listening(handler)
  const first = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc'
  const text = await converse(server.port, `${first}FOO /x HTTP/1.1\r\nHost: a\r\n\r\n`)
  assert.match(text, /okHTTP\/1\.1 501 Not Implemented\r\n[\s\S]*\r\nConnection: close\r\n/)
})

for (const [what, first, second] of [
  [
    'in the rest of a body that bad bytes follow',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 17\r\n\r\n',
    'FOO /x HTTP/1.1\r\n(',
  ],
  ['whose beginning came in a packet before', 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /', 'FOO /x HTTP/1.1\r\n'],
] as const) {
  test(`a line with an unknown method ${what} is not a request line: never 501`, async () => {
    const { seen, handler } = recorder()
    await using server = await listening(handler)
    await using client = new RawClient(server.port)
    client.send(first)
    if (first.startsWith('GET')) await client.receives(/ok$/)
    client.send(second)
    await client.closed
    assert.match(client.text, /HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\nConnection: close\r\n/)
    assert.doesNotMatch(client.text, /HTTP\/1\.1 501/)
    assert.ok(seen.length <= 1)
  })
}

test('a request before a malformed one is answered, then that one is refused and the connection closes', async () => {
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  await using server = await listening(async ({ request }) => {
    seen.push(request.uri.path)
    await gate.promise
    return respond(200, {}, 'first')
  })
  await using client = new RawClient(server.port)
  client.send('GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost : b\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n')
  await converse(server.port, 'nonsense\r\n\r\n')
  gate.resolve()
  await client.closed

  assert.match(client.text, /^HTTP\/1\.1 200 [\s\S]*firstHTTP\/1\.1 400 [\s\S]*Connection: close\r\n/)
  assert.deepEqual(seen, ['/1'])
})

for (const [sent, seenAs] of [
  ['trailers', 'trailers'],
  ['gzip;q=0.5, Trailers', 'trailers'],
  ['deflate', null],
] as const) {
  test(`TE: ${sent} is forwarded as ${seenAs}: the gateway relays trailers, and no codings`, async () => {
    const { seen, handler } = recorder()
    await using server = await listening(handler)
    await converse(server.port, request(`GET / HTTP/1.1\r\nHost: a\r\nTE: ${sent}\r\nConnection: close, TE`))
    assert.equal(seen[0]!.request.headers.get('te'), seenAs)
  })
}
