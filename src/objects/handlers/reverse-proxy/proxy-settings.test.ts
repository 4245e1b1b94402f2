import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { Handler } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { type BuildOptions, build } from '#test/build'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream, rawUpstream, type Upstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

const proxy = (config: JsonValue = {}, surroundings: BuildOptions = {}) =>
  build<Handler>(ReverseProxyHandler, config, surroundings)

const refused = (config: JsonValue, pattern: RegExp) => assert.rejects(proxy(config), pattern)

/** An upstream that responds when the test releases it, and counts its pending requests. */
async function patientUpstream() {
  const held: ServerResponse[] = []
  const upstream: Upstream = await httpUpstream((_request, response) => {
    held.push(response)
  })
  return {
    upstream,
    held,
    async holds(count: number): Promise<void> {
      await waitUntil(`${count} requests reached the upstream`, () => held.length >= count)
    },
    answer: () => held.shift()!.end('ok'),
  }
}

test('the defaults are those of the specification', () => {
  const { members = {} } = ReverseProxyHandler.config.info.shape
  const defaults = Object.fromEntries(Object.entries(members).map(([name, field]) => [name, field.info.defaultValue]))
  assert.deepEqual(defaults, {
    connections: 64,
    connectionTimeout: '10 seconds',
    soTimeout: '10 seconds',
    connectionTimeToLive: 'unlimited',
    disableReuseConnection: false,
    stateTrackingEnabled: true,
    numberOfWorkers: undefined,
    asyncBehavior: undefined,
    temporaryStorage: undefined,
    protocolVersion: undefined,
    http2PriorKnowledge: false,
    proxyOptions: 'ProxyOptions',
    proxy: undefined,
    systemProxy: false,
    tls: undefined,
    hostnameVerifier: undefined,
    keyManager: undefined,
    trustManager: undefined,
    sslCipherSuites: undefined,
    sslContextAlgorithm: undefined,
    sslEnabledProtocols: undefined,
    retries: undefined,
    via: undefined,
    circuitBreaker: undefined,
    websocket: {},
    vertx: {},
    upstream: undefined,
  })
})

test('every supported field accepts a configuration expression', async () => {
  const properties = { small: 3, wait: '2 seconds', yes: true, mode: 'STREAMING' }
  await using built = await proxy(
    {
      connections: '${small}',
      connectionTimeout: '${wait}',
      soTimeout: '${wait}',
      connectionTimeToLive: '${wait}',
      disableReuseConnection: '${yes}',
      stateTrackingEnabled: '${yes}',
      asyncBehavior: '${mode}',
      vertx: { maxWaitQueueSize: '${small}' },
    },
    { properties },
  )
  assert.deepEqual(built.warnings, [])
})

test('all options of vertx may be one expression, also with a name that nothing has', async () => {
  const properties = { vertxConfig: { keepAlive: false, compressionLevel: 9 } }
  await using built = await proxy({ vertx: '${vertxConfig}' }, { properties })
  assert.deepEqual(built.warnings.length, 1)
  assert.match(built.warnings[0]!, /vertx: "compressionLevel": no counterpart in this gateway; without effect/)
  await using none = await proxy({ vertx: '${vertxConfig}' })
  assert.match(none.warnings.join(), /config\/vertx: \$\{vertxConfig\}: nothing has the name "vertxConfig"/)
  await assert.rejects(
    proxy({ vertx: '${vertxConfig}' }, { properties: { vertxConfig: { port: 1 } } }),
    /\/config\/vertx: .*"port" is not allowed here/,
  )
  await using both = await proxy({ vertx: '${vertxConfig}', waitQueueSize: 4 }, { properties })
  assert.match(both.warnings.join(), /waitQueueSize is deprecated.*"compressionLevel": no counterpart/)
  await refused({ vertx: 'fast' }, /\/config\/vertx: expected an object, got "fast"/)
})

test('invalid values are reported with their pointer', async () => {
  await refused({ connections: 0 }, /\/heap\/0\/config\/connections: expected an integer of at least 1, got 0/)
  await refused({ soTimeout: 'zero' }, /\/config\/soTimeout: expected a duration of more than zero, got "zero"/)
  await refused({ connectionTimeout: 'soon' }, /\/config\/connectionTimeout: expected a duration such as "10 seconds"/)
  await refused(
    { connectionTimeToLive: '0 s' },
    /\/config\/connectionTimeToLive: expected a duration of more than zero/,
  )
  await refused({ disableReuseConnection: 'maybe' }, /\/config\/disableReuseConnection: expected true or false/)
  await refused({ asyncBehavior: 'lazy' }, /\/config\/asyncBehavior: expected one of "streaming", "non_streaming"/)
})

test('unsupported fields are unknown fields, never ignored', async () => {
  await refused({ disableRetries: true }, /\/heap\/0\/config\/disableRetries: unknown field/)
})

test('numberOfWorkers and vertx options without a counterpart are accepted with a warning', async () => {
  const vertx = { pipelining: true, maxChunkSize: 8192, maxWaitQueueSize: '10', tcpQuickAck: true }
  await using built = await proxy({ numberOfWorkers: 4, vertx })
  assert.deepEqual(built.warnings.toSorted(), [
    '/heap/0/config/numberOfWorkers: numberOfWorkers has no effect: requests are sent by the unit that received them; set the number of units instead',
    '/heap/0: vertx: "pipelining", "tcpQuickAck": no counterpart in this gateway; without effect',
  ])
})

test('vertx options with a counterpart: invalid values are refused, valid ones give no warning', async () => {
  const bad: readonly [JsonObject, RegExp][] = [
    [{ maxHeaderSize: 10 }, /\/vertx\/maxHeaderSize: expected an integer from 1024 to 16777216, got 10/],
    [{ maxChunkSize: 0 }, /\/vertx\/maxChunkSize: expected an integer of at least 1, got 0/],
    [{ keepAlive: 'no' }, /\/vertx\/keepAlive: expected true or false, got "no"/],
    [{ keepAliveTimeout: '4 seconds' }, /\/vertx\/keepAliveTimeout: expected a number of seconds, got "4 seconds"/],
    [{ http2MaxPoolSize: 0 }, /\/vertx\/http2MaxPoolSize: expected an integer of at least 1, got 0/],
    [{ http2MultiplexingLimit: 0 }, /\/vertx\/http2MultiplexingLimit: expected -1 or an integer of at least 1, got 0/],
    [{ http2KeepAliveTimeout: -1 }, /\/vertx\/http2KeepAliveTimeout: expected a number of seconds, got -1/],
    [{ localAddress: 'here' }, /\/vertx\/localAddress: expected an IP address of this machine, got "here"/],
  ]
  for (const [vertx, message] of bad) await refused({ vertx }, message)
  const vertx = {
    maxHeaderSize: 8192,
    maxChunkSize: '8192',
    keepAlive: 'true',
    keepAliveTimeout: 0,
    http2MaxPoolSize: 2,
    http2MultiplexingLimit: -1,
    http2KeepAliveTimeout: 30,
    localAddress: '127.0.0.1',
  }
  await using built = await proxy({ vertx })
  assert.deepEqual(built.warnings, [])
})

test('vertx.maxHeaderSize, keepAlive and localAddress take effect', async () => {
  const from: string[] = []
  await using upstream = await httpUpstream((request, response) => {
    from.push(request.socket.remoteAddress ?? '')
    response.writeHead(200, { 'X-Long': 'x'.repeat(3000) }).end('ok')
  })
  await using small = await proxy({ vertx: { maxHeaderSize: 2048 } })
  assert.equal((await small.object(exchangeFor('GET', upstream.url))).status, 502)
  await using once = await proxy({ vertx: { keepAlive: false, localAddress: '127.0.0.2' } })
  const before = upstream.accepted
  for (let i = 0; i < 2; i++) assert.equal(await textOf(await once.object(exchangeFor('GET', upstream.url))), 'ok')
  assert.equal(upstream.accepted, before + 2)
  assert.deepEqual(from.slice(-2), ['127.0.0.2', '127.0.0.2'])
})

test('vertx.keepAliveTimeout is in seconds, and applies where the server sends no Keep-Alive timeout', async () => {
  await using upstream = await rawUpstream((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
  await using built = await proxy({ connections: 1, vertx: { keepAliveTimeout: 1 } })
  await textOf(await built.object(exchangeFor('GET', upstream.url)))
  const started = performance.now()
  await waitUntil('the upstream connections were closed', () => upstream.sockets.size === 0)
  const took = performance.now() - started
  assert.ok(took > 300, `${took} ms`)
})

test('vertx options for which the handler has fields are refused', async () => {
  await refused(
    { vertx: { verifyHost: false } },
    /\/config\/vertx\/verifyHost: "verifyHost" is not allowed here; use the fields of the handler/,
  )
  await refused(
    { vertx: { maxWaitQueueSize: -2 } },
    /\/config\/vertx\/maxWaitQueueSize: expected an integer of at least -1, got -2/,
  )
  await refused({ vertx: { maxWaitQueueSize: true } }, /expected an integer of at least -1, got true/)
})

test('a request beyond the wait queue gets 503', async () => {
  const { upstream, holds, answer } = await patientUpstream()
  await using _ = upstream
  await using built = await proxy({ connections: 1, vertx: { maxWaitQueueSize: 1 } })
  const get = () => built.object(exchangeFor('GET', upstream.url))
  const first = get()
  await holds(1)
  const second = get()
  const third = await get()
  assert.equal(third.status, 503)
  assert.equal(third.body.text(), 'Service Unavailable')
  answer()
  await holds(1)
  answer()
  assert.deepEqual([(await first).status, (await second).status], [200, 200])
})

test('-1 is an unlimited wait queue', async () => {
  const { upstream, holds, answer } = await patientUpstream()
  await using _ = upstream
  await using built = await proxy({ connections: 1, vertx: { maxWaitQueueSize: -1 } }, { units: 2 })
  const answers = [0, 1, 2, 3].map(() => built.object(exchangeFor('GET', upstream.url)))
  for (let left = 4; left > 0; left--) {
    await holds(1)
    answer()
  }
  for (const response of await Promise.all(answers)) assert.equal(response.status, 200)
})

test('disableReuseConnection uses a new connection for each request', async () => {
  // Counts the connections of requests: other clients may connect to a reused port.
  const used = new Set<unknown>()
  await using upstream = await httpUpstream((request, response) => {
    used.add(request.socket)
    response.end('ok')
  })
  await using built = await proxy({ disableReuseConnection: true })
  for (let i = 0; i < 3; i++) assert.equal(await textOf(await built.object(exchangeFor('GET', upstream.url))), 'ok')
  assert.equal(used.size, 3)
})

test('the next version of a route reuses the connections of the last', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  const config = { connections: 1, soTimeout: '9 seconds' }
  const old = await proxy(config)
  await textOf(await old.object(exchangeFor('GET', upstream.url)))
  await using successor = await proxy({ ...config })
  await old[Symbol.asyncDispose]()
  await textOf(await successor.object(exchangeFor('GET', upstream.url)))
  assert.equal(upstream.accepted, 1)
})

test('connections are closed when their last route is retired', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  const built = await proxy({ connections: 1, soTimeout: '8 seconds' })
  await textOf(await built.object(exchangeFor('GET', upstream.url)))
  const [socket] = upstream.sockets
  const closed = once(socket!, 'close')
  await built[Symbol.asyncDispose]()
  await closed
})
