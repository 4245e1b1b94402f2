import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Body, type BodySink } from '#http'
import { clientWith, Reader, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream, rawUpstream, silentUpstream } from '#test/upstream'
import { waitUntil, within } from '#test/waiting'

const SHORT = 100

const elapsed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('no byte of a response within soTimeout: 504', async () => {
  await using upstream = await silentUpstream()
  await using client = clientWith({ soTimeout: SHORT })
  const start = performance.now()
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_TIMEOUT', status: 504 })
  const took = performance.now() - start
  // Far above the time on an idle machine: a busy one needs more.
  assert.ok(took >= SHORT && took < SHORT * 50, `took ${took} ms`)
})

test('an incomplete response head within soTimeout: 504', async () => {
  await using upstream = await rawUpstream((socket) => socket.write('HTTP/1.1 200 OK\r\nX-A: '))
  await using client = clientWith({ soTimeout: SHORT })
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_TIMEOUT' })
})

test('no byte after the head within soTimeout truncates the body', async () => {
  await using upstream = await rawUpstream((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'),
  )
  await using client = clientWith({ soTimeout: SHORT })
  const reader = new Reader((await send(client, exchangeFor('GET', upstream.url))).body)
  await assert.rejects(reader.done, { code: 'GW_UPSTREAM_TIMEOUT' })
  assert.equal(reader.received, 5)
})

test('a slow upstream does not time out while bytes arrive', async () => {
  await using upstream = await httpUpstream((_request, response) => {
    let left = 24
    const drip = setInterval(() => {
      response.write('x')
      if (--left > 0) return
      clearInterval(drip)
      response.end()
    }, SHORT / 2)
  })
  // Ten times the pause between two bytes, for busy machines, and less than all pauses together.
  await using client = clientWith({ soTimeout: SHORT * 5 })
  const began = performance.now()
  assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), 'x'.repeat(24))
  assert.ok(performance.now() - began > SHORT * 10)
})

test('a reader that pauses longer than soTimeout causes no time-out', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end(Buffer.alloc(2_000_000)))
  await using client = clientWith({ soTimeout: SHORT })
  const reader = new Reader((await send(client, exchangeFor('GET', upstream.url))).body)
  reader.block()
  await reader.atLeast(1)
  await elapsed(SHORT * 2.5)
  reader.unblock()
  await reader.done
  assert.equal(reader.received, 2_000_000)
})

test('a client that sends its body slowly causes no time-out', async () => {
  await using upstream = await httpUpstream((request, response) => {
    request.resume().on('end', () => response.end('done'))
  })
  await using client = clientWith({ soTimeout: SHORT })
  const started = Promise.withResolvers<BodySink>()
  const body = Body.fromSource({ start: started.resolve, resume: () => {}, cancel: () => {} })
  const answer = send(client, exchangeFor('POST', upstream.url, { body }))
  const sink = await within('the body was piped', started.promise)
  sink.write(Buffer.from('one'))
  await elapsed(SHORT * 2.5)
  sink.end(null)
  assert.equal(await textOf(await answer), 'done')
})

const EARLY: Readonly<Record<string, { readonly first: string; readonly rest: string }>> = {
  'an informational response': {
    first: 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n',
    rest: 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone',
  },
  'the head of the response': {
    first: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    rest: '4\r\ndone\r\n0\r\n\r\n',
  },
}

for (const [what, { first, rest }] of Object.entries(EARLY)) {
  test(`a client that sends its body slowly causes no time-out, also after ${what}`, async () => {
    await using upstream = await silentUpstream((socket) => {
      let text = ''
      socket.on('data', (chunk: Buffer) => {
        if (text === '') socket.write(first)
        text += chunk.toString('latin1')
        if (text.endsWith('3\r\nend\r\n0\r\n\r\n')) socket.write(rest)
      })
    })
    await using client = clientWith({ soTimeout: SHORT })
    const started = Promise.withResolvers<BodySink>()
    const body = Body.fromSource({ start: started.resolve, resume: () => {}, cancel: () => {} })
    const answer = send(client, exchangeFor('POST', upstream.url, { body })).then(textOf)
    answer.catch(() => {})
    const sink = await within('the body was piped', started.promise)
    await elapsed(SHORT * 2.5)
    sink.write(Buffer.from('end'))
    sink.end(null)
    assert.equal(await answer, 'done')
  })

  test(`an upstream that is silent after the request, and sent ${what} before its end, times out`, async () => {
    await using upstream = await silentUpstream((socket) => socket.once('data', () => socket.write(first)))
    await using client = clientWith({ soTimeout: SHORT })
    const early = Promise.withResolvers<BodySink>()
    const body = Body.fromSource({ start: early.resolve, resume: () => {}, cancel: () => {} })
    const answer = send(client, exchangeFor('POST', upstream.url, { body })).then(textOf)
    answer.catch(() => {})
    const sink = await within('the body was piped', early.promise)
    sink.end(null)
    await assert.rejects(within('the call failed', answer), { code: 'GW_UPSTREAM_TIMEOUT' })
  })
}

test('an upstream that stops reading a request body: 504', async () => {
  await using upstream = await silentUpstream((socket) => socket.pause())
  await using client = clientWith({ soTimeout: SHORT })
  const chunk = Buffer.alloc(1_048_576)
  let sink: BodySink | undefined
  const more = () => {
    while (sink!.write(chunk)) {}
  }
  const body = Body.fromSource({
    start: (target) => {
      sink = target
      more()
    },
    resume: more,
    cancel: () => {},
  })
  await assert.rejects(send(client, exchangeFor('POST', upstream.url, { body })), { code: 'GW_UPSTREAM_TIMEOUT' })
})

test('no connection within connectionTimeout: 502', async () => {
  // A TLS connection is established by its handshake, which this peer never starts.
  await using upstream = await silentUpstream()
  await using client = clientWith({ connectionTimeout: SHORT })
  const start = performance.now()
  await assert.rejects(send(client, exchangeFor('GET', upstream.url.replace('http:', 'https:'))), {
    code: 'GW_UPSTREAM_CONNECT',
    status: 502,
  })
  const took = performance.now() - start
  // The default of these tests is 2 s.
  assert.ok(took >= SHORT - 1 && took < 1_900, `took ${took} ms`)
})

test('a request that times out does not affect others', async () => {
  const timedOut = Promise.withResolvers<void>()
  await using upstream = await httpUpstream((request, response) => {
    if (request.url !== '/streamed') return
    response.write('o')
    const more = setInterval(() => response.write('o'), SHORT / 20)
    void timedOut.promise.then(() => {
      clearInterval(more)
      response.end('k')
    })
  })
  await using client = clientWith({ soTimeout: SHORT })
  const streamed = await send(client, exchangeFor('GET', `${upstream.url}/streamed`))
  const text = textOf(streamed)
  await assert.rejects(send(client, exchangeFor('GET', `${upstream.url}/silent`)), { code: 'GW_UPSTREAM_TIMEOUT' })
  timedOut.resolve()
  assert.match(await text, /^o+k$/)
})

test('a response that arrived while the thread was blocked is not a time-out', async () => {
  // Another thread, which responds while this one is blocked. Slot 0 is the port, slot 1 is set by the request.
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const program = `
    const { createServer } = require('node:http')
    const { workerData } = require('node:worker_threads')
    const server = createServer((_request, response) => {
      Atomics.store(workerData, 1, 1)
      setTimeout(() => response.end('ok'), 50)
    })
    server.listen(0, '127.0.0.1', () => {
      Atomics.store(workerData, 0, server.address().port)
      Atomics.notify(workerData, 0)
    })`
  const upstream = new Worker(program, { eval: true, workerData: shared })
  try {
    Atomics.wait(shared, 0, 0)
    await using client = clientWith({ soTimeout: 300 })
    const answer = send(client, exchangeFor('GET', `http://127.0.0.1:${Atomics.load(shared, 0)}/`))
    await waitUntil('the other thread had stored its value', () => Atomics.load(shared, 1) !== 0)
    Atomics.wait(shared, 1, 1, 600)
    assert.equal(await textOf(await answer), 'ok')
  } finally {
    await upstream.terminate()
  }
})
