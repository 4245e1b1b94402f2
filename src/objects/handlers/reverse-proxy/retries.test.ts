import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Body, type BodySink, type Exchange, type Handler } from '#http'
import type { JsonObject, JsonValue } from '#json'
import type { TypeDefinition } from '#schema'
import { build } from '#test/build'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { ManualExecutor } from '#test/manual-executor'
import { httpUpstream, rawUpstream, silentUpstream } from '#test/upstream'
import { within } from '#test/waiting'
import { ClientHandler } from './client-handler.ts'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

const ON_503 = '${response.status.code == 503}'

async function proxy(retries: JsonValue, more: JsonObject = {}, type: TypeDefinition = ReverseProxyHandler) {
  const executor = new ManualExecutor()
  const built = await build<Handler>(type, { retries, ...more }, executor.buildOptions)
  return {
    ...built,
    executor,
    /** Sends a request with immediate retries; returns their delays. */
    async ask(exchange: Exchange): Promise<{ status: number; text: string; delays: number[] }> {
      const delays: number[] = []
      let open = true
      const asked = built.object(exchange).finally(() => {
        open = false
        executor.schedule(0, () => {})
      })
      while (open) {
        const delay = await executor.next()
        if (open) delays.push(delay)
      }
      const response = await asked
      return { status: response.status, text: await textOf(response), delays }
    },
    get logged() {
      return built.log.entries.map(({ level, message }) => `${level} ${message}`)
    },
  }
}

/** An upstream that responds with these statuses in turn, repeating the last, and records request bodies. */
async function answering(...statuses: number[]) {
  const bodies: string[] = []
  const listener: RequestListener = async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    bodies.push(text)
    response.statusCode = statuses.length > 1 ? statuses.shift()! : statuses[0]!
    response.end(`answer ${bodies.length}`)
  }
  return Object.assign(await httpUpstream(listener), { bodies })
}

/** An upstream that closes the connection on the first requests and responds to the others. */
async function flapping(failures: number) {
  const methods: string[] = []
  const upstream = await rawUpstream((socket, head) => {
    methods.push(head.split(' ', 1)[0]!)
    if (methods.length <= failures) socket.destroy()
    else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok')
  })
  return Object.assign(upstream, { methods })
}

/** A body of unknown length that arrives in pieces. */
function streamed(...pieces: Uint8Array[]): Body {
  return Body.fromStream(Readable.from(pieces))
}

test('a request without a response is sent again until there is one', async () => {
  await using upstream = await flapping(2)
  await using built = await proxy({})
  assert.deepEqual(await built.ask(exchangeFor('GET', upstream.url)), {
    status: 200,
    text: 'ok',
    delays: [10_000, 10_000],
  })
  assert.deepEqual(built.logged, ['debug a retry succeeded'])
})

test('after count retries the failure is returned, with one warning', async () => {
  await using upstream = await flapping(99)
  await using built = await proxy({ count: 3, delay: '1 s' })
  assert.deepEqual(await built.ask(exchangeFor('GET', upstream.url)), {
    status: 502,
    text: 'Bad Gateway',
    delays: [1_000, 1_000, 1_000],
  })
  assert.equal(upstream.methods.length, 4)
  assert.deepEqual(built.logged, ['warn all retries failed'])
  assert.equal((built.log.entries[0]!['error'] as { code: string }).code, 'GW_UPSTREAM_CLOSED')
})

test('retries for exceptions and for responses count together', async () => {
  let asked = 0
  await using upstream = await rawUpstream((socket) => {
    if (++asked % 2 === 1) socket.destroy()
    else socket.end('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })
  await using built = await proxy({ condition: ON_503, count: 3 })
  const { status, delays } = await built.ask(exchangeFor('GET', upstream.url))
  assert.deepEqual([status, delays.length, asked], [503, 3, 4])
  assert.deepEqual(built.logged, ['warn all retries failed'])
})

test('a ClientHandler throws the last failure', async () => {
  await using upstream = await flapping(99)
  await using built = await proxy({ count: 1 }, {}, ClientHandler)
  await assert.rejects(built.ask(exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_CLOSED' })
  assert.deepEqual(built.logged, ['warn all retries failed'])
})

test('B74: a method that is not idempotent is sent again only if no byte of it was sent', async () => {
  await using upstream = await flapping(99)
  await using built = await proxy({ count: 2 })
  assert.deepEqual((await built.ask(exchangeFor('POST', upstream.url, { body: 'x' }))).delays, [])
  assert.deepEqual((await built.ask(exchangeFor('PATCH', upstream.url))).delays, [])
  assert.equal((await built.ask(exchangeFor('PUT', upstream.url, { body: 'x' }))).delays.length, 2)
  assert.deepEqual(upstream.methods, ['POST', 'PATCH', 'PUT', 'PUT', 'PUT'])

  const gone = await silentUpstream()
  await gone[Symbol.asyncDispose]()
  const body = streamed(Buffer.from('content'))
  const exchange = exchangeFor('POST', gone.url, { body })
  assert.equal((await built.ask(exchange)).delays.length, 2)
  assert.equal(body.isBuffered, false)
  assert.equal(Buffer.from(await body.read(100)).toString(), 'content')
})

test('a condition retries any method, with the same body', async () => {
  await using upstream = await answering(503, 503, 200)
  await using built = await proxy({ condition: ON_503 })
  const body = streamed(Buffer.from('some '), Buffer.from('content'))
  const { status, text, delays } = await built.ask(exchangeFor('POST', upstream.url, { body }))
  assert.deepEqual([status, text, delays.length], [200, 'answer 3', 2])
  assert.deepEqual(upstream.bodies, Array(3).fill('some content'))
})

test('B74: a body over the limit of the storage is sent once, complete, and not again', async () => {
  for (const announced of [true, false]) {
    await using upstream = await answering(503)
    await using built = await proxy({ condition: ON_503 })
    const pieces = Array.from({ length: 40 }, (_, at) => Buffer.alloc(65_536, at % 256))
    const whole = Buffer.concat(pieces)
    const body = announced ? Body.fromStream(Readable.from(pieces), whole.length) : streamed(...pieces)
    const { status, delays } = await built.ask(exchangeFor('PUT', upstream.url, { body }))
    assert.deepEqual([status, delays], [503, []])
    assert.equal(upstream.bodies.length, 1)
    assert.equal(upstream.bodies[0]!.length, whole.toString().length)
    assert.deepEqual(built.logged, [])
  }
})

test('a body in a file of the storage is sent again unchanged', async () => {
  await using upstream = await answering(503, 200)
  await using built = await proxy({ condition: ON_503 })
  const pieces = Array.from({ length: 30 }, (_, at) => Buffer.alloc(20_000, 97 + (at % 26)))
  const { status } = await built.ask(exchangeFor('POST', upstream.url, { body: streamed(...pieces) }))
  assert.equal(status, 200)
  assert.deepEqual(
    upstream.bodies.map((text) => text === Buffer.concat(pieces).toString()),
    [true, true],
  )
})

test('a body that is not needed for a retry is not buffered', async () => {
  const arrived = Promise.withResolvers<void>()
  await using upstream = await httpUpstream((request, response) => {
    arrived.resolve()
    request.resume().on('end', () => response.end())
  })
  await using built = await proxy({})
  const { promise, resolve } = Promise.withResolvers<BodySink>()
  const body = Body.fromSource({ start: resolve, resume: () => {}, cancel: () => {} })
  const asked = built.object(exchangeFor('POST', upstream.url, { body }))
  const sink = await within('the body was read', promise)
  sink.write(Buffer.from('first'))
  await within('the request reached the upstream', arrived.promise)
  sink.end(null)
  assert.equal((await asked).status, 200)
})

test('a truncated body is an error of the client, and the request is not sent', async () => {
  await using upstream = await answering(200)
  await using built = await proxy({})
  const body = Body.fromSource({
    start: (sink) => sink.fail(new Error('cut')),
    resume: () => {},
    cancel: () => {},
  })
  const { status, delays } = await built.ask(exchangeFor('PUT', upstream.url, { body }))
  assert.deepEqual([status, delays, upstream.bodies], [400, [], []])
})

test('B74: a client that disconnects during the delay ends it at once', async () => {
  await using upstream = await flapping(99)
  await using built = await proxy({})
  const exchange = exchangeFor('GET', upstream.url)
  const asked = built.object(exchange)
  await built.executor.scheduled()
  exchange.abort(new Error('gone'))
  const { status } = await within('the delay ended', asked)
  assert.equal(status, 502)
  assert.equal(built.executor.waiting.length, 0)
  assert.equal(upstream.methods.length, 1)
  assert.deepEqual(built.logged, ['debug incomplete request'])
})

test('B74: a request that waits for its retry occupies no connection', async () => {
  await using upstream = await httpUpstream((request, response) => {
    response.statusCode = request.url === '/busy' ? 503 : 200
    response.write('x'.repeat(200_000))
    if (request.url !== '/busy') response.end()
  })
  await using built = await proxy({ condition: ON_503 }, { connections: 1, connectionTimeout: '5 seconds' })
  const exchange = exchangeFor('GET', `${upstream.url}/busy`)
  const waiting = built.object(exchange)
  await built.executor.scheduled()
  const other = await built.object(exchangeFor('GET', `${upstream.url}/free`))
  assert.equal((await textOf(other)).length, 200_000)
  exchange.abort(new Error('gone'))
  await waiting
})

test('a disposed handler ends waiting requests', async () => {
  await using upstream = await flapping(99)
  await using built = await proxy({})
  const asked = built.object(exchangeFor('GET', upstream.url))
  await built.executor.scheduled()
  await built[Symbol.asyncDispose]()
  assert.equal((await asked).status, 502)
})

test('a condition that fails is false, with a warning', async () => {
  await using upstream = await answering(503)
  await using built = await proxy({ condition: "${response.status.code > 'x'}" })
  const { status, delays } = await built.ask(exchangeFor('GET', upstream.url))
  assert.deepEqual([status, delays], [503, []])
  assert.deepEqual(built.logged, ['warn condition failed: it counts as false'])
})

test('a condition may read the response, which the client gets too', async () => {
  await using upstream = await answering(200)
  await using built = await proxy({ condition: "${response.entity.string == 'answer 1'}" })
  const { text, delays } = await built.ask(exchangeFor('GET', upstream.url))
  assert.deepEqual([text, delays.length], ['answer 2', 1])
})

test('errors that a retry can not change are not retried', async () => {
  await using built = await proxy({})
  const { status, delays } = await built.ask(exchangeFor('GET', 'gopher://a.example/'))
  assert.deepEqual([status, delays], [502, []])
})

test('non_streaming: a truncated response is retried', async () => {
  let asked = 0
  await using upstream = await rawUpstream((socket) => {
    const text = ++asked === 1 ? 'he' : 'hello'
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n${text}`)
  })
  await using built = await proxy({}, { asyncBehavior: 'non_streaming' })
  const { text, delays } = await built.ask(exchangeFor('GET', upstream.url))
  assert.deepEqual([text, delays.length], ['hello', 1])
})

test('disableRetries of a ClientHandler disables retries, and is deprecated', async () => {
  await using upstream = await flapping(99)
  await using built = await proxy({}, { disableRetries: true }, ClientHandler)
  await assert.rejects(built.ask(exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_CLOSED' })
  assert.equal(upstream.methods.length, 1)
  assert.match(built.warnings.join(), /disableRetries.*leave retries out/)
})

test('invalid values are reported with their pointer', async () => {
  const refused = (retries: JsonObject, pattern: RegExp) => assert.rejects(proxy(retries), pattern)
  await refused({ count: -1 }, /\/heap\/0\/config\/retries\/count: expected an integer of at least 0, got -1/)
  await refused({ delay: 'unlimited' }, /\/heap\/0\/config\/retries\/delay: expected a limited duration/)
  await refused({ enabled: 'maybe' }, /\/config\/retries\/enabled: expected true or false/)
  await refused({ condition: 'yes' }, /\/config\/retries\/condition: expected an expression \(boolean\)/)
  await refused({ executor: 'other' }, /\/config\/retries\/executor: no ScheduledExecutorService named "other"/)
  await refused({ times: 3 }, /\/config\/retries\/times: unknown field/)
})

test('the defaults are those of the specification', () => {
  const { members = {} } = ReverseProxyHandler.config.info.shape
  const inner = members['retries']!.info.shape.members ?? {}
  const defaults = Object.fromEntries(Object.entries(inner).map(([name, field]) => [name, field.info.defaultValue]))
  assert.deepEqual(defaults, {
    enabled: true,
    condition: '${false}',
    runtimeExceptionCondition: '${true}',
    executor: 'ScheduledExecutorService',
    count: 5,
    delay: '10 seconds',
  })
})

test('a proxy that refuses a tunnel has sent nothing: every method is sent again, with any body', async () => {
  await using refusing = await rawUpstream((socket) => socket.end('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n'))
  await using built = await proxy({ count: 2 }, { proxy: { uri: refusing.url } })
  const body = streamed(Buffer.from('payload'))
  const { status, delays } = await built.ask(exchangeFor('POST', 'https://app.invalid/', { body }))
  assert.deepEqual({ status, delays }, { status: 502, delays: [10_000, 10_000] })
  assert.equal(refusing.accepted, 3)
  assert.equal(body.isAvailable, true)
})

test('a request that a proxy rejects with 407 is sent again, unless the proxy consumed its body', async () => {
  await using upstream = await answering(200)
  const bodies: string[] = []
  await using refusing = await httpUpstream(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    bodies.push(text)
    response.statusCode = bodies.length === 1 ? 407 : 200
    response.end()
  })
  await using built = await proxy({}, { proxy: { uri: refusing.url } })
  const kept = await built.ask(exchangeFor('POST', upstream.url, { body: 'kept' }))
  assert.equal(kept.status, 200)
  assert.deepEqual(bodies, ['kept', 'kept'])
  bodies.length = 0
  const taken = await built.ask(exchangeFor('POST', upstream.url, { body: streamed(Buffer.from('taken')) }))
  assert.equal(taken.status, 502)
  assert.deepEqual(taken.delays, [])
  assert.deepEqual(bodies, ['taken'])
})
