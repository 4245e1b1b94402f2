import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { fetch } from 'undici'
import { Body, type BodySink, type BodySource, Headers, Response, respond } from '#http'
import { converse, listening, RawClient } from '#test/listening'
import { once, within } from '#test/waiting'

const get = (path = '/') => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

/** A body driven by the test. */
class Pushed implements BodySource {
  sink!: BodySink
  cancelled: Error | null = null
  readonly #started = Promise.withResolvers<void>()
  readonly started = this.#started.promise
  #onCancel: (() => void) | null = null

  start(sink: BodySink): void {
    this.sink = sink
    this.#started.resolve()
  }

  resume(): void {}

  cancel(reason?: Error): void {
    this.cancelled = reason ?? new Error('cancelled')
    this.#onCancel?.()
  }

  async cancelling(): Promise<void> {
    if (this.cancelled !== null) return
    const cancelled = new Promise<void>((resolve) => {
      this.#onCancel = resolve
    })
    await within('the body was cancelled', cancelled)
  }
}

test('status, reason and headers are sent in their order and case, with a computed Content-Length', async () => {
  const headers = new Headers([
    ['X-First', '1'],
    ['set-cookie', 'a=1'],
    ['Content-Length', '999'],
    ['Set-Cookie', 'b=2'],
    ['Connection', 'X-Hop, set-cookie'],
    ['X-Hop', '1'],
    ['Keep-Alive', 'x'],
    ['Upgrade', 'x'],
  ])
  await using server = await listening(async () => new Response(299, { reason: 'Fine', headers, body: 'hello' }))
  const answer = await converse(server.port, get())

  assert.match(
    answer,
    /^HTTP\/1\.1 299 Fine\r\nX-First: 1\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 5\r\nDate: [^\r]+\r\nConnection: close\r\n\r\nhello$/,
  )
})

test('a body of unknown length is chunked, with its trailers, except those allowed in the head only (B32)', async () => {
  const body = new Pushed()
  await using server = await listening(async () => new Response(200, { body: Body.fromSource(body) }))
  const answer = converse(server.port, get())
  await body.started
  body.sink.write(Buffer.from('one'))
  body.sink.end(['X-Sum', 'abc', 'Content-Length', '3', 'Authorization', 'x', 'Set-Cookie', 'y'])

  assert.match(await answer, /Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\nX-Sum: abc\r\n\r\n$/)
})

test('a small buffered body is sent with its trailers', async () => {
  const body = new Pushed()
  await using server = await listening(async ({ storage }) => {
    const whole = Body.fromSource(body)
    const kept = whole.buffer(storage)
    await body.started
    body.sink.write(Buffer.from('one'))
    body.sink.end(['X-Sum', 'abc', 'Host', 'b'])
    await kept
    return new Response(200, { body: whole })
  })
  assert.match(
    await converse(server.port, get()),
    /Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\nX-Sum: abc\r\n\r\n$/,
  )
})

test('an HTTP/1.0 client gets a body of unknown length that ends with the connection', async () => {
  const body = new Pushed()
  await using server = await listening(async () => new Response(200, { body: Body.fromSource(body) }))
  const answer = converse(server.port, 'GET / HTTP/1.0\r\nHost: a\r\n\r\n')
  await body.started
  body.sink.write(Buffer.from('one'))
  body.sink.end(null)

  assert.match(await answer, /^HTTP\/1\.1 200 OK\r\nDate: [^\r]+\r\nConnection: close\r\n\r\none$/)
})

for (const [method, status, expected] of [
  ['HEAD', 200, /Content-Length: 42\r\n[\s\S]*\r\n\r\n$/],
  ['GET', 304, /Content-Length: 42\r\n[\s\S]*\r\n\r\n$/],
  ['GET', 204, /^(?![\s\S]*content-length)(?![\s\S]*transfer-encoding)[\s\S]*\r\n\r\n$/i],
] as const) {
  test(`${method} with ${status} has no body`, async () => {
    const body = new Pushed()
    await using server = await listening(
      async () => new Response(status, { headers: { 'Content-Length': '42' }, body: Body.fromSource(body, 42) }),
    )
    const answer = await converse(server.port, `${method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)

    assert.match(answer, expected)
    await body.cancelling()
  })
}

test('HEAD of a buffered response has the Content-Length of GET; of an empty one it has none', async () => {
  await using server = await listening(async ({ request }) => {
    const path = request.uri.path.slice(1)
    return respond(200, path === 'wrong' ? { 'Content-Length': '99' } : {}, path)
  })
  const head = (path: string) => converse(server.port, `HEAD ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  assert.match(await head('/hello'), /^HTTP\/1\.1 200 [\s\S]*\r\nContent-Length: 5\r\n[\s\S]*\r\n\r\n$/)
  assert.match(await head('/wrong'), /\r\nContent-Length: 5\r\n/)
  assert.doesNotMatch(await head('/'), /content-length|transfer-encoding/i)
})

test('a header that would split the response is never sent; the client gets 502 (B29)', async () => {
  for (const raw of [
    ['Location', '/a\r\nSet-Cookie: x=1'],
    ['X-Bad', 'a\u0000b'],
    ['X Bad', 'a'],
    ['X-Wide', '\u2028'],
  ]) {
    await using server = await listening(async () => new Response(200, { headers: Headers.fromRaw(raw), body: 'x' }))
    const answer = await converse(server.port, get())
    assert.match(answer, /^HTTP\/1\.1 502 Bad Gateway\r\n/)
    assert.doesNotMatch(answer, /Set-Cookie|X-?\s?Bad|X-Wide/)
  }
})

test('a bad reason phrase and a final response with an informational status become 502 (B28)', async () => {
  for (const response of [new Response(200, { reason: 'a\r\nb' }), new Response(101), new Response(100)]) {
    await using server = await listening(async () => response)
    assert.match(await converse(server.port, get()), /^HTTP\/1\.1 502 /)
  }
})

test('a handler that throws or rejects fails its own request only: 500 without details, one log entry (B86, B91)', async () => {
  const faultAt = (path: string) =>
    Object.assign(new Error(`secret detail in /etc/passwd for ${path}`), { code: 'GW_TEST' })
  await using server = await listening((exchange) => {
    const { path } = exchange.request.uri
    if (path === '/sync') throw faultAt(path)
    return path === '/async' ? Promise.reject(faultAt(path)) : Promise.resolve(respond(200, {}, 'ok'))
  })
  await using client = new RawClient(server.port)
  for (const path of ['/sync', '/async']) {
    client.text = ''
    client.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await client.receives(
      /^HTTP\/1\.1 500 Internal Server Error\r\n[\s\S]*nosniff[\s\S]*\r\n\r\nInternal Server Error$/,
    )
    assert.doesNotMatch(client.text, /secret|passwd|at |GW_/)
  }
  client.text = ''
  client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await client.receives(/ok$/)

  const errors = server.log.entries.filter((entry) => entry.level === 'error')
  assert.equal(errors.length, 2)
  assert.equal((errors[0]!['error'] as { code: string }).code, 'GW_TEST')
})

test('a body that fails resets the connection: never a clean end (B27)', async () => {
  for (const length of [null, 100]) {
    const body = new Pushed()
    await using server = await listening(async () => new Response(200, { body: Body.fromSource(body, length) }))
    await using client = new RawClient(server.port)
    client.send(get())
    await body.started
    body.sink.write(Buffer.from('part'))
    await client.receives(/part/)
    body.sink.fail(new Error('upstream reset'))
    await client.closed
    assert.doesNotMatch(client.text, /0\r\n\r\n$/)
    assert.equal(server.log.entries.filter((entry) => entry.level === 'warn').length, 1)
  }
})

test('an HTTP/1.0 client sees a reset when a body of unknown length fails', async () => {
  const body = new Pushed()
  await using server = await listening(async () => new Response(200, { body: Body.fromSource(body) }))
  await using client = new RawClient(server.port)
  client.send('GET / HTTP/1.0\r\nHost: a\r\n\r\n')
  await body.started
  body.sink.write(Buffer.from('part'))
  await client.receives(/part/)
  body.sink.fail(new Error('upstream reset'))

  assert.equal(await client.closed, 'reset')
})

test('a body shorter or longer than its Content-Length is truncated', async () => {
  for (const content of ['four', 'seven77']) {
    const body = new Pushed()
    await using server = await listening(async () => new Response(200, { body: Body.fromSource(body, 5) }))
    await using client = new RawClient(server.port)
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await body.started
    body.sink.write(Buffer.from(content))
    body.sink.end(null)
    await client.closed
    assert.doesNotMatch(client.text, /seven77/)
  }
})

/** A body of 64 MB, written as fast as the client reads; detects when the client stops reading. */
class Flood implements BodySource {
  sent = 0
  readonly total = 1024
  readonly #stalled = Promise.withResolvers<void>()
  readonly stalled = this.#stalled.promise
  readonly #cancelled = Promise.withResolvers<void>()
  readonly cancelled = this.#cancelled.promise
  readonly #quiet = setTimeout(this.#stalled.resolve, 100)
  #sink!: BodySink

  start(sink: BodySink): void {
    this.#sink = sink
    this.resume()
  }

  resume(): void {
    this.#quiet.refresh()
    while (this.sent < this.total) {
      this.sent++
      if (!this.#sink.write(Buffer.alloc(65_536))) return
    }
    this.#sink.end(null)
  }

  cancel(): void {
    clearTimeout(this.#quiet)
    this.#cancelled.resolve()
  }
}

test('the head is sent at once if the body starts later', async () => {
  const source = new Pushed()
  await using server = await listening(
    async () => new Response(200, { headers: { 'X-Early': 'yes' }, body: Body.fromSource(source, null) }),
  )
  await using client = new RawClient(server.port)
  client.send(get())
  await client.receives(/\r\nX-Early: yes\r\n(?:.*\r\n)*\r\n$/)
  source.sink.write(Buffer.from('late'))
  source.sink.end(null)
  await client.closed
  assert.match(client.text, /\r\n\r\n4\r\nlate\r\n0\r\n\r\n$/)
})

test('back-pressure of the client pauses and resumes the body', async () => {
  const flood = new Flood()
  await using server = await listening(async () => new Response(200, { body: Body.fromSource(flood) }))
  const socket = connect(server.port, '127.0.0.1').pause()
  socket.write(get())
  await flood.stalled
  assert.ok(flood.sent < flood.total / 2, `${flood.sent} pieces were taken at once`)
  let received = 0
  for await (const chunk of socket) received += (chunk as Buffer).length

  assert.ok(received > flood.total * 65_536)
})

test('a response is truncated when the client reads nothing for the idle timeout', async () => {
  const flood = new Flood()
  await using server = await listening(async () => new Response(200, { body: Body.fromSource(flood) }), {
    idleTimeout: 100,
  })
  await using client = new RawClient(server.port)
  client.socket.pause()
  client.send(get())
  await flood.cancelled

  assert.ok(flood.sent < flood.total)
})

test('a client that waits for a slow handler beyond the idle timeout gets its response', async () => {
  const gate = Promise.withResolvers<void>()
  await using server = await listening(
    async () => {
      await gate.promise
      return respond(200, {}, 'late')
    },
    { idleTimeout: 50 },
  )
  const answer = converse(server.port, get())
  setTimeout(gate.resolve, 250)

  assert.match(await answer, /late$/)
})

test('the exchange is aborted when the client disconnects, and completes once', async () => {
  const events: string[] = []
  const gone = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  await using server = await listening((exchange) => {
    exchange.onAbort(() => events.push('abort'))
    exchange.onComplete(() => {
      events.push('complete')
      gone.resolve()
    })
    started.resolve()
    return new Promise(() => {})
  })
  await using client = new RawClient(server.port)
  client.send(get())
  await within('the handler was called', started.promise)
  client.socket.destroy()
  await within('the disconnect was noticed', gone.promise)

  assert.deepEqual(events, ['abort', 'complete'])
  assert.deepEqual(server.listener.stats, { connections: 0, active: 0 })
})

test('a sent response completes its exchange without aborting it', async () => {
  const events: string[] = []
  const done = Promise.withResolvers<void>()
  await using server = await listening(async (exchange) => {
    exchange.onAbort(() => events.push('abort'))
    exchange.onComplete(() => {
      events.push('complete')
      done.resolve()
    })
    return respond(200, {}, 'x'.repeat(200_000))
  })
  assert.equal((await (await fetch(server.url)).text()).length, 200_000)
  await within('the exchange was complete', done.promise)

  assert.deepEqual(events, ['complete'])
})

test('the body of a late response is cancelled', async () => {
  const body = new Pushed()
  const gate = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  await using server = await listening(async (exchange) => {
    exchange.onComplete(() => aborted.resolve())
    await gate.promise
    return new Response(200, { body: Body.fromSource(body) })
  })
  const client = httpRequest(server.url).on('error', () => {})
  client.end()
  await once(client, 'socket')
  await once(client.socket!, 'connect')
  client.destroy()
  await within('the exchange was aborted', aborted.promise)
  gate.resolve()
  await body.cancelling()
})
