import assert from 'node:assert/strict'
import { connect as connectPlain } from 'node:net'
import { after, test } from 'node:test'
import { connect } from 'node:tls'
import { type Exchange, respond } from '#http'
import type { ListenerSettings } from '#listener'
import { Authority, opensslMissing, serverTlsOf } from '#test/certificates'
import { H2Client } from '#test/h2-client'
import { FRAME, FrameClient, frame, framesOf, literal, PREFACE } from '#test/h2-frames'
import { FLOODS } from '#test/hostile/http2-floods'
import { converse, listening, RawClient } from '#test/listening'
import { once, waitUntil, within } from '#test/waiting'

const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

const ok = async () => respond(200, {}, 'ok')
const GET = literal({ ':method': 'GET', ':scheme': 'http', ':authority': 'localhost', ':path': '/' })
const SETTINGS = frame(FRAME.settings, 0, 0)
const preface = PREFACE.toString('latin1')

const plain = (port: number, more: Readonly<Record<string, unknown>> = {}) => new H2Client(port, more, 'http')

test('a connector without TLS serves HTTP/2 to clients with prior knowledge, beside HTTP/1.1', async () => {
  await using server = await listening(async ({ request, client }: Exchange) => {
    const { version, uri, headers } = request
    const { secure } = client
    return respond(200, {}, JSON.stringify({ version, uri: String(uri), host: headers.get('host'), secure }))
  })
  await using client = plain(server.port)
  const authority = `localhost:${server.port}`
  const expected = { uri: `http://${authority}/a?b`, host: authority, secure: false }
  assert.deepEqual(JSON.parse((await client.ask('/a?b')).text), { version: 'HTTP/2', ...expected })
  const one = await fetch(`http://${authority.replace('localhost', '127.0.0.1')}/`)
  assert.equal(((await one.json()) as { version: string }).version, 'HTTP/1.1')
  assert.equal((await client.ask('/')).status, 200)
  assert.equal(server.listener.stats.connections >= 1, true)
})

test('bodies are received and sent completely, in both directions at once', async () => {
  await using server = await listening(async ({ request }) =>
    respond(200, {}, Buffer.from(await request.body.read(1e6)).toString()),
  )
  await using client = plain(server.port)
  const body = 'x'.repeat(900_000)
  const answers = await Promise.all([1, 2, 3].map(() => client.ask('/', { method: 'POST', body })))
  for (const { text } of answers) assert.equal(text.length, body.length)
})

test('the preface may arrive in pieces of any size, with or without the first frames', async () => {
  await using server = await listening(ok)
  const first = Buffer.concat([PREFACE, SETTINGS, frame(FRAME.headers, 5, 1, GET)])
  for (const size of [1, 5, 23, 24, 25, 40, 1000]) {
    await using client = await FrameClient.connected(server.port, 'http')
    client.socket.setNoDelay(true)
    for (let at = 0; at < first.length; at += size) {
      client.send(first.subarray(at, at + size))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const head = await client.receives(({ type, stream }) => type === FRAME.headers && stream === 1)
    assert.equal(head.stream, 1, `pieces of ${size}`)
  }
})

test('an incomplete preface gets 408 after headersTimeout', async () => {
  await using server = await listening(ok, { headersTimeout: 100 })
  for (const length of [1, 3, 14, 18, 23]) {
    const answer = await converse(server.port, preface.slice(0, length))
    assert.match(answer, /^HTTP\/1.1 408 /, `after ${length} bytes`)
  }
})

test('a preface without anything after it is an idle connection, closed after keepAliveTimeout', async () => {
  await using server = await listening(ok, { keepAliveTimeout: 200, headersTimeout: 100 })
  await using client = await FrameClient.open(server.port, 'http')
  await within('the connection closed', client.closed)
  assert.ok(framesOf(client.received).some(({ type }) => type === FRAME.goaway))
})

const others: readonly (readonly [string, string])[] = [
  ['a request with the method PRI', 'PRI / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['another target', 'PRI / HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['another version', 'PRI * HTTP/1.1\r\n\r\nSM\r\n\r\n'],
  ['an empty line before it', `\r\n${preface}`],
  ['another second line', 'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n'],
  ['a field in it', 'PRI * HTTP/2.0\r\nHost: a\r\n\r\nSM\r\n\r\n'],
]

for (const [what, text] of others) {
  test(`the preface with ${what} is a malformed request: 400, and the connection closes (B10)`, async () => {
    let reached = 0
    await using server = await listening(async () => {
      reached++
      return respond(200)
    })
    const answer = await converse(server.port, text + Buffer.concat([SETTINGS, GET]).toString('latin1'))
    assert.match(answer, /^HTTP\/1.1 400 /)
    assert.equal(reached, 0)
  })
}

test('the preface after a request of HTTP/1.1 does not switch to HTTP/2 (B35)', async () => {
  const seen: string[] = []
  await using server = await listening(async ({ request }) => {
    seen.push(`${request.version} ${request.uri.path}`)
    return respond(200, {}, 'one')
  })
  const frames = Buffer.concat([PREFACE, SETTINGS, frame(FRAME.headers, 5, 1, GET)]).toString('latin1')
  const pipelined = await converse(server.port, `GET /a HTTP/1.1\r\nHost: a\r\n\r\n${frames}`)
  assert.match(pipelined, /^HTTP\/1.1 200 OK[\s\S]*oneHTTP\/1.1 400 /)
  await using client = new RawClient(server.port)
  await client.send('GET /b HTTP/1.1\r\nHost: a\r\n\r\n').receives(/one/)
  client.send(frames)
  await within('the connection closed', client.closed)
  assert.match(client.text, /one[\s\S]*HTTP\/1.1 400 /)
  assert.deepEqual(seen, ['HTTP/1.1 /a', 'HTTP/1.1 /b'])
})

test('Upgrade: h2c is ignored (B35)', async () => {
  await using server = await listening(async ({ request }) => respond(200, {}, String(request.headers.get('upgrade'))))
  const fields = 'Host: a\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
  assert.match(await converse(server.port, `GET / HTTP/1.1\r\n${fields}\r\n`), /^HTTP\/1.1 200 OK/)
})

test('HTTP/1.1 after the preface closes the connection', async () => {
  await using server = await listening(ok)
  const answer = await converse(server.port, `${preface}GET / HTTP/1.1\r\nHost: a\r\n\r\n`)
  assert.doesNotMatch(answer, /HTTP\/1.1/)
})

test('without cleartext HTTP/2 the preface is refused with 400', async () => {
  await using server = await listening(ok, { http2ClearText: false })
  assert.match(await converse(server.port, preface), /^HTTP\/1.1 400 /)
})

test('over TLS the preface is refused unless ALPN chose HTTP/2', { skip: opensslMissing }, async () => {
  await using server = await listening(ok, { tls: serverTlsOf(authority!.issue({ name: 'localhost' })) })
  const socket = connect({ port: server.port, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket.write(PREFACE)
  await once(socket, 'close')
  assert.match(text, /^HTTP\/1.1 400 /)
})

for (const name of ['rapid reset', 'settings', 'ping', 'CONTINUATION with fields', 'empty DATA'] as const) {
  test(`a flood of ${name} without TLS closes its connection; others are served meanwhile (F25)`, async () => {
    // A trusted proxy may send the scheme of its client, which is https in these frames.
    await using server = await listening(ok, { trustedProxies: ['127.0.0.1', '::1'] })
    await using attacker = await FrameClient.open(server.port, 'http')
    await using victim = plain(server.port)
    let isClosed = false
    void attacker.closed.then(() => {
      isClosed = true
    })
    for (let round = 0; !isClosed && round < 5_000; round++) {
      attacker.send(...Array.from({ length: 200 }, (_, at) => FLOODS[name]!(round * 200 + at)).flat())
      await attacker.flushed()
      if (round % 20 === 0) assert.equal((await victim.ask('/')).status, 200)
    }
    assert.equal(isClosed, true, 'the attacker is still connected')
    assert.equal((await victim.ask('/')).status, 200)
    await waitUntil('no request was active', () => server.listener.stats.active === 0)
  })
}

test('a scheme other than that of the connection: 400, unless a trusted proxy sent it', async () => {
  const answer = async ({ request, client }: Exchange) => respond(200, {}, `${request.uri.scheme} ${client.secure}`)
  const ask = async (settings: Partial<ListenerSettings>, scheme: string) => {
    await using server = await listening(answer, settings)
    await using client = plain(server.port)
    const { status, text } = await client.ask('/', { headers: { ':scheme': scheme } })
    return status === 200 ? text : status
  }
  const trusting = { trustedProxies: ['127.0.0.1', '::1'] }
  assert.equal(await ask({}, 'https'), 400)
  assert.equal(await ask({}, 'http'), 'http false')
  assert.equal(await ask(trusting, 'https'), 'http false')
  assert.equal(await ask(trusting, 'ftp'), 400)
})

test('Host may name the default port of the scheme beside :authority', async () => {
  await using server = await listening(ok)
  await using client = plain(server.port)
  const ask = (host: string) => client.ask('/', { headers: { ':authority': 'a.example', host } })
  assert.equal((await ask('a.example:80')).status, 200)
  assert.equal((await ask('a.example:443')).status, 400)
})

test('a drain sends GOAWAY, lets active requests end, and includes incomplete prefaces', async () => {
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  await using server = await listening(async () => {
    started.resolve()
    await gate.promise
    return respond(200, {}, 'done')
  })
  await using partial = new RawClient(server.port)
  partial.send(preface.slice(0, 10))
  await using client = plain(server.port)
  const goaway = once(client.session, 'goaway')
  const answer = client.ask('/')
  await within('the handler was called', started.promise)
  const drained = server.listener.drain(5_000)
  await goaway
  // Completed during the drain: the connection gets GOAWAY at once.
  partial.send(preface.slice(10))
  gate.resolve()
  assert.equal((await answer).text, 'done')
  assert.deepEqual(await drained, { aborted: 0 })
  await client.closed
})

test('a handover serves requests that arrive before its GOAWAY, which names the last one', async () => {
  await using server = await listening(ok)
  await using client = await FrameClient.open(server.port, 'http')
  await client.receives(({ type }) => type === FRAME.settings)
  const drained = server.listener.drain(5_000, { isHandover: true })
  await waitUntil('the listener was closed', () => isRefused(server.port))
  client.send(frame(FRAME.headers, 5, 1, GET))
  await client.receives(({ type, stream }) => type === FRAME.headers && stream === 1)
  const { payload } = await client.receives(({ type }) => type === FRAME.goaway)
  assert.equal(payload.readUInt32BE(), 1)
  assert.deepEqual(await drained, { aborted: 0 })
})

function isRefused(port: number): Promise<boolean> {
  const socket = connectPlain(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('error', () => resolve(true))
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })
}

test('a client that ends its side during a request has disconnected', async () => {
  const started = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<unknown>()
  await using server = await listening(async (exchange) => {
    exchange.onAbort(aborted.resolve)
    started.resolve()
    return new Promise(() => {})
  })
  await using client = await FrameClient.open(server.port, 'http')
  client.send(frame(FRAME.headers, 5, 1, GET))
  await within('the handler was called', started.promise)
  client.socket.end()
  await within('the exchange was aborted', aborted.promise)
  await within('the connection closed', client.closed)
})

test('clients that disconnect during or after the preface leave nothing behind', async () => {
  await using server = await listening(ok, { keepAliveTimeout: 60_000 })
  await using victim = plain(server.port)
  for (let round = 0; round < 100; round++) {
    await using client = await FrameClient.connected(server.port, 'http')
    client.send(PREFACE.subarray(0, 20 + (round % 5)), ...(round % 5 === 4 ? [SETTINGS] : []))
    if (round % 2 === 0) client.socket.resetAndDestroy()
    else client.socket.destroy()
  }
  assert.equal((await victim.ask('/')).status, 200)
  await waitUntil('the connections were closed', () => server.listener.stats.connections <= 1)
  assert.deepEqual(server.listener.stats, { connections: 1, active: 0 })
})
