import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Authority, opensslMissing, serverTlsOf } from '#test/certificates'
import { answerOf, H2Client } from '#test/h2-client'
import { clearHttp2Upstream } from '#test/http2-upstream'
import { converse, RawClient } from '#test/listening'
import { startProxy } from '#test/test-proxy'
import { httpUpstream, rawUpstream } from '#test/upstream'

const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

const LINKS = ['</style.css>; rel=preload', '</code.js>; rel=preload']
const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** Sends hints, then the response once the client has received them. */
async function hinting() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const upstream = await httpUpstream(async (_request, response) => {
    response.writeProcessing()
    response.writeInformation(103, ['Link', LINKS[0]!, 'Link', LINKS[1]!, 'Set-Cookie', 'a=1', 'X-Other', '1'])
    await promise
    response.end('done')
  })
  return Object.assign(upstream, { goOn: resolve })
}

test('informational responses reach the client before the final one, 103 with its links', async () => {
  await using upstream = await hinting()
  await using gateway = await startProxy(upstream.url)
  await using client = new RawClient(gateway.port)
  client.send(get)
  await client.receives(/103 Early Hints\r\n[\s\S]*\r\n\r\n/)
  upstream.goOn()
  await client.closed
  const links = LINKS.map((link) => `Link: ${link}\r\n`).join('')
  assert.ok(
    client.text.startsWith(`HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n${links}\r\nHTTP/1.1 200 `),
  )
  assert.ok(client.text.endsWith('\r\n\r\ndone'))
})

test('informational responses are forwarded from HTTP/2 to HTTP/2', {
  skip: opensslMissing,
}, async () => {
  await using upstream = await clearHttp2Upstream((_request, response) => {
    response.stream.additionalHeaders({ ':status': 103, link: LINKS, 'x-other': '1' })
    response.end('done')
  })
  await using gateway = await startProxy(upstream.url, {
    client: { http2: { overTls: true, inClear: 'prior-knowledge' } },
    listener: { tls: serverTlsOf(authority!.issue({ name: 'localhost' })) },
  })
  await using client = new H2Client(gateway.port)
  const stream = client.open('/')
  const informational: unknown[] = []
  stream.on('headers', (headers) => informational.push(headers[':status'], headers['link'], headers['x-other']))
  assert.equal((await answerOf(stream)).text, 'done')
  assert.deepEqual(informational, [103, LINKS.join(', '), undefined])
})

test('an HTTP/1.0 client gets no informational response', async () => {
  await using upstream = await hinting()
  upstream.goOn()
  await using gateway = await startProxy(upstream.url)
  assert.match(await converse(gateway.port, 'GET / HTTP/1.0\r\nHost: a\r\n\r\n'), /^HTTP\/1\.1 200 /)
})

test('a link with invalid characters is dropped, and too many hints fail the response', async () => {
  await using upstream = await rawUpstream((socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nLink: </\xfc>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n', 'latin1')
  })
  await using gateway = await startProxy(upstream.url)
  assert.match(await converse(gateway.port, get), /^HTTP\/1\.1 103 Early Hints\r\n\r\nHTTP\/1\.1 204 /)
  await using endless = await rawUpstream((socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(40))
  })
  await using other = await startProxy(endless.url)
  assert.match(await converse(other.port, get), /HTTP\/1\.1 502 /)
})
