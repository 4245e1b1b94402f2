import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { Body, type BodySink } from '#http'
import { clientWith, Reader, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream, rawUpstream, silentUpstream } from '#test/upstream'
import { once, waitUntil, within } from '#test/waiting'

const MEGABYTE = 1_048_576
const TOTAL = 64 * MEGABYTE

/** Writes 64 MiB as fast as the peer accepts them, and counts the written bytes. */
function pour(response: ServerResponse, progress: { written: number }): void {
  const chunk = Buffer.alloc(MEGABYTE, 'x')
  const more = () => {
    while (progress.written < TOTAL) {
      progress.written += chunk.length
      if (!response.write(chunk)) {
        response.once('drain', more)
        return
      }
    }
    response.end()
  }
  more()
}

test('64 MiB to a slow reader: bytes in flight are bounded by socket buffers', async () => {
  const progress = { written: 0 }
  await using upstream = await httpUpstream((_request, response) => pour(response, progress))
  await using client = clientWith()
  const response = await send(client, exchangeFor('GET', upstream.url))
  const reader = new Reader(response.body)
  reader.block()
  // Bytes written and not received are in kernel buffers or in our memory, which would grow without bound.
  let underWay = 0
  const turn = setInterval(() => {
    underWay = Math.max(underWay, progress.written - reader.received)
    reader.step()
  }, 0)
  await reader.atLeast(16 * MEGABYTE)
  clearInterval(turn)
  reader.unblock()
  await reader.done
  assert.equal(reader.received, TOTAL)
  assert.ok(underWay < 16 * MEGABYTE, `${underWay} bytes were under way`)
})

test('an upstream that does not read pauses the request body', async () => {
  await using upstream = await silentUpstream((socket) => socket.pause())
  await using client = clientWith()
  const chunk = Buffer.alloc(65_536)
  let written = 0
  let cancelled: Error | undefined
  const blocked = Promise.withResolvers<void>()
  let sink: BodySink
  const more = () => {
    while (written < TOTAL) {
      written += chunk.length
      if (!sink.write(chunk)) break
    }
    // A loopback socket accepts bytes until the kernel buffers are full: then no more are read from the body.
    clearTimeout(quiet)
    quiet = setTimeout(() => blocked.resolve(), 100)
  }
  let quiet: NodeJS.Timeout
  const body = Body.fromSource({
    start: (target) => {
      sink = target
      more()
    },
    resume: more,
    cancel: (reason) => {
      cancelled = reason ?? new Error('cancelled')
    },
  })
  const exchange = exchangeFor('POST', upstream.url, { body })
  const answer = send(client, exchange)
  await within('the sink was blocked', blocked.promise)
  assert.ok(written < TOTAL / 2, `${written} bytes were taken by an upstream that does not read`)

  exchange.abort(new Error('gone'))
  await assert.rejects(answer, { code: 'GW_CLIENT_GONE' })
  await Promise.resolve()
  assert.ok(cancelled instanceof Error)
})

test('delivers each chunk of a response as it arrives', async () => {
  let upstreamSocket: Socket | undefined
  await using upstream = await rawUpstream((socket) => {
    upstreamSocket = socket
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n')
  })
  await using client = clientWith()
  const response = await send(client, exchangeFor('GET', upstream.url))
  const reader = new Reader(response.body)
  upstreamSocket!.write('data: 1\n\n')
  await reader.atLeast(9)
  upstreamSocket!.end('data: 2\n\n')
  await reader.done
  assert.equal(reader.received, 18)
})

test('sends each chunk of a request body as it arrives', async () => {
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  await using upstream = await httpUpstream((request, response) => {
    request.on('data', (chunk) => {
      seen.push(String(chunk))
      first.resolve()
    })
    request.on('end', () => response.end('done'))
  })
  await using client = clientWith()
  const started = Promise.withResolvers<BodySink>()
  const body = Body.fromSource({ start: started.resolve, resume: () => {}, cancel: () => {} })
  const answer = send(client, exchangeFor('POST', upstream.url, { body }))
  const sink = await within('the body was piped', started.promise)
  sink.write(Buffer.from('one'))
  await within('the first chunk arrived', first.promise)
  sink.write(Buffer.from('two'))
  sink.end(null)
  assert.equal(await textOf(await answer), 'done')
  assert.deepEqual(seen, ['one', 'two'])
})

const CUT: Record<string, string> = {
  'a body of known length': 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello',
  'a chunked body': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
  'a chunk': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhello',
}

for (const [what, bytes] of Object.entries(CUT)) {
  test(`fails, and never ends cleanly, when the upstream truncates ${what} (B27)`, async () => {
    for (const close of ['end', 'resetAndDestroy'] as const) {
      const read = Promise.withResolvers<void>()
      await using upstream = await rawUpstream((socket) => {
        socket.write(bytes)
        void read.promise.then(() => socket[close]())
      })
      await using client = clientWith()
      const response = await send(client, exchangeFor('GET', upstream.url))
      const reader = new Reader(response.body)
      read.resolve()
      await assert.rejects(reader.done, { name: 'UpstreamError', status: 502 })
    }
  })
}

test('fails for a reader that starts after the truncation', async () => {
  await using upstream = await rawUpstream((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'))
  await using client = clientWith()
  const response = await send(client, exchangeFor('GET', upstream.url))
  await waitUntil('the client had no running request', () => client.stats[0]!.running === 0)
  await assert.rejects(new Reader(response.body).done, { code: 'GW_UPSTREAM_CLOSED' })
})

test('a client that disconnects before the response head aborts the upstream request', async () => {
  const closed = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  await using upstream = await httpUpstream((_request, response) => {
    arrived.resolve()
    response.on('close', closed.resolve)
  })
  await using client = clientWith()
  const exchange = exchangeFor('GET', upstream.url)
  const answer = send(client, exchange)
  await within('the request reached the upstream', arrived.promise)
  exchange.abort(new Error('gone'))
  await assert.rejects(answer, { code: 'GW_CLIENT_GONE' })
  await within('the connection was closed', closed.promise)
  await assert.rejects(send(client, exchange), { code: 'GW_CLIENT_GONE' })
})

for (const how of ['abort', 'cancel', 'complete'] as const) {
  test(`aborts the upstream request when the response is no longer needed (${how})`, async () => {
    const closed = Promise.withResolvers<void>()
    await using upstream = await httpUpstream((_request, response) => {
      response.on('close', closed.resolve)
      response.write('first')
    })
    await using client = clientWith()
    const exchange = exchangeFor('GET', upstream.url)
    const response = await send(client, exchange)
    if (how === 'abort') {
      const reader = new Reader(response.body)
      exchange.abort(new Error('gone'))
      await assert.rejects(reader.done, { code: 'GW_CLIENT_GONE' })
    }
    if (how === 'cancel') new Reader(response.body).cancel()
    if (how === 'complete') exchange.complete()
    await within('the connection was closed', closed.promise)
    assert.equal(client.stats[0]!.running, 0)
  })
}

test('a truncated request body aborts the upstream request, which is never completed', async () => {
  let bytes = ''
  let socketClosed: Promise<unknown> | undefined
  await using upstream = await silentUpstream((socket) => {
    socketClosed = once(socket, 'close')
    socket.on('data', (chunk) => {
      bytes += chunk.toString('latin1')
      if (bytes.includes('half')) source.fail(new Error('bad chunk'))
    })
  })
  await using client = clientWith()
  let source: BodySink
  const body = Body.fromSource({
    start: (sink) => {
      source = sink
      sink.write(Buffer.from('half'))
    },
    resume: () => {},
    cancel: () => {},
  })
  const failed = { code: 'GW_REQUEST_BODY', status: 400 }
  await assert.rejects(send(client, exchangeFor('POST', upstream.url, { body })), failed)
  await socketClosed
  assert.match(bytes, /half/)
  assert.doesNotMatch(bytes, /\r\n0\r\n/)
})

test('a request body longer or shorter than announced aborts the upstream request', async () => {
  await using upstream = await httpUpstream((request, response) => {
    request.resume().on('end', () => response.end())
  })
  await using client = clientWith()
  for (const length of [2, 4]) {
    const body = Body.fromSource(
      {
        start: (sink) => {
          sink.write(Buffer.from('abc'))
          sink.end(null)
        },
        resume: () => {},
        cancel: () => {},
      },
      length,
    )
    await assert.rejects(send(client, exchangeFor('POST', upstream.url, { body })), { code: 'GW_REQUEST_BODY' })
  }
})

test('a request whose announced body never arrives is not sent without body', async () => {
  let bytes = ''
  const closed = Promise.withResolvers<void>()
  await using upstream = await silentUpstream((socket) => {
    socket.on('data', (chunk) => {
      bytes += chunk.toString('latin1')
    })
    socket.on('close', () => closed.resolve())
  })
  await using client = clientWith()
  const body = Body.fromSource({ start: (sink) => sink.end(null), resume: () => {}, cancel: () => {} }, 4)
  await assert.rejects(send(client, exchangeFor('POST', upstream.url, { body })), { code: 'GW_REQUEST_BODY' })
  await within('the connection was closed', closed.promise)
  assert.equal(bytes, '')
})

test('a response in many chunks is delivered in order to a reader that reads one at a time', async () => {
  const count = 20_000
  const pieces = Array.from({ length: count }, (_, i) => `1\r\n${i % 10}\r\n`).join('')
  await using upstream = await rawUpstream((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`)
  })
  await using client = clientWith()
  const response = await send(client, exchangeFor('GET', upstream.url))
  let text = ''
  const done = Promise.withResolvers<void>()
  const control = response.body.pipe({
    write: (chunk) => {
      text += Buffer.from(chunk).toString('latin1')
      queueMicrotask(() => control.resume())
      return false
    },
    end: () => done.resolve(),
    fail: done.reject,
  })
  await within('the exchange was complete', done.promise)
  assert.equal(text, '0123456789'.repeat(count / 10))
})

test('a response before the end of the request stops the request body', async () => {
  await using upstream = await rawUpstream((socket) =>
    socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nno!'),
  )
  await using client = clientWith()
  const cancelled = Promise.withResolvers<void>()
  const body = Body.fromSource({
    start: (sink) => sink.write(Buffer.from('start')),
    resume: () => {},
    cancel: () => cancelled.resolve(),
  })
  const response = await send(client, exchangeFor('POST', upstream.url, { body }))
  assert.equal(response.status, 413)
  assert.equal(await textOf(response), 'no!')
  await within('the cancellation arrived', cancelled.promise)
})
