import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { Body, type BodySink } from '#http'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { rawUpstream } from '#test/upstream'
import { once } from '#test/waiting'

const answer = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`

test('an unsolicited second response on a connection is discarded (B25)', async () => {
  await using upstream = await rawUpstream((socket, _head, count) => {
    socket.write(count === 1 ? answer('mine') + answer('poison') : answer('reused'))
  })
  await using client = clientWith({ connections: 1 })
  const [first] = await Promise.all([send(client, exchangeFor('GET', upstream.url))])
  assert.equal(await textOf(first), 'mine')
  assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), 'mine')
  assert.equal(upstream.accepted, 2)
})

for (const [what, bytes] of Object.entries({ response: answer('poison'), garbage: 'garbage', 'line break': '\r\nX' })) {
  test(`a ${what} on an idle connection closes it (B25)`, async () => {
    let idle: Socket | undefined
    await using upstream = await rawUpstream((socket, head) => {
      idle = socket
      socket.write(answer(head.split(' ')[1]!))
    })
    await using client = clientWith({ connections: 1 })
    assert.equal(await textOf(await send(client, exchangeFor('GET', `${upstream.url}/1`))), '/1')
    const closed = once(idle!, 'close')
    idle!.write(bytes)
    await closed
    assert.equal(await textOf(await send(client, exchangeFor('GET', `${upstream.url}/2`))), '/2')
    assert.equal(upstream.accepted, 2)
  })
}

test('a response that arrived before a request with a streamed body is written is not its response (B25)', async () => {
  // The first response fills the buffer of one read of libuv, so that the next read of the same turn returns what follows it:
  // the streamed request, which waits for the connection, is dispatched in between.
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 65488\r\nX: 1\r\n\r\n'
  const first = head + 'x'.repeat(65_536 - head.length)
  await using upstream = await rawUpstream((socket, request) => {
    socket.write(request.includes('GET /') ? first + answer('poison') : answer('own'))
  })
  await using client = clientWith({ connections: 1 })
  let started = 0
  const start = (sink: BodySink): void => {
    started++
    sink.write(Buffer.from('once'))
    sink.end(null)
  }
  for (let round = 1; round <= 20; round++) {
    const body = Body.fromSource({ start, resume: () => {}, cancel: () => {} }, 4)
    const texts = [exchangeFor('GET', upstream.url), exchangeFor('POST', upstream.url, { body })].map(
      async (exchange) => textOf(await send(client, exchange)),
    )
    const [length, own] = [(await texts[0]!).length, await texts[1]!]
    assert.deepEqual([length, own, started], [65_488, 'own', round])
  }
  assert.equal(client.stats[0]!.running, 0)
})

test('bytes beyond Content-Length are discarded', async () => {
  await using upstream = await rawUpstream((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi and more')
  })
  await using client = clientWith({ connections: 1 })
  for (let i = 0; i < 2; i++) assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), 'hi')
  assert.equal(upstream.accepted, 2)
})

/** Responds to the first request of a connection, and closes it at the second. */
function closesSecond(requests: string[]) {
  return rawUpstream((socket, head, count) => {
    requests.push(head.split(' ', 1)[0]!)
    if (count === 1) socket.write(answer('ok'))
    else socket.destroy()
  })
}

for (const [method, body] of [['GET'], ['HEAD'], ['DELETE'], ['PUT', 'replayable']] as const) {
  test(`repeats ${method} once when a reused connection closes before any response byte (B30)`, async () => {
    const requests: string[] = []
    await using upstream = await closesSecond(requests)
    await using client = clientWith({ connections: 1 })
    await textOf(await send(client, exchangeFor('GET', upstream.url)))
    const parts = body === undefined ? {} : { body }
    const response = await send(client, exchangeFor(method, upstream.url, parts))
    assert.equal(response.status, 200)
    await textOf(response)
    assert.deepEqual(requests, ['GET', method, method])
    assert.equal(upstream.accepted, 2)
    assert.equal(client.stats[0]!.running, 0)
  })
}

test('does not repeat POST, nor a consumed body (B30)', async () => {
  for (const [method, body] of [
    ['POST', 'text'],
    ['POST', ''],
    ['PUT', null],
  ] as const) {
    const requests: string[] = []
    await using upstream = await closesSecond(requests)
    await using client = clientWith({ connections: 1 })
    await textOf(await send(client, exchangeFor('GET', upstream.url)))
    const streamed = Body.fromSource({
      start: (sink) => {
        sink.write(Buffer.from('once'))
        sink.end(null)
      },
      resume: () => {},
      cancel: () => {},
    })
    await assert.rejects(send(client, exchangeFor(method, upstream.url, { body: body ?? streamed })), {
      code: 'GW_UPSTREAM_CLOSED',
    })
    assert.equal(requests.filter((each) => each === method).length, 1)
  }
})

test('does not repeat on a new connection, nor twice, nor after a byte of the response', async () => {
  let count = 0
  await using fresh = await rawUpstream((socket) => {
    count++
    socket.destroy()
  })
  await using client = clientWith({ connections: 1 })
  await assert.rejects(send(client, exchangeFor('GET', fresh.url)), { code: 'GW_UPSTREAM_CLOSED' })
  assert.equal(count, 1)

  let total = 0
  await using twice = await rawUpstream((socket) => {
    if (++total === 1) socket.write(answer('ok'))
    else socket.destroy()
  })
  await textOf(await send(client, exchangeFor('GET', twice.url)))
  await assert.rejects(send(client, exchangeFor('GET', twice.url)), { code: 'GW_UPSTREAM_CLOSED' })
  assert.equal(total, 3)

  let seen = 0
  await using begun = await rawUpstream((socket) => {
    if (++seen === 1) socket.write(answer('ok'))
    else socket.end('HTTP/1.1 2')
  })
  await textOf(await send(client, exchangeFor('GET', begun.url)))
  await assert.rejects(send(client, exchangeFor('GET', begun.url)), { status: 502 })
  assert.equal(seen, 2)
})

test('a repeated request is sent over a new connection, not over one that another request has just left (B30)', async () => {
  const opened: Socket[] = []
  await using upstream = await rawUpstream((socket, head, count) => {
    if (count === 1) opened.push(socket)
    if (head.startsWith('GET /slow')) {
      // Answered when the stale connection of the other request is known to be closed; then closed itself.
      setImmediate(() => socket.end(answer('slow')))
    } else if (count === 1) socket.write(answer('ok'))
    else socket.destroy()
  })
  await using client = clientWith({ connections: 2 })
  for (let round = 0; round < 20; round++) {
    await textOf(await send(client, exchangeFor('GET', `${upstream.url}/first`)))
    const texts = ['/slow', '/again'].map(async (path) =>
      textOf(await send(client, exchangeFor('GET', upstream.url + path))),
    )
    assert.deepEqual(await Promise.all(texts), ['slow', 'ok'])
  }
  assert.ok(opened.length > 20)
})
