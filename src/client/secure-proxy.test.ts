import assert from 'node:assert/strict'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { after, test } from 'node:test'
import { createServer, type TLSSocket } from 'node:tls'
import type { ClientTls, ProxyOptions } from '#contracts'
import { Authority, Changing, clientTlsOf, opensslMissing, trustIn } from '#test/certificates'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { tinyproxy, tinyproxyMissing } from '#test/tinyproxy'
import { httpUpstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'

const real = { skip: tinyproxyMissing || opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

const trusting = (trusted: Authority): ClientTls => clientTlsOf(trusted)

/** TLS in front of a proxy; counts the relayed bytes. */
async function secured(proxyPort: number, altNames: string) {
  const { key, certificate } = authority!.issue({ name: 'proxy', altNames })
  let bytes = 0
  const sockets = new Set<TLSSocket>()
  const server = createServer({ key, cert: certificate }, (socket) => {
    sockets.add(socket)
    const relay = connect(proxyPort, '127.0.0.1')
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    for (const [end, other] of [
      [socket, relay],
      [relay, socket],
    ] as const) {
      end.on('error', () => other.destroy())
      end.on('close', () => other.destroy())
    }
    socket.pipe(relay).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get bytes() {
      return bytes
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

let keys = 0

function through(port: number, tls: ClientTls | null): ProxyOptions {
  const authorization = () => `Basic ${Buffer.from('me:secret').toString('base64')}`
  const proxy = { hostname: 'localhost', port, secure: { tls }, authorization }
  return { key: `secure ${++keys}`, proxyFor: () => proxy }
}

async function secureUpstream() {
  const { key, certificate } = authority!.issue({ name: 'server', altNames: 'DNS:localhost' })
  const server = createHttpsServer({ key, cert: certificate }, (request, response) => response.end(request.url))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('TLS to a proxy: plain requests and tunnels through tinyproxy, with credentials', real, async () => {
  await using plain = await httpUpstream(async (request, response) => {
    let length = 0
    for await (const chunk of request) length += (chunk as Buffer).length
    response.end(`${request.method} ${request.url} ${length}`)
  })
  await using target = await secureUpstream()
  await using proxy = await tinyproxy('BasicAuth me secret')
  await using front = await secured(proxy.port, 'DNS:localhost')
  const tls = trusting(authority!)
  await using client = clientWith({ proxy: through(front.port, tls), tls })
  for (let i = 0; i < 3; i++) {
    const sent = await send(client, exchangeFor('POST', `${plain.url}/a?b`, { body: Buffer.alloc(200_000) }))
    assert.equal(await textOf(sent), 'POST /a?b 200000')
    assert.equal(await textOf(await send(client, exchangeFor('GET', `${target.url}/c`))), '/c')
  }
})

test(
  'a proxy with an untrusted certificate or one of another name gets neither request nor credentials',
  real,
  async () => {
    await using proxy = await tinyproxy()
    using stranger = new Authority()
    for (const [altNames, trusted] of [
      ['DNS:localhost', stranger],
      ['DNS:other.example', authority!],
      ['DNS:localhost', null],
    ] as const) {
      await using front = await secured(proxy.port, altNames)
      const tls = trusted === null ? null : trusting(trusted)
      await using client = clientWith({ proxy: through(front.port, tls), tls: trusting(authority!) })
      for (const url of ['http://app.invalid/', 'https://app.invalid/']) {
        await assert.rejects(send(client, exchangeFor('GET', url)), { code: 'GW_UPSTREAM_CONNECT', status: 502 })
      }
      assert.equal(front.bytes, 0)
    }
  },
)

test('a proxy that is no longer trusted gets no further request, neither by a resumed session nor on an idle connection', {
  ...real,
}, async () => {
  await using plain = await httpUpstream((_request, response) => response.end('ok'))
  await using target = await secureUpstream()
  await using proxy = await tinyproxy('BasicAuth me secret')
  await using front = await secured(proxy.port, 'DNS:localhost')
  using stranger = new Authority()
  const changing = new Changing(authority!)
  const trust = { authorities: () => trustIn(changing.value.certificate).authorities(), onChange: changing.onChange }
  const tls = { ...trusting(authority!), trust }
  // Only the second session of a server can be resumed.
  await using client = clientWith({ proxy: through(front.port, tls), tls: trusting(authority!) })
  const ask = async (url: string) => textOf(await send(client, exchangeFor('GET', url)))
  for (const disableReuseConnection of [false, true]) {
    await using other = clientWith({
      disableReuseConnection,
      proxy: through(front.port, tls),
      tls: trusting(authority!),
    })
    for (let i = 0; i < 3; i++) {
      assert.equal(await ask(plain.url), 'ok')
      assert.equal(await ask(target.url), '/')
      assert.equal(await textOf(await send(other, exchangeFor('GET', plain.url))), 'ok')
    }
    changing.set(stranger)
    const before = front.bytes
    for (const url of [plain.url, target.url]) {
      await assert.rejects(ask(url), { code: 'GW_UPSTREAM_CONNECT' }, url)
      await assert.rejects(send(other, exchangeFor('GET', url)), { code: 'GW_UPSTREAM_CONNECT' }, url)
    }
    assert.equal(front.bytes, before)
    changing.set(authority!)
    assert.equal(await ask(plain.url), 'ok')
    assert.equal(await ask(target.url), '/')
  }
})

test('a proxy that does not start TLS times out after connectionTimeout', async () => {
  await using silent = await httpUpstream(() => {})
  const port = Number(new URL(silent.url).port)
  await using client = clientWith({ proxy: through(port, null), connectionTimeout: 100 })
  for (const url of ['http://app.invalid/', 'https://app.invalid/']) {
    await assert.rejects(send(client, exchangeFor('GET', url)), { code: 'GW_UPSTREAM_CONNECT' })
  }
  await waitUntil('the connections to the silent server were closed', () => silent.sockets.size === 0)
})
