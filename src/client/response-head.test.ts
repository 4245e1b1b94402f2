import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Response } from '#http'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { rawUpstream } from '#test/upstream'

/** The response for an upstream that sends exactly these bytes, then closes. */
async function answered(bytes: string, method = 'GET'): Promise<Response & { text: string }> {
  await using upstream = await rawUpstream((socket) => socket.end(bytes, 'latin1'))
  await using client = clientWith()
  const response = await send(client, exchangeFor(method, upstream.url))
  return Object.assign(response, { text: await textOf(response) })
}

const ok = (head: string, body = '') => `HTTP/1.1 200 OK\r\n${head}\r\n${body}`

test('preserves order, case, duplicates and Latin-1 bytes of response headers', async () => {
  const response = await answered(
    ok('Set-Cookie: a=1\r\nX-Text: caf\xe9\r\nset-cookie: b=2\r\nContent-Length: 2\r\n', 'hi'),
  )
  assert.deepEqual(
    [...response.headers.raw()],
    ['Set-Cookie', 'a=1', 'X-Text', 'caf\xe9', 'set-cookie', 'b=2', 'Content-Length', '2'],
  )
  assert.equal(response.text, 'hi')
  assert.equal(response.body.length, 2)
})

test('drops hop-by-hop response headers and those that Connection names', async () => {
  const hops = [
    'Keep-Alive: timeout=5',
    'Proxy-Authenticate: Basic',
    'TE: x',
    'Trailer: X-T',
    'Upgrade: h2c',
    'X-Hop: 1',
  ]
  const response = await answered(
    ok(
      `Connection: close, x-hop\r\n${hops.join('\r\n')}\r\nTransfer-Encoding: chunked\r\nX-End: 2\r\n`,
      '2\r\nhi\r\n0\r\n\r\n',
    ),
  )
  assert.deepEqual([...response.headers.raw()], ['X-End', '2'])
  assert.equal(response.text, 'hi')
  assert.equal(response.headers.has('transfer-encoding'), false)
})

test('accepts headers named like members of Object.prototype (B33)', async () => {
  const response = await answered(
    ok('__proto__: x\r\nconstructor: y\r\nhasOwnProperty: z\r\n__proto__: w\r\nContent-Length: 0\r\n'),
  )
  assert.deepEqual(response.headers.all('__proto__'), ['x', 'w'])
  assert.equal(response.headers.get('constructor'), 'y')
  assert.equal(response.headers.get('hasownproperty'), 'z')
})

test('preserves the Content-Length of responses without body', async () => {
  const head = await answered(ok('Content-Length: 1234\r\n'), 'HEAD')
  assert.equal(head.headers.get('content-length'), '1234')
  assert.equal(head.text, '')
  const notModified = await answered('HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\nETag: "x"\r\n\r\n')
  assert.equal(notModified.status, 304)
  assert.equal(notModified.headers.get('content-length'), '1234')
  assert.equal(notModified.text, '')
  const noContent = await answered('HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n')
  assert.equal(noContent.status, 204)
  assert.equal(noContent.body.isEmpty, true)
})

test('reads a body that ends with the connection', async () => {
  const response = await answered('HTTP/1.0 200 OK\r\n\r\nall of it')
  assert.equal(response.text, 'all of it')
  assert.equal(response.body.length, 9)
})

test('skips informational responses', async () => {
  const response = await answered(
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${ok('Content-Length: 2\r\n', 'hi')}`,
  )
  assert.equal(response.status, 200)
  assert.equal(response.headers.has('link'), false)
  assert.equal(response.text, 'hi')
})

test('forwards any status from 200 to 999 with its reason phrase, also an empty one', async () => {
  for (const status of [200, 299, 418, 600, 999]) {
    const response = await answered(`HTTP/1.1 ${status} Why Not\r\nContent-Length: 0\r\n\r\n`)
    assert.equal(response.status, status)
    assert.equal(response.reason, 'Why Not')
  }
  assert.equal((await answered('HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n')).reason, '')
  assert.equal((await answered('HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n')).reason, '')
})

test('forwards the bytes of a reason phrase', async () => {
  assert.equal((await answered('HTTP/1.1 404 nicht gef\xfcnd\r\nContent-Length: 0\r\n\r\n')).reason, 'nicht gef\xfcnd')
})

const MALFORMED: Record<string, string> = {
  'status 000': 'HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n',
  'status 099': 'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n',
  'status of four digits': 'HTTP/1.1 1234 High\r\nContent-Length: 0\r\n\r\n',
  'no status': 'HTTP/1.1 OK\r\n\r\n',
  'an unsolicited 101': 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello',
  'a bare 101': 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  'another protocol': 'SSH-2.0-OpenSSH_9.6\r\n\r\n',
  'nothing at all': '',
  'half a head': 'HTTP/1.1 200 OK\r\nContent-Le',
  'two lengths': ok('Content-Length: 2\r\nContent-Length: 3\r\n', 'hi'),
  'a length and chunks': ok('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '2\r\nhi\r\n0\r\n\r\n'),
  'a coding within the chunks': ok('Transfer-Encoding: gzip, chunked\r\n', '2\r\nhi\r\n0\r\n\r\n'),
  'a coding around the chunks': ok('Transfer-Encoding: chunked, deflate\r\n', 'hi'),
  'codings in two fields': ok('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', 'hi'),
  'a negative length': ok('Content-Length: -2\r\n'),
  'a lone CR in a value (B29)': ok('X-A: a\rSet-Cookie: b\r\nContent-Length: 0\r\n'),
  'a NUL in a value (B29)': ok('X-A: a\0b\r\nContent-Length: 0\r\n'),
  'a space in a name': ok('X A: a\r\nContent-Length: 0\r\n'),
  'a folded value': ok('X-A: a\r\n b\r\nContent-Length: 0\r\n'),
  'headers of more than 64 KiB': ok(`X-A: ${'a'.repeat(70_000)}\r\nContent-Length: 0\r\n`),
  'no end of informational responses': 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(40),
}

for (const [what, bytes] of Object.entries(MALFORMED)) {
  test(`502 for ${what}`, async () => {
    const isOver = bytes === '' || bytes.endsWith('Le')
    const code = isOver ? 'GW_UPSTREAM_CLOSED' : 'GW_UPSTREAM_PROTOCOL'
    await assert.rejects(answered(bytes), { name: 'UpstreamError', status: 502, code })
  })
}

test('a failure names neither the host nor received bytes', async () => {
  await using upstream = await rawUpstream((socket) => socket.end('HTTP/1.1 secret\r\n\r\n'))
  await using client = clientWith()
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), (error: Error) => {
    assert.doesNotMatch(error.message, /127\.0\.0\.1|secret/)
    assert.ok(error.cause instanceof Error)
    return true
  })
})
