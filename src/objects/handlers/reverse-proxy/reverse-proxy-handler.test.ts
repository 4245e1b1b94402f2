import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { Body, type BodySink, BodyTooLargeError, type Handler } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { Reader, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream, rawUpstream, silentUpstream } from '#test/upstream'
import { once, within } from '#test/waiting'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

const proxy = (config: JsonValue = {}) => build<Handler>(ReverseProxyHandler, config)

/** A body written by the test. */
function writtenByHand(length: number | null = null): { body: Body; sink: Promise<BodySink> } {
  const { promise, resolve } = Promise.withResolvers<BodySink>()
  const body = Body.fromSource({ start: resolve, resume: () => {}, cancel: () => {} }, length)
  return { body, sink: promise }
}

test('relays method, path, query, headers and body unchanged, and the response', async () => {
  const seen: { line: string; headers: IncomingMessage['headers']; text: string }[] = []
  await using upstream = await httpUpstream(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, text })
    response.writeHead(299, 'Fine By Me', [
      ['Set-Cookie', 'a=1'],
      ['X-Thing', 'yes'],
      ['Set-Cookie', 'b=2'],
    ])
    response.end('answer')
  })
  await using built = await proxy()

  const response = await built.object(
    exchangeFor('PATCH', `${upstream.url}/a%20b/c?x=1&x=%2F`, {
      headers: { Host: 'public.example.com', 'X-Tag': ['one', 'two'] },
      body: 'content',
    }),
  )

  assert.equal(response.status, 299)
  assert.equal(response.reason, 'Fine By Me')
  assert.deepEqual(response.headers.all('set-cookie'), ['a=1', 'b=2'])
  assert.equal(await textOf(response), 'answer')
  assert.equal(seen[0]!.line, 'PATCH /a%20b/c?x=1&x=%2F')
  assert.equal(seen[0]!.text, 'content')
  assert.equal(seen[0]!.headers['host'], 'public.example.com')
  assert.equal(seen[0]!.headers['x-tag'], 'one, two')
  assert.equal(seen[0]!.headers['content-length'], '7')
})

test('B16, B17, B35: hop-by-hop fields are removed, in both directions', async () => {
  let head = ''
  await using upstream = await rawUpstream((socket, received) => {
    head = received
    socket.end(
      'HTTP/1.1 200 OK\r\nConnection: close, X-Private\r\nX-Private: 1\r\nKeep-Alive: timeout=9\r\n' +
        'Proxy-Authenticate: Basic\r\nUpgrade: h2c\r\nX-Public: 2\r\nContent-Length: 2\r\n\r\nok',
    )
  })
  await using built = await proxy()
  const response = await built.object(
    exchangeFor('GET', upstream.url, {
      headers: {
        Connection: 'keep-alive, X-Hop, Upgrade',
        'X-Hop': '1',
        'Keep-Alive': 'timeout=5',
        'Proxy-Authorization': 'Basic eA==',
        'Proxy-Connection': 'keep-alive',
        TE: 'gzip',
        Trailer: 'X-T',
        Upgrade: 'h2c',
        'X-End': 'to-end',
      },
    }),
  )
  assert.equal(await textOf(response), 'ok')
  assert.deepEqual([...response.headers.raw()], ['X-Public', '2', 'Content-Length', '2'])
  assert.match(head, /\r\nX-End: to-end(\r\n|$)/)
  assert.doesNotMatch(head, /x-hop|timeout=5|proxy-|\r\nte:|trailer|h2c/i)
})

test('responses to HEAD, 204 and 304 have no body and keep their headers', async () => {
  await using upstream = await httpUpstream((request, response) => {
    const status = Number(request.url!.slice(1))
    response.writeHead(status, { ETag: '"e"', ...(request.method === 'HEAD' && { 'Content-Length': '1000' }) })
    response.end()
  })
  await using built = await proxy()
  for (const [method, status] of [
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ] as const) {
    const response = await built.object(exchangeFor(method, `${upstream.url}/${status}`))
    assert.equal(response.status, status)
    assert.equal(response.body.isEmpty, true)
    assert.equal(response.headers.get('etag'), '"e"')
    if (method === 'HEAD') assert.equal(response.headers.get('content-length'), '1000')
  }
})

test('B65: redirects are not followed', async () => {
  let requests = 0
  await using upstream = await httpUpstream((_request, response) => {
    requests++
    response.writeHead(302, { Location: '/elsewhere' }).end()
  })
  await using built = await proxy()
  const response = await built.object(exchangeFor('GET', upstream.url))
  assert.equal(response.status, 302)
  assert.equal(response.headers.get('location'), '/elsewhere')
  assert.equal(requests, 1)
})

test('a response is streamed', async () => {
  const answering = Promise.withResolvers<ServerResponse>()
  await using upstream = await httpUpstream((_request, response) => {
    response.write('first')
    answering.resolve(response)
  })
  await using built = await proxy()
  const response = await built.object(exchangeFor('GET', upstream.url))
  const reader = new Reader(response.body)
  await reader.atLeast(5)
  ;(await within('the upstream started its response', answering.promise)).end('last')
  await reader.done
  assert.equal(reader.received, 9)
})

test('a request is streamed', async () => {
  const arrived = Promise.withResolvers<string>()
  await using upstream = await httpUpstream((request, response) => {
    request.once('data', (chunk: Buffer) => arrived.resolve(chunk.toString()))
    request.on('end', () => response.end('whole'))
  })
  await using built = await proxy()
  const { body, sink } = writtenByHand()
  const answer = built.object(exchangeFor('POST', upstream.url, { body }))
  const writer = await sink
  writer.write(Buffer.from('first'))
  assert.equal(await within('the request reached the upstream', arrived.promise), 'first')
  writer.end(null)
  assert.equal(await textOf(await answer), 'whole')
})

test('B86: 502 where nothing listens; the address is logged, not sent', async () => {
  const gone = await silentUpstream()
  await gone[Symbol.asyncDispose]()
  await using built = await proxy()
  const exchange = exchangeFor('GET', `${gone.url}/secret-path`)

  const response = await built.object(exchange)

  assert.equal(response.status, 502)
  assert.equal(response.body.text(), 'Bad Gateway')
  assert.deepEqual(
    [...response.headers.raw()],
    ['Content-Type', 'text/plain; charset=utf-8', 'X-Content-Type-Options', 'nosniff'],
  )
  assert.match(response.cause?.message ?? '', /^upstream: expected a connection/)
  const [entry, ...more] = built.log.entries
  assert.deepEqual(more, [])
  assert.equal(entry!['level'], 'warn')
  assert.equal(entry!['logger'], 'gateway+object')
  assert.equal(entry!['upstream'], gone.url)
  assert.equal(entry!['transactionId'], exchange.transactionId.value)
  const error = entry!['error'] as { code: string; cause: { code: string } }
  assert.equal(error.code, 'GW_UPSTREAM_CONNECT')
  assert.equal(error.cause.code, 'ECONNREFUSED')
})

test('504 when the application sends nothing for soTimeout', async () => {
  await using upstream = await silentUpstream()
  await using built = await proxy({ soTimeout: '100 milliseconds' })
  const response = await built.object(exchangeFor('GET', upstream.url))
  assert.equal(response.status, 504)
  assert.equal(response.body.text(), 'Gateway Timeout')
})

test('B28: 502 for an invalid HTTP status', async () => {
  for (const line of ['HTTP/1.1 000 X', 'HTTP/1.1 099 X', 'HTTP/1.1 1234 X', 'HTTP/1.1 101 X', 'SSH-2.0-x']) {
    await using upstream = await rawUpstream((socket) => socket.end(`${line}\r\nContent-Length: 0\r\n\r\n`))
    await using built = await proxy()
    assert.equal((await built.object(exchangeFor('GET', upstream.url))).status, 502, line)
  }
})

test('B27: a truncated response fails, and never counts as complete', async () => {
  await using upstream = await rawUpstream((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'),
  )
  await using built = await proxy()
  const reader = new Reader((await built.object(exchangeFor('GET', upstream.url))).body)
  await assert.rejects(reader.done, { code: 'GW_UPSTREAM_CLOSED' })
})

test('502 for a scheme that is not HTTP', async () => {
  await using built = await proxy()
  const response = await built.object(exchangeFor('GET', 'ftp://files.example.com/x'))
  assert.equal(response.status, 502)
  assert.equal(response.body.text(), 'Bad Gateway')
  assert.equal(built.log.entries.length, 1)
  assert.match(built.log.lines[0]!, /uri: expected http or https/)
})

test('400 for a truncated request body, which never completes for the application', async () => {
  const outcome = Promise.withResolvers<string>()
  await using upstream = await httpUpstream((request) => {
    request.resume()
    request.on('end', () => outcome.resolve('ended'))
    request.on('error', () => outcome.resolve('aborted'))
  })
  await using built = await proxy()
  const { body, sink } = writtenByHand()
  const answer = built.object(exchangeFor('POST', upstream.url, { body }))
  const writer = await sink
  writer.write(Buffer.from('half'))
  writer.fail(new Error('framing'))
  assert.equal((await answer).status, 400)
  assert.equal(await within('the request had an outcome', outcome.promise), 'aborted')
  assert.deepEqual(
    built.log.entries.map(({ level }) => level),
    ['debug'],
  )
})

test('413 for a request body over the limit of the connector', async () => {
  await using upstream = await httpUpstream((request) => void request.on('error', () => {}).resume())
  await using built = await proxy()
  const { body, sink } = writtenByHand()
  const answer = built.object(exchangeFor('POST', upstream.url, { body }))
  ;(await sink).fail(new BodyTooLargeError(10))
  assert.equal((await answer).status, 413)
})

test('a consumed request body is a fault of the route', async () => {
  await using upstream = await httpUpstream((request) => void request.on('error', () => {}).resume())
  await using built = await proxy()
  const { body } = writtenByHand()
  body.pipe({ write: () => true, end: () => {}, fail: () => {} })
  await assert.rejects(built.object(exchangeFor('POST', upstream.url, { body })), { code: 'GW_REQUEST_BODY' })
})

test('a client that disconnects aborts the request to the application', async () => {
  const connected = Promise.withResolvers<void>()
  await using upstream = await rawUpstream(() => connected.resolve())
  await using built = await proxy()
  const exchange = exchangeFor('GET', upstream.url)
  const answer = built.object(exchange)
  await within('the upstream had a connection', connected.promise)
  const [socket] = upstream.sockets
  const closed = once(socket!, 'close')
  exchange.abort(new Error('gone'))
  await closed
  await within('the request ended', answer)
  assert.deepEqual(
    built.log.entries.map(({ level }) => level),
    ['debug'],
  )
})
