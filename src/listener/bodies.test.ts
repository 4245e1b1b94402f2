import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fetch } from 'undici'
import {
  type BodySink,
  type Exchange,
  type RefusedRequest,
  RequestAudit,
  type RequestOutcome,
  respond,
  TemporaryStorage,
} from '#http'
import { converse, listening, RawClient } from '#test/listening'
import { within } from '#test/waiting'

const echo = async ({ request }: Exchange) => respond(200, {}, Buffer.from(await request.body.read(1e6)).toString())

const post = (headers: string, body: string) => `POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`

test('bodies with Content-Length and chunked bodies are received completely', async () => {
  await using server = await listening(echo)
  assert.match(await converse(server.port, post('Connection: close\r\nContent-Length: 5', 'hello')), /hello$/)
  const chunked = post('Connection: close\r\nTransfer-Encoding: Chunked', '3;ext=1\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n')
  assert.match(await converse(server.port, chunked), /hello$/)
})

test('a large upload is streamed in chunks', async () => {
  await using server = await listening(async ({ request }) => {
    let bytes = 0
    for await (const chunk of request.body.stream()) bytes += (chunk as Buffer).length
    return respond(200, {}, String(bytes))
  })
  const response = await fetch(server.url, { method: 'PUT', body: Buffer.alloc(5_000_000) })

  assert.equal(await response.text(), '5000000')
})

test('the part of a body that arrived with its head is delivered at once, and the rest after a pause', async () => {
  const received: string[] = []
  const ended = Promise.withResolvers<void>()
  const isPaused = Promise.withResolvers<() => void>()
  await using server = await listening(async ({ request }) => {
    // Parsed in the same read as the head, after the handler was called.
    await null
    const write = (chunk: Uint8Array) => {
      received.push(Buffer.from(chunk).toString())
      return false
    }
    const control = request.body.pipe({ write, end: () => ended.resolve(), fail: ended.reject })
    assert.deepEqual(received, ['hel'])
    isPaused.resolve(() => control.resume())
    await within('the body ended', ended.promise)
    return respond(200)
  })
  await using client = new RawClient(server.port)
  client.send(post('Content-Length: 5', 'hel'))
  const resume = await within('the body is paused', isPaused.promise)
  client.send('lo')
  await converse(server.port, 'x\r\n\r\n')
  assert.deepEqual(received, ['hel'])
  resume()
  await client.receives(/^HTTP\/1\.1 200 /)
  assert.deepEqual(received, ['hel', 'lo'])
})

test('trailers of a request are forwarded, except those allowed in the head only (B32)', async () => {
  const ended = Promise.withResolvers<readonly string[] | null>()
  const sink: BodySink = { write: () => true, end: ended.resolve, fail: ended.reject }
  await using server = await listening(async ({ request }) => {
    request.body.pipe(sink)
    await within('the body ended', ended.promise)
    return respond(200)
  })
  const trailers =
    'X-Sum: 1\r\nHost: b\r\nAuthorization: x\r\nCookie: y\r\nConnection: x\r\n' +
    'X-Forwarded-For: 1\r\nX_Forwarded_For: 1\r\nX-Real-IP: 1\r\nX-Original-URL: /\r\nForwarded: for=1\r\nIf-Match: x\r\n'
  await converse(server.port, post('Connection: close\r\nTransfer-Encoding: chunked', `1\r\na\r\n0\r\n${trailers}\r\n`))

  assert.deepEqual(await within('the body ended', ended.promise), ['X-Sum', '1'])
})

test('100 Continue is sent when the body is first read, not before', async () => {
  const gate = Promise.withResolvers<void>()
  await using server = await listening(async (exchange) => {
    await gate.promise
    return echo(exchange)
  })
  await using client = new RawClient(server.port)
  client.send(post('Expect: 100-continue\r\nContent-Length: 2', ''))
  await converse(server.port, 'x\r\n\r\n')
  assert.equal(client.text, '')
  gate.resolve()
  await client.receives(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
  client.send('hi')
  await client.receives(/\r\n\r\nHTTP\/1\.1 200 [\s\S]*hi$/)
})

test('a refusal before the body is read sends no 100 Continue and closes the connection (B31)', async () => {
  await using server = await listening(async () => respond(401))
  const answer = await converse(server.port, post('Expect: 100-continue\r\nContent-Length: 2', ''))

  assert.match(answer, /^HTTP\/1\.1 401 [\s\S]*Connection: close\r\n/)
})

test('an unread body is never parsed as a request (B26)', async () => {
  const paths: string[] = []
  await using server = await listening(async ({ request }) => {
    paths.push(`${request.method} ${request.uri.path}`)
    return respond(200, {}, 'ok')
  })
  const inner = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
  for (const method of ['GET', 'OPTIONS', 'HEAD', 'DELETE', 'POST']) {
    await using client = new RawClient(server.port)
    client.send(`${method} / HTTP/1.1\r\nHost: a\r\nContent-Length: ${inner.length}\r\n\r\n`)
    await client.receives(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n/)
    client.text = ''
    client.send(`${inner}GET /next HTTP/1.1\r\nHost: a\r\n\r\n`)
    await client.receives(/ok$/)
  }

  assert.equal(paths.filter((path) => path === 'GET /smuggled').length, 0)
  assert.equal(paths.filter((path) => path === 'GET /next').length, 5)
})

test('a large unread body closes the connection, and the client still gets its response', async () => {
  await using server = await listening(async () => respond(403, {}, 'no'))
  await using client = new RawClient(server.port)
  client.send(post('Content-Length: 50000000', 'x'.repeat(1_000_000)))
  await client.receives(/^HTTP\/1\.1 403 [\s\S]*Connection: close\r\n[\s\S]*no$/)
  client.socket.end()
  await client.closed
})

for (const streaming of [true, false]) {
  test(`a client that ends within its request body aborted the request: ${streaming ? 'streamed' : 'buffered'}`, async () => {
    const ended: unknown[] = []
    class Recorded extends RequestAudit {
      override end({ response, end }: RequestOutcome): void {
        ended.push([response?.status, end, this.decision])
      }
      override discard(): void {}
    }
    const audit = {
      begin(exchange: Exchange): void {
        exchange.audit = new Recorded(exchange)
      },
      refused: () => assert.fail('the request is known'),
    }
    await using server = await listening(echo, { streaming, audit })
    for (const body of [post('Content-Length: 5', 'hel'), post('Transfer-Encoding: chunked', '5\r\nhel')]) {
      await using client = new RawClient(server.port)
      client.send(body)
      client.socket.end()
      await client.closed
      assert.match(client.text, /^HTTP\/1\.1 400 /)
    }
    assert.deepEqual(ended, Array(2).fill([400, 'aborted', null]))
  })
}

test('the end of a client within a body that was answered already is no second request, and has no second response', async () => {
  const refused: RefusedRequest[] = []
  const audit = { begin: () => {}, refused: (request: RefusedRequest) => void refused.push(request) }
  await using server = await listening(async () => respond(200, {}, 'early'), { audit })
  await using client = new RawClient(server.port)
  client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc')
  await client.receives(/early$/)
  client.socket.end()
  await client.closed
  assert.match(client.text, /^HTTP\/1\.1 200 OK\r\n[\s\S]*early$/)
  assert.deepEqual(refused, [])
})

test('a declared length over the limit is refused with 413 before the body is read', async () => {
  let calls = 0
  await using server = await listening(
    async () => {
      calls++
      return respond(200)
    },
    { maxBodyBytes: 1000 },
  )
  const answer = await converse(server.port, post('Expect: 100-continue\r\nContent-Length: 1001', ''))

  assert.match(answer, /^HTTP\/1\.1 413 /)
  assert.equal(calls, 0)
})

test('a chunked body that grows over the limit is 413', async () => {
  await using server = await listening(echo, { maxBodyBytes: 10 })
  const answer = await converse(
    server.port,
    post('Transfer-Encoding: chunked', 'ff\r\n'.concat('x'.repeat(255), '\r\n')),
  )

  assert.match(answer, /^HTTP\/1\.1 413 /)
})

test('without streaming the body is buffered before the handler runs, and 413 over the storage', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-listener-'))
  const storage = new TemporaryStorage({ initialLength: 10, memoryLimit: 100, fileLimit: 1000, directory })
  let calls = 0
  await using server = await listening(
    async ({ request }) => {
      calls++
      return respond(200, {}, `${request.body.isBuffered} ${request.body.bytes().length}`)
    },
    { streaming: false, storage },
  )
  assert.match(await (await fetch(server.url, { method: 'POST', body: 'x'.repeat(500) })).text(), /^true 500$/)
  const declared = await fetch(server.url, { method: 'POST', body: 'x'.repeat(1001) })
  const chunk = `3e9\r\n${'x'.repeat(1001)}\r\n`
  const grown = await converse(server.port, post('Transfer-Encoding: chunked', chunk))

  assert.equal(declared.status, 413)
  assert.match(grown, /^HTTP\/1\.1 413 /)
  assert.equal(calls, 1)
  await server.listener.close()
  assert.deepEqual(existsSync(directory) ? readdirSync(directory) : [], [])
  await rm(directory, { recursive: true, force: true })
})

test('a framing error in a body fails it, answers 400 and closes', async () => {
  const failed = Promise.withResolvers<Error>()
  const events: string[] = []
  await using server = await listening((exchange) => {
    exchange.onAbort(() => events.push('abort'))
    exchange.onComplete(() => events.push('complete'))
    exchange.request.body.pipe({ write: () => true, end: () => events.push('end'), fail: failed.resolve })
    return new Promise(() => {})
  })
  const answer = await converse(server.port, post('Transfer-Encoding: chunked', '3\r\nabc\r\nzz\r\n'))

  assert.match(answer, /^HTTP\/1\.1 400 /)
  assert.ok((await within('the body failed', failed.promise)) instanceof Error)
  assert.deepEqual(events, ['abort', 'complete'])
})

test('a body truncated by the client fails, and is not logged as a handler failure', async () => {
  const failed = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  await using server = await listening(async ({ request }) => {
    started.resolve()
    await request.body.read(1000).catch((error) => {
      failed.resolve()
      throw error
    })
    return respond(200)
  })
  await using client = new RawClient(server.port)
  client.send(post('Content-Length: 10', 'abc'))
  await within('the handler was called', started.promise)
  client.socket.destroy()
  await within('the body failed', failed.promise)
  await server.listener.close()

  assert.deepEqual(
    server.log.entries.filter((entry) => entry.level === 'error'),
    [],
  )
})

test('a head or body that does not arrive in time is 408', async () => {
  await using server = await listening(echo, { headersTimeout: 100, idleTimeout: 200 })
  const answers = await Promise.all([
    converse(server.port, 'GET / HTTP/1.1\r\nHos'),
    converse(server.port, post('Content-Length: 10', 'abc')),
  ])

  for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
})

test('a short body that arrived with its head is buffered, and the next request is served', async () => {
  await using server = await listening(async (exchange) => {
    const { body } = exchange.request
    await null
    body.bufferIfComplete(10)
    const way = body.isBuffered ? 'arrived' : 'to be read'
    return respond(200, {}, `${way}: ${Buffer.from(await body.read(100))}`)
  })
  await using client = new RawClient(server.port)
  client.send(post('Content-Length: 5', 'hello') + post('Content-Length: 3', 'two'))
  await client.receives(/arrived: hello[\s\S]*arrived: two$/)
  client.send(post('Content-Length: 11', 'longer ones'))
  await client.receives(/to be read: longer ones$/)
  client.send(post('Transfer-Encoding: chunked', '2\r\nhi\r\n0\r\n\r\n'))
  await client.receives(/to be read: hi$/)
  client.send(post('Content-Length: 4', 'ha'))
  client.send('lf')
  await client.receives(/: half$/)
  client.send(post('Expect: 100-continue\r\nContent-Length: 2', ''))
  await client.receives(/100 Continue\r\n\r\n$/)
  client.send('ok')
  await client.receives(/to be read: ok$/)
})
