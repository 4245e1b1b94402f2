import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agent, fetch } from 'undici'
import { Body, type BodySink, type Exchange, RequestAudit, type RequestOutcome, Response, respond } from '#http'
import { listening, RawClient } from '#test/listening'
import { waitUntil, within } from '#test/waiting'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

test('drain closes idle connections, ends active requests with Connection: close, and accepts no connection', async () => {
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  await using server = await listening(async ({ request }) => {
    if (request.uri.path === '/slow') {
      started.resolve()
      await gate.promise
    }
    return respond(200, {}, 'ok')
  })
  await using idle = new RawClient(server.port)
  idle.send(get)
  await idle.receives(/ok$/)
  await using running = new RawClient(server.port)
  running.send(get.replace('/', '/slow'))
  await within('the handler was called', started.promise)

  const drained = server.listener.drain(5000)
  assert.equal(await idle.closed, 'end')
  await server.listener.stopAccepting()
  await using late = new RawClient(server.port)
  assert.equal(await late.closed, 'reset')
  gate.resolve()

  await running.receives(/^HTTP\/1\.1 200 [\s\S]*Connection: close\r\n[\s\S]*ok$/)
  assert.deepEqual(await drained, { aborted: 0 })
  assert.deepEqual(server.listener.stats, { connections: 0, active: 0 })
})

test('requests active after the grace period are aborted and counted, and recorded as ended by the gateway', async () => {
  const aborted: string[] = []
  const ends: string[] = []
  class Recorded extends RequestAudit {
    override end({ end }: RequestOutcome): void {
      ends.push(end)
    }
    override discard(): void {}
  }
  const audit = {
    begin(exchange: Exchange): void {
      exchange.audit = new Recorded(exchange)
    },
    refused: () => assert.fail('the request is known'),
  }
  const started = Promise.withResolvers<void>()
  await using server = await listening(
    (exchange) => {
      exchange.onAbort(() => aborted.push(exchange.request.uri.path))
      started.resolve()
      return new Promise(() => {})
    },
    { audit },
  )
  await using client = new RawClient(server.port)
  client.send(get)
  await within('the handler was called', started.promise)

  assert.deepEqual(await server.listener.drain(50), { aborted: 1 })
  await client.closed
  assert.deepEqual(aborted, ['/'])
  assert.deepEqual(ends, ['truncated'])
})

test('a response started before the drain is completed, then its connection closes', async () => {
  const started = Promise.withResolvers<BodySink>()
  const body = Body.fromSource({ start: started.resolve, resume: () => {}, cancel: () => {} })
  await using server = await listening(async () => new Response(200, { body }))
  await using client = new RawClient(server.port)
  client.send(get)
  const sink = await within('the body was piped', started.promise)
  sink.write(Buffer.from('one'))
  await client.receives(/one/)
  const drained = server.listener.drain(5000)
  sink.write(Buffer.from('two'))
  sink.end(null)

  await client.receives(/two\r\n0\r\n\r\n$/)
  assert.equal(await client.closed, 'end')
  assert.deepEqual(await drained, { aborted: 0 })
})

test('a request in flight when the drain began is answered', async () => {
  await using server = await listening(async () => respond(200, {}, 'ok'))
  await using client = new RawClient(server.port)
  client.send(get)
  await client.receives(/ok$/)
  client.text = ''
  client.send('GET / HTTP/1.1\r\nHo')
  // The other connection shows that the incomplete head has been read.
  await using other = new RawClient(server.port)
  other.send(get)
  await other.receives(/ok$/)
  const drained = server.listener.drain(5000)
  client.send('st: a\r\n\r\n')

  await client.receives(/^HTTP\/1\.1 200 [\s\S]*Connection: close\r\n[\s\S]*ok$/)
  assert.deepEqual(await drained, { aborted: 0 })
})

test('a connection without a request does not delay a drain', async () => {
  await using server = await listening(async () => respond(200))
  await using client = new RawClient(server.port)
  await waitUntil('the listener had a connection', () => server.listener.stats.connections > 0)
  const begin = performance.now()

  assert.deepEqual(await server.listener.drain(60_000), { aborted: 0 })
  assert.ok(performance.now() - begin < 10_000)
  await client.closed
})

test('under load every request that reached the handler is answered during a drain', async () => {
  let started = 0
  await using server = await listening(async () => {
    started++
    await new Promise<void>((resolve) => setImmediate(resolve))
    return respond(200, {}, 'ok')
  })
  const agent = new Agent({ connections: 8, pipelining: 1 })
  const outcomes: string[] = []
  const send = async () => {
    for (let outcome = 'ok'; outcome === 'ok'; outcomes.push(outcome)) {
      outcome = await fetch(server.url, { dispatcher: agent }).then((response) => response.text(), String)
    }
  }
  const workers = Array.from({ length: 8 }, send)
  await waitUntil('100 requests had an outcome', () => outcomes.length >= 100)
  const { aborted } = await server.listener.drain(5000)
  await Promise.all(workers)
  await agent.close()

  assert.equal(aborted, 0)
  assert.equal(outcomes.filter((outcome) => outcome === 'ok').length, started)
})

test('a new handler gets the next request', async () => {
  await using server = await listening(async () => respond(200, {}, 'old'))
  assert.equal(await (await fetch(server.url)).text(), 'old')
  server.listener.setHandler(async () => respond(200, {}, 'new'))
  assert.equal(await (await fetch(server.url)).text(), 'new')
})

test('a port in use rejects with EADDRINUSE; with reusePort it is shared', async () => {
  await using first = await listening(async () => respond(200), { reusePort: true })
  await using second = await listening(async () => respond(200), { reusePort: true, port: first.port })
  assert.equal(second.port, first.port)
  await assert.rejects(
    listening(async () => respond(200), { port: first.port }),
    { code: 'EADDRINUSE' },
  )
})

test('close ends a drain in progress, and is idempotent', async () => {
  const started = Promise.withResolvers<void>()
  await using server = await listening(() => {
    started.resolve()
    return new Promise(() => {})
  })
  await using client = new RawClient(server.port)
  client.send(get)
  await within('the handler was called', started.promise)

  const drained = server.listener.drain(600_000)
  await Promise.all([server.listener.close(), server.listener.close(), drained])
  await client.closed
  assert.deepEqual(server.listener.stats, { connections: 0, active: 0 })
})

test('a drain that hands the port over serves a further request of an idle connection, and closes it then', async () => {
  await using server = await listening(async () => respond(200, {}, 'ok'))
  await using busy = new RawClient(server.port)
  await using idle = new RawClient(server.port)
  for (const client of [busy, idle]) {
    client.send(get)
    await client.receives(/ok$/)
    client.text = ''
  }
  const drained = server.listener.drain(5000, { isHandover: true })
  busy.send(get)
  await busy.receives(/^HTTP\/1\.1 200 [\s\S]*Connection: close\r\n[\s\S]*ok$/)
  assert.deepEqual(await Promise.all([busy.closed, idle.closed]), ['end', 'end'])
  assert.equal(idle.text, '')
  assert.deepEqual(await drained, { aborted: 0 })
})
