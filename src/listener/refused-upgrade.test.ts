import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { respond } from '#http'
import { Authority, opensslMissing, serverTlsOf } from '#test/certificates'
import { listening, RawClient } from '#test/listening'
import { once, waitUntil } from '#test/waiting'

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
  test(`a request pipelined after one that upgrades to ${what} is served, and its body is not parsed as a request (B22)`, async () => {
    const { paths, server } = await recording()
    await using _ = server
    await using client = new RawClient(server.port)
    client.send(first + NEXT)
    await client.receives(/\/first$/)
    client.send(INNER)
    await client.receives(/\/next$/)
    assert.deepEqual(paths, ['/first', '/next'])
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

test('requests before and after one that upgrades are served', async () => {
  const { paths, server } = await recording()
  await using _ = server
  await using client = new RawClient(server.port)
  client.send(INNER + upgrade('GET', 'h2c', '\r\n') + INNER)
  await client.receives(/\/inner[\s\S]*\/first[\s\S]*\/inner$/)
  assert.deepEqual(paths, ['/inner', '/first', '/inner'])
})

test('over TLS too, a pipelined request after one that upgrades is served', { skip: opensslMissing }, async () => {
  using authority = new Authority()
  const { paths, server } = await recording({ tls: serverTlsOf(authority.issue({ name: 'localhost' })) })
  await using _ = server
  const socket = connect({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  socket.on('error', () => {})
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.write(upgrade('GET', 'h2c', '\r\n') + NEXT)
  await waitUntil('the first response has arrived', () => text.endsWith('/first'))
  socket.write(INNER)
  await waitUntil('the second response has arrived', () => text.endsWith('/next'))
  socket.destroy()
  assert.deepEqual(paths, ['/first', '/next'])
})
