import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { respond } from '#http'
import { Authority, opensslMissing, serverTlsOf } from '#test/certificates'
import { listening, RawClient } from '#test/listening'
import { once } from '#test/waiting'

const upgrade = (method: string, protocol: string, rest = '') =>
  `${method} /first HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${rest}`

/** Requests with an upgrade that the gateway does not offer, which are ordinary requests (RFC 9110 section 7.8). */
const REQUESTS: Readonly<Record<string, string>> = {
  'h2c without a body': upgrade('GET', 'h2c', '\r\n'),
  'an unknown protocol and an empty body': upgrade('POST', 'other', 'Content-Length: 0\r\n\r\n'),
  'an unknown protocol and a body': upgrade('POST', 'other', 'Content-Length: 5\r\n\r\nhello'),
  'websocket and a body': upgrade('GET', 'websocket', 'Content-Length: 5\r\n\r\nhello'),
  'websocket and chunks': upgrade('GET', 'websocket', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'),
}

const INNER = 'GET /inner HTTP/1.1\r\nHost: a\r\n\r\n'
const NEXT = `POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: ${INNER.length}\r\n\r\n`

/** A listener that records the paths of its requests. */
async function recording(settings: Parameters<typeof listening>[1] = {}) {
  const paths: string[] = []
  const server = await listening(async ({ request }) => {
    await request.body.read(1_000)
    paths.push(request.uri.rawPath)
    return respond(200, {}, request.uri.rawPath)
  }, settings)
  return { paths, server }
}

for (const [what, first] of Object.entries(REQUESTS)) {
  test(`the body of a request pipelined after one that upgrades to ${what} is not parsed as a request (B22)`, async () => {
    const { paths, server } = await recording()
    await using _ = server
    await using client = new RawClient(server.port)
    client.send(first + NEXT)
    await client.receives(/\/first$/)
    client.send(INNER)
    assert.equal(await client.closed.then(() => client.text.match(/HTTP\/1\.1 200/g)?.length), 1)
    assert.deepEqual(paths, ['/first'])
  })

  test(`a connection is kept after a request that upgrades to ${what}`, async () => {
    const { paths, server } = await recording()
    await using _ = server
    await using client = new RawClient(server.port)
    for (let at = 0; at < first.length; at += 40) {
      client.send(first.slice(at, at + 40))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await client.receives(/\/first$/)
    client.send(NEXT + INNER)
    await client.receives(/\/next$/)
    assert.deepEqual(paths, ['/first', '/next'])
  })
}

test('requests before one that upgrades are answered, those after it close the connection', async () => {
  const { paths, server } = await recording()
  await using _ = server
  await using client = new RawClient(server.port)
  client.send(INNER + upgrade('GET', 'h2c', '\r\n') + INNER)
  await client.closed
  assert.deepEqual(paths.slice(0, 1), ['/inner'])
  assert.ok(paths.length <= 2 && paths[1] !== '/inner', paths.join(' '))
})

test('over TLS too, the rest of a pipelined request is not parsed as a request', { skip: opensslMissing }, async () => {
  using authority = new Authority()
  const { paths, server } = await recording({ tls: serverTlsOf(authority.issue({ name: 'localhost' })) })
  await using _ = server
  const socket = connect({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  socket.on('error', () => {})
  socket.write(upgrade('GET', 'h2c', '\r\n') + NEXT)
  await once(socket, 'data')
  socket.write(INNER)
  await once(socket, 'close')
  assert.deepEqual(paths, ['/first'])
})
