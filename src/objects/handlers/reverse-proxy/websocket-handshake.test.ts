import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { WebSocket as WsClient } from 'ws'
import { respond } from '#http'
import { converse, RawClient } from '#test/listening'
import { tinyproxy, tinyproxyMissing } from '#test/tinyproxy'
import { httpUpstream, rawUpstream } from '#test/upstream'
import { once, waitUntil, within } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'
import { ACCEPT, HANDSHAKE, message, opened, refusal, startProxy } from '#test/websocket-proxy'

test('the upstream request has the handshake and the fields of the client, without hop-by-hop fields', async () => {
  const heads: string[] = []
  await using upstream = await rawUpstream((socket, head) => {
    heads.push(head)
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: Upgrade, X-Hop\r\nX-Hop: 1\r\nX-App: 2\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n\r\n`,
    )
  })
  await using proxy = await startProxy(upstream.url)
  await using client = new RawClient(proxy.port)
  client.send(`GET /a?b=c HTTP/1.1\r\n${HANDSHAKE}Keep-Alive: 5\r\nOrigin: http://a\r\nX-One: 1\r\nTE: gzip\r\n\r\n`)
  await client.receives(/\r\n\r\n/)
  const [head = ''] = heads
  assert.match(head, /^GET \/a\?b=c HTTP\/1\.1\r\n/)
  for (const field of [
    'Host: a',
    'Origin: http://a',
    'X-One: 1',
    'Sec-WebSocket-Version: 13',
    'Connection: Upgrade',
    'Upgrade: websocket',
  ]) {
    assert.equal(head.split('\r\n').filter((line) => line === field).length, 1, field)
  }
  assert.doesNotMatch(head, /Keep-Alive|^TE:|Content-Length|Transfer-Encoding/im)
  assert.match(
    client.text,
    new RegExp(
      `X-App: 2\r\nSec-WebSocket-Accept: ${RegExp.escape(ACCEPT)}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`,
    ),
  )
  assert.doesNotMatch(client.text, /X-Hop/)
})

test('B66: filters run before the upgrade; a rejected request gets a plain HTTP response and never reaches the application', async () => {
  let asked = 0
  await using upstream = await webSocketUpstream({ onConnection: () => asked++ })
  await using proxy = await startProxy(upstream.url, {}, {}, (handler) => async (exchange) => {
    const token = exchange.request.headers.get('authorization')
    return token === 'Bearer good' ? handler(exchange) : respond(token === null ? 401 : 403)
  })
  assert.equal(await refusal(proxy.ws), 401)
  assert.equal(await refusal(proxy.ws, [], { headers: { authorization: 'Bearer bad' } }), 403)
  assert.equal(asked, 0)
  const client = new WsClient(proxy.ws, { headers: { authorization: 'Bearer good' } })
  await once(client, 'open')
  client.terminate()
})

test('B67: a plain HTTP response of the application is relayed with its body', async () => {
  await using upstream = await httpUpstream((_request, response) => {
    response.writeHead(426, { 'X-App': '1', Upgrade: 'other' })
    response.end('not here')
  })
  await using proxy = await startProxy(upstream.url)
  const answer = await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
  assert.match(answer, /^HTTP\/1\.1 426 Upgrade Required\r\n[\s\S]*X-App: 1[\s\S]*not here/)
  assert.doesNotMatch(answer, /^Upgrade:/im)
})

for (const line of ['HTTP/2.0 101 Switching Protocols', 'HTTP/1.0 101 x', 'HTTP/0.9 101 x', 'HTTP/2.0 200 OK']) {
  test(`a response to the handshake that begins ${line} gives 502`, async () => {
    await using upstream = await rawUpstream((socket) =>
      socket.end(
        `${line}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n\r\nsecret`,
      ),
    )
    await using proxy = await startProxy(upstream.url)
    const answer = await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
    assert.match(answer, /^HTTP\/1\.1 502 /)
    assert.doesNotMatch(answer, /secret/)
  })
}

for (const [what, head] of [
  ['a wrong Sec-WebSocket-Accept', `Upgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT.replace('s', 't')}`],
  ['no Sec-WebSocket-Accept', 'Upgrade: websocket'],
  ['two of them', `Upgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT}\r\nSec-WebSocket-Accept: ${ACCEPT}`],
  ['another protocol', `Upgrade: h2c\r\nSec-WebSocket-Accept: ${ACCEPT}`],
  ['no protocol', `Sec-WebSocket-Accept: ${ACCEPT}`],
  ['an unrequested subprotocol', `Upgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT}\r\nSec-WebSocket-Protocol: a`],
  ['an unrequested extension', `Upgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT}\r\nSec-WebSocket-Extensions: x`],
] as const) {
  test(`B67: a 101 with ${what} opens no tunnel`, async () => {
    await using upstream = await rawUpstream((socket) =>
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${head}\r\n\r\nsecret`),
    )
    await using proxy = await startProxy(upstream.url)
    const answer = await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
    assert.match(answer, /^HTTP\/1\.1 502 /)
    assert.doesNotMatch(answer, /secret/)
    await waitUntil('the upstream connections were closed', () => upstream.sockets.size === 0)
  })
}

const ACCEPTED = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n`

for (const [what, response] of [
  ['an empty line before it', `\r\nHTTP/1.1 101 x\r\n${ACCEPTED}\r\nsecret`],
  ['a control character in its reason', `HTTP/1.1 101 x\x01y\r\n${ACCEPTED}\r\nsecret`],
  ['another coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n6\r\nsecret\r\n0\r\n\r\n'],
  ['an invalid chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nsecretX'],
  [
    'more informational responses than are read',
    `${'HTTP/1.1 103 x\r\n\r\n'.repeat(50)}HTTP/1.1 101 x\r\n${ACCEPTED}\r\n`,
  ],
] as const) {
  test(`a response to the handshake with ${what} is read as strictly as any other: 502`, async () => {
    await using upstream = await rawUpstream((socket) => socket.write(response))
    await using proxy = await startProxy(upstream.url)
    const answer = await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
    assert.match(answer, /^HTTP\/1\.1 502 /)
    assert.doesNotMatch(answer, /secret/)
    await waitUntil('the upstream connections were closed', () => upstream.sockets.size === 0)
  })
}

test('a response to the handshake whose body has no length ends with its connection, in any pieces', async () => {
  const parts = ['HTTP/1.1 20', '0 OK\r\nX-App: 1\r', '\n\r\nnot ', 'here']
  await using upstream = await rawUpstream((socket) => {
    socket.setNoDelay()
    const next = () => {
      const part = parts.shift()
      if (part === undefined) socket.end()
      else socket.write(part, () => setImmediate(next))
    }
    next()
  })
  await using proxy = await startProxy(upstream.url)
  const answer = await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
  assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*X-App: 1/)
  assert.match(answer, /not here|4\r\nnot \r\n4\r\nhere/)
})

const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const VERSION = 'Sec-WebSocket-Version: 13\r\n'

for (const [what, fields, status = 400] of [
  ['no key', VERSION],
  ['a bad key', `${VERSION}Sec-WebSocket-Key: abc\r\n`],
  ['two keys', VERSION + KEY + KEY],
  ['no version', KEY],
  ['two versions', KEY + VERSION + VERSION],
  ['a version that is no more', `${KEY}Sec-WebSocket-Version: 8\r\n`, 426],
  ['a version that is not yet', `${KEY}Sec-WebSocket-Version: 14\r\n`, 426],
  ['a broken subprotocol', `${KEY}${VERSION}Sec-WebSocket-Protocol: a b\r\n`],
  ['a subprotocol twice', `${KEY}${VERSION}Sec-WebSocket-Protocol: a, a\r\n`],
  ['B68: spaces without end', `${KEY}${VERSION}Sec-WebSocket-Protocol: a${' '.repeat(9_000)}b\r\n`],
] as const) {
  test(`a handshake with ${what} is rejected with ${status}`, async () => {
    await using upstream = await webSocketUpstream({ onConnection: () => assert.fail('the application was asked') })
    await using proxy = await startProxy(upstream.url)
    const head = `GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${fields}\r\n`
    const answer = await converse(proxy.port, head)
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.match(answer, /^Sec-WebSocket-Version: 13\r$/m)
  })
}

for (const connection of ['Upgrade', 'keep-alive, Upgrade', 'KEEP-ALIVE,upgrade', 'uPgRaDe , x-other']) {
  test(`a client with Connection: ${connection} is upgraded`, async () => {
    await using upstream = await webSocketUpstream()
    await using proxy = await startProxy(upstream.url)
    await using client = new RawClient(proxy.port)
    client.send(`GET / HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\nUpgrade: WebSocket\r\n${KEY}${VERSION}\r\n`)
    await client.receives(/^HTTP\/1\.1 101 [\s\S]*\r\n\r\n/)
  })
}

for (const [status, fields] of [
  [200, 'Content-Type: text/html'],
  [302, 'Location: https://login.example/?goto=%2F'],
  [401, 'WWW-Authenticate: Bearer realm="app"'],
  [503, 'Retry-After: 5'],
] as const) {
  test(`B67: a response ${status} to the handshake is relayed`, async () => {
    await using upstream = await rawUpstream((socket) =>
      socket.write(`HTTP/1.1 ${status} Custom Reason\r\n${fields}\r\nContent-Length: 4\r\n\r\nbody`),
    )
    await using proxy = await startProxy(upstream.url)
    const answer = await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} Custom Reason\r\n[\\s\\S]*\r\n\r\nbody$`))
    assert.ok(answer.includes(`\r\n${fields}\r\n`))
    await waitUntil('the upstream connections were closed', () => upstream.sockets.size === 0)
  })
}

test('informational responses before the 101 are skipped, and frames in the same packet are not lost', async () => {
  await using upstream = await rawUpstream((socket) =>
    socket.write(
      Buffer.concat([
        Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
        Buffer.from(
          `HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n`,
        ),
        Buffer.from('Set-Cookie: a=b\r\n\r\n'),
        Buffer.from([0x81, 2, 0x68, 0x69]),
      ]),
    ),
  )
  await using proxy = await startProxy(upstream.url)
  await using client = new RawClient(proxy.port)
  client.send(`GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
  await client.receives(/^HTTP\/1\.1 101 X\r\n[\s\S]*Set-Cookie: a=b\r\n[\s\S]*\r\n\r\n\x81\x02hi$/)
})

test('without Upgrade, which a filter removed, it is a plain request', async () => {
  await using upstream = await httpUpstream((request, response) => response.end(request.headers.upgrade ?? 'none'))
  await using proxy = await startProxy(upstream.url, {}, {}, (handler) => async (exchange) => {
    exchange.request.headers.delete('upgrade')
    return handler(exchange)
  })
  assert.match(await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`), /^HTTP\/1\.1 200 OK[\s\S]*none$/)
})

test('buffering of responses does not affect a WebSocket connection', async () => {
  await using upstream = await webSocketUpstream()
  await using proxy = await startProxy(upstream.url, { asyncBehavior: 'non_streaming' })
  const socket = await opened(proxy.ws)
  socket.send('a')
  assert.equal(await message(socket), 'a')
  socket.close()
})

test('by default the compression offers of the client are relayed to the application', async () => {
  const offers: string[] = []
  await using upstream = await rawUpstream((socket, head) => {
    offers.push(/^Sec-WebSocket-Extensions: (.*)$/im.exec(head)?.[1] ?? 'none')
    socket.end('HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n')
  })
  const ask = async (vertx: object) => {
    await using proxy = await startProxy(upstream.url, { websocket: { vertx } })
    const offer =
      'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits, x-webkit-deflate-frame\r\nSec-WebSocket-Extensions: other\r\n'
    await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}${offer}\r\n`)
    return offers.pop()
  }
  assert.equal(await ask({}), 'permessage-deflate; client_max_window_bits, x-webkit-deflate-frame, other')
  assert.equal(await ask({ tryUsePerMessageWebSocketCompression: false }), 'x-webkit-deflate-frame, other')
  assert.equal(
    await ask({ tryUsePerFrameWebSocketCompression: false }),
    'permessage-deflate; client_max_window_bits, other',
  )
})

test('B70: the subprotocol that the application selects is relayed once; unlisted ones are not offered', async () => {
  const offered: string[][] = []
  await using upstream = await webSocketUpstream({
    handleProtocols: (protocols) => {
      offered.push([...protocols])
      return [...protocols].at(-1) ?? false
    },
  })
  await using free = await startProxy(upstream.url)
  assert.equal((await opened(free.ws, ['one', 'two'])).protocol, 'two')
  await using limited = await startProxy(upstream.url, {}, { settings: { webSocketSubProtocols: ['one', 'three'] } })
  const socket = await opened(limited.ws, ['one', 'two'])
  assert.equal(socket.protocol, 'one')
  assert.deepEqual(offered, [['one', 'two'], ['one']])
  assert.equal(await refusal(limited.ws, ['two']), 400)
  assert.equal((await opened(limited.ws)).protocol, '')
})

test('compression is negotiated between the endpoints, unless it is disabled', async () => {
  await using upstream = await webSocketUpstream({ perMessageDeflate: { threshold: 0 } })
  await using proxy = await startProxy(upstream.url)
  const client = new WsClient(proxy.ws, { perMessageDeflate: { threshold: 0 } })
  await once(client, 'open')
  assert.match(client.extensions, /permessage-deflate/)
  client.send('a'.repeat(100_000))
  const [data] = (await once(client, 'message')) as [Buffer]
  assert.equal(data.length, 100_000)
  client.terminate()
  const vertx = { tryUsePerMessageWebSocketCompression: false }
  await using without = await startProxy(upstream.url, { websocket: { vertx } })
  const plain = new WsClient(without.ws)
  await once(plain, 'open')
  assert.equal(plain.extensions, '')
  plain.terminate()
})

test('not enabled: the request is relayed as a plain request', async () => {
  const heads: string[] = []
  await using upstream = await rawUpstream((socket, head) => {
    heads.push(head)
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  })
  await using proxy = await startProxy(upstream.url, { websocket: { enabled: false } })
  assert.match(await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`), /^HTTP\/1\.1 200 OK[\s\S]*ok$/)
  assert.doesNotMatch(heads[0]!, /^(Upgrade|Connection: Upgrade)/im)
})

test('an unreachable application gives 502, one that does not complete the handshake 504', async () => {
  await using silent = await rawUpstream(() => {})
  await using proxy = await startProxy(silent.url, { soTimeout: '100 ms' })
  assert.equal(await refusal(proxy.ws), 504)
  await waitUntil('the connections to the silent server were closed', () => silent.sockets.size === 0)
  await using gone = await startProxy('http://127.0.0.1:1')
  assert.equal(await refusal(gone.ws), 502)
})

test('a client that disconnects during the handshake aborts it', async () => {
  const asked = Promise.withResolvers<void>()
  await using upstream = await rawUpstream(() => asked.resolve())
  await using proxy = await startProxy(upstream.url)
  const client = new WsClient(proxy.ws)
  client.on('error', () => {})
  await within('the request reached the server', asked.promise)
  client.terminate()
  await waitUntil(
    'the upstream connections were closed and no request was active',
    () => upstream.sockets.size === 0 && proxy.listener.stats.active === 0,
  )
})

test('tinyproxy: a tunnel with credentials, also without TLS', { skip: tinyproxyMissing }, async () => {
  await using forward = await tinyproxy('BasicAuth me secret')
  await using upstream = await webSocketUpstream()
  const uri = `http://127.0.0.1:${forward.port}`
  await using gateway = await startProxy(upstream.url, { proxy: { uri, username: 'me', password: 'secret' } })
  const socket = await opened(gateway.ws)
  socket.send('through')
  assert.equal(await message(socket), 'through')
  socket.close()
  await using stranger = await startProxy(upstream.url, { proxy: { uri, username: 'me', password: 'other' } })
  assert.equal(await refusal(stranger.ws), 502)
})

test('a forward proxy is used with CONNECT, also without TLS', async () => {
  const asked: string[] = []
  const proxy = createServer().on('connect', (request, client) => {
    asked.push(request.url ?? '')
    const [host, port] = (request.url ?? '').split(':')
    const server = connect(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
    server.pipe(client).pipe(server)
    for (const end of [server, client]) end.on('error', () => {})
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  await using upstream = await webSocketUpstream()
  const uri = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  await using gateway = await startProxy(upstream.url, { proxy: { uri } })
  const socket = await opened(gateway.ws)
  socket.send('through')
  assert.equal(await message(socket), 'through')
  assert.deepEqual(asked, [new URL(upstream.url).host])
  socket.close()
  proxy.close()
})

test('the URI may have the scheme ws', async () => {
  await using upstream = await webSocketUpstream()
  await using proxy = await startProxy(upstream.url.replace('http:', 'ws:'))
  const socket = await opened(proxy.ws)
  socket.send('a')
  assert.equal(await message(socket), 'a')
  socket.close()
})
