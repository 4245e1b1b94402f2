import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { PermitTable } from '#contracts'
import type { PermitMemory, PermitStore } from '#schema'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'

/** Stores of two units, which share their memory as threads do. */
function twoUnits(): { stores: [PermitStore, PermitStore]; free(): number } {
  const memory = new Map<string, SharedArrayBuffer>()
  const store = (unit: number): PermitStore => ({
    open: async (key, permits): Promise<PermitMemory> => {
      const known = memory.get(key) ?? new SharedArrayBuffer(PermitTable.bytes(2, permits))
      memory.set(key, known)
      return { memory: known, units: 2, unit, release: () => {} }
    },
  })
  const free = () => {
    let count = 0
    for (const each of memory.values()) {
      const table = new PermitTable(each, 2, 0)
      while (table.acquire()) count++
      while (table.held > 0) table.release()
    }
    return count
  }
  return { stores: [store(0), store(1)], free }
}

test('requests of one unit wait for the connections of another, and get their turn while its queue is never empty', async () => {
  const held: ServerResponse[] = []
  await using upstream = await httpUpstream((_request, response) => held.push(response))
  const { stores, free } = twoUnits()
  const settings = { connections: 2, maxWaitQueueSize: 100 }
  await using busy = clientWith({ ...settings, permits: stores[0] })
  await using other = clientWith({ ...settings, permits: stores[1] })
  const busyAnswers = Array.from({ length: 20 }, () => send(busy, exchangeFor('GET', upstream.url)).then(textOf))
  await waitUntil('both connections were used', () => held.length === 2)
  let isAnswered = false
  const answer = send(other, exchangeFor('GET', upstream.url))
    .then(textOf)
    .then(() => {
      isAnswered = true
    })
  await waitUntil('the request was queued', () => other.stats[0]?.queued === 1)
  let turns = 0
  for (; !isAnswered; turns++) {
    await waitUntil('a request reached the upstream', () => held.length > 0 || isAnswered)
    held.shift()?.end('ok')
    assert.ok([...upstream.sockets].filter(({ readableEnded }) => !readableEnded).length <= 2)
  }
  assert.ok(turns < 10, `${turns} responses before that of the other unit`)
  await answer
  const rest = setInterval(() => held.shift()?.end('ok'), 1)
  await Promise.all(busyAnswers)
  clearInterval(rest)
  await Promise.all([busy.release(), other.release()])
  assert.equal(free(), 2)
})

test('requests that wait for a connection of another unit count for the wait queue, and get 503 in time', async () => {
  await using upstream = await httpUpstream(() => {})
  const { stores, free } = twoUnits()
  const settings = { connections: 1, maxWaitQueueSize: 1, connectionTimeout: 2_000, soTimeout: 60_000 }
  await using holder = clientWith({ ...settings, permits: stores[0] })
  await using other = clientWith({ ...settings, permits: stores[1] })
  const exchange = exchangeFor('GET', upstream.url)
  const held = send(holder, exchange)
  await waitUntil('the connection was open', () => holder.stats[0]?.connected === 1)
  const refusals: string[] = []
  const refused = (what: string) =>
    assert
      .rejects(send(other, exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_POOL_FULL' })
      .then(() => refusals.push(what))
  const queued = refused('queued')
  await waitUntil('the request was queued', () => other.stats[0]?.queued === 1)
  await Promise.all([queued, refused('beyond the queue')])
  assert.deepEqual(refusals, ['beyond the queue', 'queued'])
  exchange.abort(new Error('gone'))
  await assert.rejects(held, { code: 'GW_CLIENT_GONE' })
  assert.equal(free(), 1)
})

test('requests wait while a busy control thread has not opened the permits, and are sent then', async (t) => {
  await using upstream = await httpUpstream((_request, response) => response.end('sent'))
  const { stores } = twoUnits()
  const opening = Promise.withResolvers<void>()
  const late: PermitStore = { open: (key, permits) => opening.promise.then(() => stores[0].open(key, permits)) }
  t.mock.timers.enable({ apis: ['setInterval'] })
  await using client = clientWith({ connections: 1, permits: late })
  const answer = send(client, exchangeFor('GET', upstream.url)).then(textOf)
  await waitUntil('the request was queued', () => client.stats[0]?.queued === 1)
  t.mock.timers.tick(1_000)
  opening.resolve()
  assert.equal(await answer, 'sent')
  await client.release()
})

test('HTTP/2: an idle connection is closed for another unit, a busy one after its streams', async () => {
  const streams: ServerHttp2Stream[] = []
  const sessions = new Set<object>()
  const server = createServer()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream) => streams.push(stream as ServerHttp2Stream))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { stores } = twoUnits()
  const settings = { connections: 1, http2: { overTls: false, inClear: 'prior-knowledge' } } as const
  await using first = clientWith({ ...settings, permits: stores[0] })
  await using second = clientWith({ ...settings, permits: stores[1] })
  const answerNext = async () => {
    await waitUntil('a stream was open', () => streams.length > 0)
    const stream = streams.shift()!
    stream.respond({ ':status': 200 })
    stream.end('ok')
  }
  const request = send(first, exchangeFor('GET', url)).then(textOf)
  await answerNext()
  assert.equal(await request, 'ok')
  // The connection of the first unit is idle.
  const idle = send(second, exchangeFor('GET', url)).then(textOf)
  await answerNext()
  assert.equal(await idle, 'ok')
  assert.equal(sessions.size, 1)
  const active = send(second, exchangeFor('GET', url)).then(textOf)
  await waitUntil('a stream was open', () => streams.length > 0)
  const waiting = send(first, exchangeFor('GET', url)).then(textOf)
  await waitUntil('the request was queued', () => first.stats[0]?.queued === 1)
  await answerNext()
  assert.equal(await active, 'ok')
  await answerNext()
  assert.equal(await waiting, 'ok')
  assert.equal(sessions.size, 1)
  await Promise.all([first.release(), second.release()])
  server.close()
  await once(server, 'close')
})
