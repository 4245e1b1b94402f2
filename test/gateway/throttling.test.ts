// Rates in whole gateways: over units, over processes with one Redis, and during an outage of that Redis.
import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { RunningGateway } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { PROBE_EXTENSION } from '#test/probe-extension'
import { RedisServer, redisMissing } from '#test/redis'
import { sendRequest } from '#test/send-request'
import { waitUntil } from '#test/waiting'

const byUser = "${request.headers['X-User'][0]}"
const OK = { type: 'StaticResponseHandler', config: { status: 204 } }

function throttled(path: string, config: Record<string, unknown>, heap: unknown[] = []): Record<string, unknown> {
  const filter = { name: 'Limit', type: 'ThrottlingFilter', config }
  return {
    condition: `\${find(request.uri.path, '^/${path}')}`,
    heap,
    handler: { type: 'Chain', config: { filters: [filter], handler: OK } },
  }
}

const store = (server: RedisServer, timeout: string) => ({
  name: 'Counts',
  type: 'RedisThrottlingStore',
  config: { url: server.url, timeout },
})

async function admittedOf(asks: readonly Promise<{ status: number }>[]): Promise<number> {
  const statuses = (await Promise.all(asks)).map(({ status }) => status)
  assert.deepEqual(
    statuses.filter((status) => status !== 204 && status !== 429),
    [],
  )
  return statuses.filter((status) => status === 204).length
}

test('the units of a gateway share one rate exactly', async () => {
  const rate = { numberOfRequests: 20, duration: '1 hour' }
  const routes = { shop: throttled('shop', { rate, requestGroupingPolicy: byUser }) }
  await using gateway = await RunningGateway.start({ units: 2, routes })
  for (const user of ['a', 'b', 'c']) {
    const asks = Array.from({ length: 60 }, () => gateway.ask('/shop', { headers: { 'X-User': user } }))
    assert.equal(await admittedOf(asks), 20)
  }
  const labels = { route: 'shop' }
  assert.equal(await gateway.metric('gw_throttling_admitted_total', labels), 60)
  assert.equal(await gateway.metric('gw_throttling_refused_total', labels), 120)
  assert.equal(await gateway.metric('gw_throttling_partitions', labels), 3)
  assert.equal((await gateway.ask('/shop')).status, 500)
})

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ family }) => family === 'IPv6'))

test('B20: an untrusted forwarded address, and an IPv4-mapped IPv6 address, do not change the partition', async (t) => {
  if (!hasIpv6) return t.skip('there is no IPv6 on this machine')
  const rate = { numberOfRequests: 3, duration: '1 hour' }
  const routes = { shop: throttled('shop', { rate, requestGroupingPolicy: '${contexts.client.remoteAddress}' }) }
  const connectors = [
    { port: 0, host: '127.0.0.1' },
    { port: 0, host: '::' },
  ]
  await using gateway = await RunningGateway.start({ routes, admin: { connectors } })
  const [plain, dual] = gateway.gateway.ports
  const statuses: number[] = []
  for (const [port, headers] of [
    [plain, {}],
    [dual, { 'X-Forwarded-For': '192.0.2.1' }],
    [plain, { 'X-Forwarded-For': '192.0.2.2, ::ffff:192.0.2.3', Forwarded: 'for=192.0.2.4', 'X-Real-IP': '192.0.2.5' }],
    [dual, {}],
    [plain, { 'X-Forwarded-For': '192.0.2.6' }],
  ] as const) {
    statuses.push((await sendRequest(`http://127.0.0.1:${port}/shop`, { headers })).status)
  }
  assert.deepEqual(statuses, [204, 204, 204, 429, 429])
})

test('two gateways on one Redis share one rate exactly', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  const config = {
    rate: { numberOfRequests: 25, duration: '1 hour' },
    requestGroupingPolicy: byUser,
    store: 'Counts',
    onStoreFailure: 'DENY',
  }
  const routes = { shop: throttled('shop', config, [store(server, '5 s')]) }
  await using one = await GatewayProcess.start({ routes })
  await using other = await GatewayProcess.start({ routes })
  for (const user of ['a', 'b']) {
    const asks = Array.from({ length: 80 }, (_, at) =>
      (at % 2 === 0 ? one : other).ask('/shop', { headers: { 'X-User': user } }),
    )
    assert.equal(await admittedOf(asks), 25)
  }
})

test('a busy unit does not take its own stalls for a lost Redis: the rate holds to the request', {
  skip: redisMissing,
}, async () => {
  await using server = await RedisServer.start()
  const config = { rate: { numberOfRequests: 81, duration: '1 hour' }, store: 'Counts' }
  const limited = throttled('shop', config, [store(server, '150 ms')])
  const busy = {
    condition: "${find(request.uri.path, '^/busy')}",
    handler: { type: 'Chain', config: { filters: [{ type: 'StallFilter' }], handler: OK } },
  }
  const parts = { admin: { gatewayUnits: 2 }, files: { 'extra/probe.js': PROBE_EXTENSION }, routes: { limited, busy } }
  await using one = await RunningGateway.start(parts)
  await using other = await RunningGateway.start(parts)
  let isOver = false
  const stalls = [one, other].flatMap((gateway) =>
    [1, 2, 3, 4].map(async () => {
      while (!isOver) await gateway.ask('/busy', { headers: { 'X-Stall': '200' } })
    }),
  )
  const asks = Array.from({ length: 400 }, (_, at) => (at % 2 === 0 ? one : other).ask('/shop'))
  const admitted = await admittedOf(asks)
  isOver = true
  await Promise.all(stalls)
  assert.equal(admitted, 81)
  for (const gateway of [one, other]) assert.equal(await gateway.metric('gw_throttling_store_failures_total'), 0)
})

test('Redis killed, restarted and unresponsive under load: bounded waits, bounded rates, recovery without intervention', {
  skip: redisMissing,
}, async () => {
  await using server = await RedisServer.start()
  const rate = { numberOfRequests: 10, duration: '1 hour' }
  const heap = [store(server, '200 ms')]
  const routes = {
    local: throttled('local', { rate, store: 'Counts' }, heap),
    deny: throttled(
      'deny',
      { rate: { ...rate, numberOfRequests: 1_000_000 }, store: 'Counts', onStoreFailure: 'DENY' },
      heap,
    ),
  }
  await using gateway = await RunningGateway.start({ routes })
  let longest = 0
  const times = { local: 0, deny: 0 }
  const askOf = async (path: 'local' | 'deny'): Promise<number> => {
    const start = performance.now()
    const { status } = await gateway.ask(`/${path}`)
    longest = Math.max(longest, performance.now() - start)
    assert.ok([204, 429, 503].includes(status), `${status}`)
    if (status === 204) times[path]++
    return status
  }
  const load = async (rounds: number): Promise<number[]> => {
    const seen: number[] = []
    for (let round = 0; round < rounds; round++) {
      seen.push(...(await Promise.all([...Array(5)].map(() => askOf('deny')))))
      await Promise.all([...Array(5)].map(() => askOf('local')))
    }
    return seen
  }
  const until = async (status: number): Promise<void> => {
    for (let tries = 0; (await askOf('deny')) !== status; tries++) {
      assert.ok(tries < 500, `expected ${status}`)
      await delay(20)
    }
  }
  const found = async (stores: number): Promise<void> => {
    await waitUntil(
      'each store logged that Redis is available again',
      () => gateway.log.with(/Redis available again/).length >= stores,
    )
  }
  await until(204)
  assert.deepEqual([...new Set(await load(4))], [204])
  assert.equal(times.local, 10)

  await server.kill()
  await until(503)
  assert.deepEqual([...new Set(await load(4))], [503])
  assert.equal(times.local, 10, 'what Redis had admitted counts')

  await server.restart()
  await until(204)
  await found(2)
  assert.deepEqual([...new Set(await load(4))], [204])
  // An empty Redis starts with full buckets; the local one stays empty.
  assert.equal(times.local, 20)

  server.freeze()
  await until(503)
  await load(2)
  server.thaw()
  await until(204)
  assert.equal(times.local, 20)
  assert.ok(longest < 200 + 1_500, `${longest} ms`)
  const lost = gateway.log.lines.filter((line) => line.includes('Redis unavailable'))
  // Two stores were lost twice.
  assert.ok(lost.length <= 4, `${lost.length} lines`)
  assert.ok((await gateway.metric('gw_throttling_store_failures_total', { route: 'deny' })) > 0)
  assert.ok((await gateway.metric('gw_throttling_store_seconds', { route: 'deny' })) > 0)
})
