import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { Body } from '#http'
import { clientWith, Reader, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream, rawUpstream, type Upstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'

/** An upstream that responds on demand, in order of arrival. */
async function manualUpstream(): Promise<{
  upstream: Upstream
  arrived(count: number): Promise<void>
  answer(): void
}> {
  const waiting: ServerResponse[] = []
  let count = 0
  const upstream = await httpUpstream((_request, response) => {
    count++
    waiting.push(response)
  })
  return {
    upstream,
    async arrived(wanted) {
      await waitUntil(`${wanted} requests reached the upstream`, () => count >= wanted)
    },
    answer: () => waiting.shift()!.end('ok'),
  }
}

test('reuses a connection', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  await using client = clientWith({ connections: 1 })
  for (let i = 0; i < 5; i++) assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), 'ok')
  assert.equal(upstream.accepted, 1)
})

test('disableReuseConnection opens a connection for every request, and sends Connection: close', async () => {
  const connection: (string | undefined)[] = []
  await using upstream = await httpUpstream((request, response) => {
    connection.push(request.headers.connection)
    response.end('ok')
  })
  await using client = clientWith({ disableReuseConnection: true })
  for (let i = 0; i < 3; i++) await textOf(await send(client, exchangeFor('GET', upstream.url)))
  assert.equal(upstream.accepted, 3)
  assert.deepEqual(connection, ['close', 'close', 'close'])
})

test('a connection older than its time to live gets no further request', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  await using client = clientWith({ connectionTimeToLive: 20 })
  await textOf(await send(client, exchangeFor('GET', upstream.url)))
  const born = Date.now()
  while (Date.now() - born < 25) await new Promise((resolve) => setTimeout(resolve, 5))
  await textOf(await send(client, exchangeFor('GET', upstream.url)))
  assert.equal(upstream.accepted, 2)
})

test('does not reuse a connection after a GET with a body (B26)', async () => {
  await using upstream = await httpUpstream((request, response) => {
    request.resume().on('end', () => response.end('ok'))
  })
  await using client = clientWith()
  await textOf(await send(client, exchangeFor('GET', upstream.url, { body: 'surprise' })))
  await textOf(await send(client, exchangeFor('GET', upstream.url)))
  assert.equal(upstream.accepted, 2)
})

test('requests beyond the connection limit are queued in order; beyond the queue limit they get 503', async () => {
  const { upstream, arrived, answer } = await manualUpstream()
  await using _ = upstream
  await using client = clientWith({ connections: 2, maxWaitQueueSize: 2 })
  const order: number[] = []
  const sendNumber = async (n: number) => {
    await textOf(await send(client, exchangeFor('GET', upstream.url)))
    order.push(n)
  }
  const answers = [sendNumber(0), sendNumber(1), sendNumber(2), sendNumber(3)]
  await assert.rejects(sendNumber(4), { code: 'GW_UPSTREAM_POOL_FULL', status: 503 })
  await arrived(2)
  assert.deepEqual(client.stats, [{ origin: upstream.url, connected: 2, running: 2, pending: 0, queued: 2 }])
  for (let done = 0; done < 4; done++) {
    answer()
    await arrived(Math.min(4, done + 3))
  }
  await Promise.all(answers)
  assert.equal(upstream.accepted, 2)
  assert.equal(order.indexOf(2) < order.indexOf(3), true)
  assert.equal(client.stats[0]!.running + client.stats[0]!.queued, 0)
})

test('a queued request can be aborted and frees its slot', async () => {
  const { upstream, arrived, answer } = await manualUpstream()
  await using _ = upstream
  await using client = clientWith({ connections: 1, maxWaitQueueSize: 1 })
  const first = send(client, exchangeFor('GET', upstream.url))
  await arrived(1)
  const impatient = exchangeFor('GET', upstream.url)
  const given = send(client, impatient)
  impatient.abort(new Error('gone'))
  await assert.rejects(given, { code: 'GW_CLIENT_GONE' })
  const next = send(client, exchangeFor('GET', upstream.url))
  answer()
  await textOf(await first)
  await arrived(2)
  answer()
  assert.equal(await textOf(await next), 'ok')
})

test('a request that waits longer than connectionTimeout for a free connection gets 503', async () => {
  const { upstream, arrived, answer } = await manualUpstream()
  await using _ = upstream
  await using client = clientWith({ connections: 1, connectionTimeout: 80 })
  const first = send(client, exchangeFor('GET', upstream.url))
  await arrived(1)
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_POOL_FULL', status: 503 })
  answer()
  assert.equal(await textOf(await first), 'ok')
})

test('the connection of a request aborted while connecting is used by the next request', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  await using client = clientWith({ connections: 1 })
  const hasty = exchangeFor('GET', upstream.url)
  const given = send(client, hasty)
  hasty.abort(new Error('gone'))
  await assert.rejects(given, { code: 'GW_CLIENT_GONE' })
  assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), 'ok')
  assert.equal(upstream.accepted, 1)
})

test('clients of equal settings share connections, others do not', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  await using one = clientWith({ connections: 1 })
  await using same = clientWith({ connections: 1 })
  await using other = clientWith({ connections: 1, soTimeout: 2_001 })
  for (const client of [one, same]) await textOf(await send(client, exchangeFor('GET', upstream.url)))
  assert.equal(upstream.accepted, 1)
  await textOf(await send(other, exchangeFor('GET', upstream.url)))
  assert.equal(upstream.accepted, 2)
})

test('connections stay open until the last client is released', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  const old = clientWith({ connections: 1 })
  await textOf(await send(old, exchangeFor('GET', upstream.url)))
  const successor = clientWith({ connections: 1 })
  await old.release()
  await old.release()
  assert.throws(() => send(old, exchangeFor('GET', upstream.url)), /after release/)
  await textOf(await send(successor, exchangeFor('GET', upstream.url)))
  assert.equal(upstream.accepted, 1)
  const [socket] = upstream.sockets
  const closed = once(socket!, 'close')
  await successor.release()
  await closed
})

test('the last release waits for active and queued requests', async () => {
  const { upstream, arrived, answer } = await manualUpstream()
  await using _ = upstream
  const client = clientWith({ connections: 1 })
  const first = send(client, exchangeFor('GET', upstream.url))
  const second = send(client, exchangeFor('GET', upstream.url))
  await arrived(1)
  let released = false
  const release = client.release().then(() => {
    released = true
  })
  answer()
  assert.equal(await textOf(await first), 'ok')
  assert.equal(released, false)
  await arrived(2)
  answer()
  assert.equal(await textOf(await second), 'ok')
  await release
})

test('connection refused: 502', async () => {
  const upstream = await rawUpstream(() => {})
  await upstream[Symbol.asyncDispose]()
  await using client = clientWith()
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_CONNECT', status: 502 })
  const body = Body.fromSource({ start: () => assert.fail('was started'), resume: () => {}, cancel: () => {} })
  await assert.rejects(send(client, exchangeFor('POST', upstream.url, { body })), { code: 'GW_UPSTREAM_CONNECT' })
  await assert.rejects(send(client, exchangeFor('GET', 'http://nothing.invalid/')), { code: 'GW_UPSTREAM_CONNECT' })
})

test('bounds the number of origins with open connections, and closes the least recently used idle one first', async () => {
  await using client = clientWith()
  // Refused connections create a pool, too.
  const origins = Array.from({ length: 1_001 }, (_, i) => `http://127.9.${i >> 8}.${i & 255}:1`)
  for (let i = 0; i < origins.length; i += 91) {
    const batch = origins.slice(i, i + 91)
    await Promise.all(batch.map((origin) => assert.rejects(send(client, exchangeFor('GET', origin)))))
  }
  const kept = client.stats.map((stats) => stats.origin)
  assert.equal(kept.length, 1_000)
  assert.deepEqual(
    origins.filter((origin) => !kept.includes(origin)),
    [origins[0]],
  )
})

test('concurrent requests get their own responses', async () => {
  await using upstream = await httpUpstream((request, response) => response.end(request.url))
  // The last requests wait for all others, however busy the machine is.
  await using client = clientWith({ connections: 4, maxWaitQueueSize: 1_000, connectionTimeout: 60_000 })
  const texts = await Promise.all(
    Array.from({ length: 500 }, async (_, i) => textOf(await send(client, exchangeFor('GET', `${upstream.url}/${i}`)))),
  )
  assert.deepEqual(
    texts,
    Array.from({ length: 500 }, (_, i) => `/${i}`),
  )
  assert.ok(upstream.accepted <= 4)
})

test('the connection of a slow reader is not used for other requests', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end(Buffer.alloc(1_000_000)))
  await using client = clientWith({ connections: 1 })
  const reader = new Reader((await send(client, exchangeFor('GET', upstream.url))).body)
  reader.block()
  await reader.atLeast(1)
  const next = send(client, exchangeFor('GET', upstream.url))
  assert.equal(client.stats[0]!.queued, 1)
  reader.unblock()
  await reader.done
  assert.equal((await (await next).body.read(1_000_000)).length, 1_000_000)
})
