import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, Headers, Request } from '#http'
import { clientWith, send, textOf } from '#test/client'
import { type ExchangeParts, exchangeFor } from '#test/exchange'
import { httpUpstream, rawUpstream, silentUpstream } from '#test/upstream'

/** The request as the upstream receives it: lines of the head, and the framed body. */
async function sent(
  method: string,
  path: string,
  parts: ExchangeParts = {},
): Promise<{ lines: string[]; body: string }> {
  let text = ''
  await using upstream = await silentUpstream((socket) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (isWhole(text)) socket.end('HTTP/1.1 204 No Content\r\n\r\n')
    })
  })
  await using client = clientWith()
  await send(client, exchangeFor(method, upstream.url + path, parts))
  const end = text.indexOf('\r\n\r\n')
  return { lines: text.slice(0, end).split('\r\n'), body: text.slice(end + 4) }
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  if (/^transfer-encoding: chunked$/im.test(text)) return text.endsWith('0\r\n\r\n')
  return text.length >= end + 4 + Number(/^content-length: (\d+)$/im.exec(text)?.[1] ?? 0)
}

const fields = (lines: string[], name: string) =>
  lines.filter((line) => line.toLowerCase().startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim())

test('sends method, path and query unchanged', async () => {
  const { lines } = await sent('PURGE', '/a%2Fb/;c?x=%3f&x=1&&y')
  assert.equal(lines[0], 'PURGE /a%2Fb/;c?x=%3f&x=1&&y HTTP/1.1')
})

test('sends "/" for a URI without path', async () => {
  assert.equal((await sent('GET', '')).lines[0], 'GET / HTTP/1.1')
  assert.equal((await sent('GET', '?q')).lines[0], 'GET /?q HTTP/1.1')
})

test('forwards the Host header of the request, not that of the target', async () => {
  const { lines } = await sent('GET', '/', { headers: { Host: 'public.example.com:8443' } })
  assert.deepEqual(fields(lines, 'host'), ['public.example.com:8443'])
})

test('preserves order, case, duplicates and Latin-1 bytes of headers', async () => {
  const { lines } = await sent('GET', '/', { headers: { 'X-b': ['1', '2'], 'x-A': 'caf\xe9', 'X-B': '3' } })
  assert.deepEqual(
    lines.filter((line) => /^x-/i.test(line)),
    ['X-b: 1', 'X-b: 2', 'x-A: caf\xe9', 'X-B: 3'],
  )
})

test('forwards headers named like members of Object.prototype (B33)', async () => {
  const headers = Object.create(null) as Record<string, string>
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) headers[name] = 'x'
  const { lines } = await sent('GET', '/', { headers })
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) assert.ok(lines.includes(`${name}: x`), name)
})

test('drops hop-by-hop headers, those that Connection names, and Expect', async () => {
  const { lines } = await sent('GET', '/', {
    headers: {
      Connection: 'close, X-Private, Authorization',
      'Keep-Alive': 'timeout=5',
      'Proxy-Connection': 'keep-alive',
      'Proxy-Authorization': 'Basic x',
      TE: 'gzip',
      Trailer: 'X-T',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'x',
      Expect: '100-continue',
      'X-Private': '1',
      Authorization: 'Bearer y',
      'X-Kept': '2',
    },
  })
  const names = lines.slice(1).map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
  assert.deepEqual(names.sort(), ['authorization', 'connection', 'host', 'x-kept'])
  assert.deepEqual(fields(lines, 'connection'), ['keep-alive'])
})

test('does not modify the headers of the exchange', async () => {
  await using upstream = await rawUpstream((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
  await using client = clientWith()
  const exchange = exchangeFor('GET', upstream.url, { headers: { Connection: 'close, X-A', 'X-A': '1', Expect: 'x' } })
  const before = [...exchange.request.headers.raw()]
  await send(client, exchange)
  assert.deepEqual([...exchange.request.headers.raw()], before)
})

test('sends Content-Length 0 with an empty PUT, POST or PATCH only', async () => {
  for (const method of ['PUT', 'POST', 'PATCH']) {
    assert.deepEqual(fields((await sent(method, '/')).lines, 'content-length'), ['0'], method)
  }
  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS']) {
    const { lines } = await sent(method, '/', { headers: { 'Content-Length': '0' } })
    assert.deepEqual(fields(lines, 'content-length'), [], method)
    assert.deepEqual(fields(lines, 'transfer-encoding'), [], method)
  }
})

/** A body of chunks, one per turn of the event loop. */
function pieces(texts: string[], length: number | null): Body {
  let cancelled = false
  return Body.fromSource(
    {
      async start(sink) {
        for (const text of texts) {
          if (cancelled) return
          sink.write(Buffer.from(text))
          await new Promise((resolve) => setImmediate(resolve))
        }
        sink.end(null)
      },
      resume: () => {},
      cancel: () => {
        cancelled = true
      },
    },
    length,
  )
}

test('sends a body of known length with that Content-Length, also if the header differs', async () => {
  const headers = { 'Content-Length': '99', 'Transfer-Encoding': 'chunked' }
  for (const body of ['abc', pieces(['a', 'bc'], 3)]) {
    const message = await sent('POST', '/', { body, headers })
    assert.deepEqual(fields(message.lines, 'content-length'), ['3'])
    assert.deepEqual(fields(message.lines, 'transfer-encoding'), [])
    assert.equal(message.body, 'abc')
  }
})

test('sends a body of unknown length with chunked coding', async () => {
  const message = await sent('POST', '/', { body: pieces(['abc', 'de'], null), headers: { 'Content-Length': '99' } })
  assert.deepEqual(fields(message.lines, 'content-length'), [])
  assert.deepEqual(fields(message.lines, 'transfer-encoding'), ['chunked'])
  assert.equal(message.body, '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n')
})

test('frames a body on GET, HEAD and OPTIONS like any other', async () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) {
    const known = await sent(method, '/', { body: pieces(['abc'], 3) })
    assert.deepEqual(fields(known.lines, 'content-length'), ['3'], method)
    const unknown = await sent(method, '/', { body: pieces(['abc'], null) })
    assert.deepEqual(fields(unknown.lines, 'transfer-encoding'), ['chunked'], method)
  }
})

test('rejects requests that are invalid in HTTP/1.1 without opening a connection', async () => {
  await using upstream = await rawUpstream((socket) => socket.end())
  await using client = clientWith()
  const refused = { name: 'UpstreamError', code: 'GW_UPSTREAM_REQUEST', status: 502 }
  await assert.rejects(send(client, exchangeFor('CONNECT', upstream.url)), refused)
  await assert.rejects(send(client, exchangeFor('GET', upstream.url, { headers: { Host: ['a', 'b'] } })), refused)
  await assert.rejects(send(client, exchangeFor('GET', 'ftp://127.0.0.1/')), refused)
  assert.equal(upstream.accepted, 0)
})

test('rejects paths with dot segments, which the server would resolve, without opening a connection (B1)', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  await using client = clientWith()
  const status = async (path: string) => (await send(client, exchangeFor('GET', upstream.url + path))).status
  for (const path of ['/app/../admin', '/app/..', '/./a', '/a/%2e%2E/b', '/a/.%2e', '/a/..;x/b', '/a/..%3bx', '/a/.;'])
    await assert.rejects(status(path), { code: 'GW_UPSTREAM_REQUEST' }, path)
  for (const path of ['/a/...', '/a/..b/c', '/.well-known/x', '/a/%2efoo', '/a.b/..%2Fc', '/a;../b'])
    assert.equal(await status(path), 200, path)
})

test('rejects parts with line breaks, also those that Latin-1 would make one, without opening a connection (B29)', async () => {
  await using upstream = await rawUpstream((socket) => socket.end())
  await using client = clientWith()
  for (const text of ['a\nb', 'a\r\nb', 'a\rb', 'a\0b', 'a\u010ab', 'a\u010db']) {
    for (const raw of [
      ['X-A', text],
      [text, 'x'],
      ['Host', text],
    ]) {
      const exchange = exchangeFor('GET', upstream.url)
      const request = new Request({
        method: 'GET',
        uri: exchange.request.uri,
        headers: Headers.fromRaw(raw),
        body: Body.empty,
      })
      await assert.rejects(
        send(client, exchange.withRequest(request)),
        { code: 'GW_UPSTREAM_REQUEST' },
        JSON.stringify(raw),
      )
    }
  }
  assert.equal(upstream.accepted, 0)
})

test('echoes a large body through a real server in both directions', async () => {
  await using upstream = await httpUpstream((request, response) => request.pipe(response))
  await using client = clientWith()
  const text = 'x'.repeat(300_000)
  for (const body of [text, pieces([text.slice(0, 100_000), text.slice(100_000)], null)]) {
    const response = await send(client, exchangeFor('POST', upstream.url, { body }))
    assert.equal(await textOf(response), text)
  }
})
