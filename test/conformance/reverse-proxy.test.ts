// The table 'protocolVersion behaviour' of the spec under 'ReverseProxyHandler', and the proxies, row by row.
import assert from 'node:assert/strict'
import { createServer, type Http2ServerRequest } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { CATALOGUE } from '#catalogue'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import { loadTypes } from '#schema'
import { build } from '#test/build'
import { Authority, type Issued, opensslMissing } from '#test/certificates'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { type Http2Upstream, secureHttp2Upstream } from '#test/http2-upstream'
import { listening, RawClient } from '#test/listening'
import { httpUpstream, rawUpstream } from '#test/upstream'
import { once } from '#test/waiting'

const definitions = await loadTypes(CATALOGUE)
const ReverseProxyHandler = definitions.find(({ name }) => name === 'ReverseProxyHandler')!
const types = definitions.filter((type) => type !== ReverseProxyHandler)

const handler = (config: JsonObject) =>
  build<Handler>(ReverseProxyHandler, config, { types, heap: [{ name: 'TrustAll', type: 'TrustAllManager' }] })

const tls = (fields: JsonObject = {}): JsonObject => ({
  type: 'ClientTlsOptions',
  config: { trustManager: 'TrustAll', ...fields },
})

const versionOf = async (config: JsonObject, url: string): Promise<string> => {
  await using built = await handler(config)
  const response = await built.object(exchangeFor('GET', url))
  return response.status === 200 ? await textOf(response) : String(response.status)
}

const sayVersion = (request: { httpVersion: string }, response: { end(text: string): unknown }) =>
  void response.end(request.httpVersion)

describe('protocolVersion behaviour, HTTPS target', { skip: opensslMissing }, () => {
  const authority = opensslMissing === false ? new Authority() : null
  let both: Http2Upstream
  let only1: ReturnType<typeof createHttpsServer>

  before(async () => {
    const issued = authority!.issue({ name: 'localhost' }) as Issued
    both = await secureHttp2Upstream(issued, sayVersion, { allowHTTP1: true })
    only1 = createHttpsServer({ key: issued.key, cert: issued.certificate }, sayVersion).listen(0, 'localhost')
    await once(only1, 'listening')
  })
  after(async () => {
    await both[Symbol.asyncDispose]()
    only1.closeAllConnections()
    only1.close()
    authority?.[Symbol.dispose]()
  })

  test('HTTP/2: HTTP/2', async () => {
    assert.equal(await versionOf({ protocolVersion: 'HTTP/2', tls: tls() }, both.url), '2.0')
  })
  test('HTTP/2: HTTP/2 also where alpn is disabled', async () => {
    const config = { protocolVersion: 'HTTP/2', tls: tls({ alpn: { enabled: false } }) }
    assert.equal(await versionOf(config, both.url), '2.0')
  })
  test('HTTP/1.1: HTTP/1.1', async () => {
    assert.equal(await versionOf({ protocolVersion: 'HTTP/1.1', tls: tls() }, both.url), '1.1')
  })
  test('not set, alpn enabled: HTTP/2 if the server supports it', async () => {
    assert.equal(await versionOf({ tls: tls() }, both.url), '2.0')
    const { port } = only1.address() as AddressInfo
    assert.equal(await versionOf({ tls: tls() }, `https://localhost:${port}`), '1.1')
  })
  test('not set, alpn disabled: HTTP/1.1', async () => {
    assert.equal(await versionOf({ tls: tls({ alpn: { enabled: false } }) }, both.url), '1.1')
  })
})

describe('protocolVersion behaviour, HTTP target', () => {
  for (const protocolVersion of ['HTTP/2', 'HTTP/1.1', null]) {
    test(`${protocolVersion ?? 'not set'}: HTTP/1.1`, async () => {
      await using upstream = await httpUpstream(sayVersion)
      assert.equal(await versionOf(protocolVersion === null ? {} : { protocolVersion }, upstream.url), '1.1')
    })
  }
})

/** A cleartext server for HTTP/2 with prior knowledge and by h2c upgrade; records the mode that was used. */
async function changing(met: string[]) {
  const http2 = createServer((request: Http2ServerRequest, response) => response.end(request.httpVersion))
  http2.on('sessionError', () => {})
  http2.listen(0, '127.0.0.1')
  await once(http2, 'listening')
  const { port } = http2.address() as AddressInfo
  const front = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (first) => {
      const word = first.toString('latin1').split(' ')[0]!
      met.push(word)
      if (word === 'OPTIONS') {
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
        return
      }
      const back = connect(port, '127.0.0.1')
      back.on('error', () => {})
      back.write(first)
      socket.pipe(back).pipe(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      front.close()
      http2.close()
      await Promise.all([once(front, 'close'), once(http2, 'close')])
    },
  }
}

describe('http2PriorKnowledge', () => {
  test('false: an upgrade is attempted, and HTTP/2 used if the server supports it', async () => {
    const met: string[] = []
    await using upstream = await changing(met)
    assert.equal(await versionOf({ protocolVersion: 'HTTP/2' }, upstream.url), '2.0')
    assert.deepEqual(met, ['OPTIONS', 'PRI'])
  })
  test('true: HTTP/2 is sent directly', async () => {
    const met: string[] = []
    await using upstream = await changing(met)
    assert.equal(await versionOf({ protocolVersion: 'HTTP/2', http2PriorKnowledge: true }, upstream.url), '2.0')
    assert.deepEqual(met, ['PRI'])
  })
  test('used only when protocolVersion is HTTP/2', async () => {
    await using upstream = await httpUpstream(sayVersion)
    await using built = await handler({ http2PriorKnowledge: true })
    assert.equal(await textOf(await built.object(exchangeFor('GET', upstream.url))), '1.1')
    assert.match(built.warnings.join(), /http2PriorKnowledge has no effect/)
  })
})

describe('trailers', () => {
  test('pass from the application to the client, except framing, routing and authentication fields', async () => {
    const heads: string[] = []
    await using upstream = await rawUpstream((socket, head) => {
      heads.push(head)
      const trailers = 'X-Sum: 42\r\nSet-Cookie: a=b\r\nHost: evil\r\nAuthorization: x\r\n'
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n${trailers}\r\n`)
    })
    await using built = await handler({})
    await using gateway = await listening((exchange) => {
      exchange.request.uri = exchangeFor('GET', upstream.url).request.uri
      return built.object(exchange)
    })
    await using client = new RawClient(gateway.port)
    client.send('GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: TE\r\n\r\n')
    await client.receives(/\r\n0\r\n[\s\S]*\r\n\r\n$/)
    assert.equal(client.text.slice(client.text.indexOf('\r\n0\r\n')), '\r\n0\r\nX-Sum: 42\r\n\r\n')
    assert.match(heads[0]!, /^te: trailers$/im)
  })
})
