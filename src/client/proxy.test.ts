import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import type { ClientTls, ProxyOptions } from '#contracts'
import { Authority, clientTlsOf, opensslMissing } from '#test/certificates'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { tinyproxy, tinyproxyMissing } from '#test/tinyproxy'
import { httpUpstream, rawUpstream, silentUpstream, type Upstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'

const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

let keys = 0

/** All requests through one proxy. */
function through(port: number, authorization: () => string | null = () => null): ProxyOptions {
  return { key: `test ${++keys}`, proxyFor: () => ({ hostname: '127.0.0.1', port, authorization }) }
}

const portOf = (upstream: Upstream) => Number(new URL(upstream.url).port)
const basic = (words: string) => `Basic ${Buffer.from(words).toString('base64')}`

async function secureUpstream(listener: RequestListener, altNames = 'DNS:localhost') {
  const { key, certificate } = authority!.issue({ name: 'server', altNames })
  const server = createServer({ key, cert: certificate }, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const trusting = (): ClientTls => clientTlsOf(authority!)

test('a proxy gets the absolute URI and credentials; the named server is not contacted', async () => {
  const heads: string[] = []
  await using proxy = await rawUpstream((socket, head) => {
    heads.push(head)
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi')
  })
  await using client = clientWith({ connections: 1, proxy: through(portOf(proxy), () => basic('me:secret')) })
  for (const path of ['/a/b?c=%20d', '']) {
    const exchange = exchangeFor('GET', `http://app.invalid:8081${path}`, {
      headers: { Host: 'public.example', 'Proxy-Authorization': 'Basic mine' },
    })
    assert.equal(await textOf(await send(client, exchange)), 'hi')
  }
  assert.match(heads[0]!, /^GET http:\/\/app\.invalid:8081\/a\/b\?c=%20d HTTP\/1\.1\r\n/)
  assert.match(heads[1]!, /^GET http:\/\/app\.invalid:8081\/ HTTP\/1\.1\r\n/)
  assert.match(heads[0]!, /\r\nHost: public\.example\r\n/i)
  assert.deepEqual(heads[0]!.match(/^proxy-authorization: .*$/gim), [`proxy-authorization: ${basic('me:secret')}`])
  assert.equal(proxy.accepted, 1)
})

test('a proxy that rejects the credentials: 502', async () => {
  await using proxy = await rawUpstream((socket) =>
    socket.write('HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="p"\r\nContent-Length: 0\r\n\r\n'),
  )
  await using client = clientWith({ proxy: through(portOf(proxy)) })
  await assert.rejects(send(client, exchangeFor('GET', 'http://app.invalid/')), {
    code: 'GW_UPSTREAM_PROXY',
    status: 502,
  })
})

test('a 407 of the application is forwarded where no proxy is used', async () => {
  await using upstream = await httpUpstream((_request, response) => response.writeHead(407).end())
  await using client = clientWith()
  assert.equal((await send(client, exchangeFor('GET', upstream.url))).status, 407)
})

const REFUSALS: Readonly<Record<string, [string, string]>> = {
  'wants credentials': ['HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno', 'GW_UPSTREAM_PROXY'],
  'does not allow it': ['HTTP/1.1 403 No\r\n\r\n', 'GW_UPSTREAM_PROXY'],
  'speaks before the server': ['HTTP/1.1 200 Yes\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', 'GW_UPSTREAM_PROXY'],
  'speaks another version': ['HTTP/2.0 200 Yes\r\n\r\n', 'GW_UPSTREAM_CONNECT'],
  'sends a part of a response': ['HTTP/1.1 200 Yes\r\nX-A: b', 'GW_UPSTREAM_CONNECT'],
  'sends informational responses only': ['HTTP/1.1 100 Continue\r\n\r\n', 'GW_UPSTREAM_CONNECT'],
  'does not speak HTTP': ['220 mail.example ESMTP\r\n', 'GW_UPSTREAM_CONNECT'],
}

for (const [what, [answer, code]] of Object.entries(REFUSALS)) {
  test(`a tunnel through a proxy that ${what}: 502`, async () => {
    await using proxy = await rawUpstream((socket) => socket.end(answer))
    await using client = clientWith({ proxy: through(portOf(proxy)) })
    await assert.rejects(send(client, exchangeFor('GET', 'https://app.invalid/')), { code, status: 502 })
  })
}

/** Checks the code of an error, and that its cause names the proxy. */
function failureOf(code: string, cause: RegExp): (error: NodeJS.ErrnoException) => boolean {
  return (error) => {
    assert.equal(error.code, code)
    assert.match((error.cause as Error).message, cause)
    return true
  }
}

test('a proxy that can not be reached, or ends the connection, is named in the cause of the failure', async () => {
  await using closing = await rawUpstream((socket) => socket.destroy())
  await using gone = await rawUpstream(() => {})
  const port = portOf(gone)
  await gone[Symbol.asyncDispose]()
  for (const [where, url, cause] of [
    [port, 'http://app.invalid/', /^proxy 127\.0\.0\.1:\d+: connect ECONNREFUSED/],
    [port, 'https://app.invalid/', /^proxy 127\.0\.0\.1:\d+: connect ECONNREFUSED/],
    [portOf(closing), 'https://app.invalid/', /^proxy 127\.0\.0\.1:\d+: /],
  ] as const) {
    await using client = clientWith({ proxy: through(where) })
    await assert.rejects(send(client, exchangeFor('GET', url)), failureOf('GW_UPSTREAM_CONNECT', cause))
  }
})

test('an unresponsive proxy times out after connectionTimeout', async () => {
  await using proxy = await silentUpstream((socket) => void socket.resume())
  await using client = clientWith({ proxy: through(portOf(proxy)), connectionTimeout: 100 })
  const late = /^proxy 127\.0\.0\.1:\d+: connection: expected it to be established in time$/
  await assert.rejects(send(client, exchangeFor('GET', 'https://app.invalid/')), failureOf('GW_UPSTREAM_CONNECT', late))
  await waitUntil('the connection to the proxy was closed', () => proxy.sockets.size === 0)
})

/** Responses to CONNECT that open a tunnel, in packets. */
const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  'after informational responses': [
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 200 Yes\r\n\r\n',
  ],
  'with framing fields, which have no meaning': [
    'HTTP/1.1 200 Yes\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
  ],
  'of HTTP/1.0, without a reason, byte by byte': [...'HTTP/1.0 200\r\n\r\n'],
}

for (const [what, packets] of Object.entries(ACCEPTED)) {
  test(`a tunnel is opened by a response ${what}`, { skip: opensslMissing }, async () => {
    await using upstream = await secureUpstream((_request, response) => response.end('ok'))
    const relays: Socket[] = []
    await using proxy = await rawUpstream((socket) => {
      const relay = connect(upstream.port, '127.0.0.1', async () => {
        socket.setNoDelay(true).removeAllListeners('data').pause()
        for (const packet of packets) await new Promise((resolve) => socket.write(packet, resolve))
        socket.pipe(relay).pipe(socket)
      })
      relay.on('error', () => {})
      relays.push(relay)
    })
    await using client = clientWith({ proxy: through(portOf(proxy)), tls: trusting() })
    assert.equal(await textOf(await send(client, exchangeFor('GET', `https://localhost:${upstream.port}/`))), 'ok')
    for (const relay of relays) relay.destroy()
  })
}

test('the request is sent after the tunnel is established, and the tunnel is opened to the host of the URI', {
  skip: opensslMissing,
}, async () => {
  await using upstream = await secureUpstream((request, response) => response.end(request.headers.host))
  const heads: string[] = []
  const relays: Socket[] = []
  await using proxy = await rawUpstream((socket, head) => {
    heads.push(head)
    const relay = connect(upstream.port, '127.0.0.1', () => {
      socket.removeAllListeners('data')
      socket.write('HTTP/1.1 200 Established\r\n\r\n')
      socket.pipe(relay).pipe(socket)
    })
    relay.on('error', () => {})
    relays.push(relay)
  })
  await using client = clientWith({
    connections: 1,
    proxy: through(portOf(proxy), () => basic('a:b')),
    tls: trusting(),
  })
  for (let i = 0; i < 3; i++) {
    const exchange = exchangeFor('GET', 'https://localhost:4433/x', { headers: { Host: 'public.example' } })
    assert.equal(await textOf(await send(client, exchange)), 'public.example')
  }
  assert.equal(heads.length, 1)
  assert.match(heads[0]!, /^CONNECT localhost:4433 HTTP\/1\.1\r\n/)
  assert.match(heads[0]!, new RegExp(`\r\nproxy-authorization: ${basic('a:b')}`, 'i'))
  assert.doesNotMatch(heads[0]!, /public\.example/)

  // The certificate is that of the server, not of the proxy.
  await assert.rejects(send(client, exchangeFor('GET', 'https://other.invalid/')), { code: 'GW_UPSTREAM_CONNECT' })
  for (const relay of relays) relay.destroy()
})

const real = { skip: tinyproxyMissing || opensslMissing }

test('tinyproxy: plain requests, tunnels, credentials', real, async () => {
  await using plain = await httpUpstream(async (request, response) => {
    const body: Buffer[] = []
    for await (const chunk of request) body.push(chunk as Buffer)
    response.end(`${request.method} ${request.url} ${Buffer.concat(body).length}`)
  })
  await using secure = await secureUpstream((request, response) => response.end(`secure ${request.url}`))
  await using proxy = await tinyproxy('BasicAuth me secret')
  const tls = trusting()
  await using client = clientWith({ proxy: through(proxy.port, () => basic('me:secret')), tls })
  for (let i = 0; i < 3; i++) {
    const sent = await send(client, exchangeFor('POST', `${plain.url}/a?b`, { body: Buffer.alloc(200_000) }))
    assert.equal(await textOf(sent), 'POST /a?b 200000')
    const got = await send(client, exchangeFor('GET', `https://localhost:${secure.port}/c`))
    assert.equal(await textOf(got), 'secure /c')
  }
  await using anonymous = clientWith({ proxy: through(proxy.port), tls })
  for (const url of [plain.url, `https://localhost:${secure.port}/`]) {
    await assert.rejects(send(anonymous, exchangeFor('GET', url)), { code: 'GW_UPSTREAM_PROXY', status: 502 })
  }
})
