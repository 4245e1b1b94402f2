// Rates in a cluster of three nodes: exact, while slots move, nodes fail and replicas take over.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { ThrottlingStore } from '#contracts'
import { build } from '#test/build'
import { RunningGateway } from '#test/gateway'
import { type RedisServer, redisMissing } from '#test/redis'
import { RedisCluster } from '#test/redis-cluster'
import { waitUntil } from '#test/waiting'
import { RedisThrottlingStore } from '../../src/objects/throttling/redis-store/redis-throttling-store.ts'

const HOUR = 3_600_000
const partitions = Array.from({ length: 30 }, (_, at) => `user ${at}`)

const openStore = (cluster: RedisCluster, keyPrefix: string) =>
  build<ThrottlingStore>(RedisThrottlingStore, { url: cluster.urls, timeout: '5 s', keyPrefix })

async function keysOf(server: RedisServer, prefix: string): Promise<string[]> {
  return (await server.ask('KEYS', `${prefix}*`)).split('\n').filter((key) => key !== '')
}

/** Sends so many requests to one route for every partition; returns the statuses of each, and the longest time. */
async function askAll(gateway: RunningGateway, path: string, times: number) {
  const seen = new Map(partitions.map((user) => [user, [] as number[]]))
  let longest = 0
  for (let i = 0; i < times; i++) {
    const asks = partitions.map(async (user) => {
      const start = performance.now()
      const { status } = await gateway.ask(path, { headers: { 'X-User': user } })
      longest = Math.max(longest, performance.now() - start)
      seen.get(user)!.push(status)
    })
    await Promise.all(asks)
  }
  const having = (status: number) => partitions.filter((user) => seen.get(user)!.includes(status))
  const count = (status: number) => [...seen.values()].flat().filter((each) => each === status).length
  return { having, count, longest }
}

const route = (path: string, cluster: RedisCluster, numberOfRequests: number, onStoreFailure: string) => ({
  condition: `\${find(request.uri.path, '^/${path}')}`,
  heap: [
    {
      name: 'Counts',
      type: 'RedisThrottlingStore',
      config: { url: cluster.urls, timeout: '1 s', keyPrefix: `${path}:` },
    },
  ],
  handler: {
    type: 'Chain',
    config: {
      filters: [
        {
          name: 'Limit',
          type: 'ThrottlingFilter',
          config: {
            rate: { numberOfRequests, duration: '1 hour' },
            requestGroupingPolicy: "${request.headers['X-User'][0]}",
            store: 'Counts',
            onStoreFailure,
          },
        },
      ],
      handler: { type: 'StaticResponseHandler', config: { status: 204 } },
    },
  },
})

describe('a cluster of three nodes, one of them with a replica', { skip: redisMissing }, () => {
  let cluster: RedisCluster

  before(async () => {
    cluster = await RedisCluster.start({ primaries: 3, replicas: 1 })
  })
  after(() => cluster[Symbol.asyncDispose]())

  test('partitions are spread over the nodes, and two gateways admit exactly the rate of each', async () => {
    await using one = await openStore(cluster, 'exact:')
    await using other = await openStore(cluster, 'exact:')
    const rate = { numberOfRequests: 7, duration: HOUR }
    const takes = partitions.flatMap((partition) =>
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : other).object.take('filter', partition, rate)),
    )
    const decisions = await Promise.all(takes)
    for (const at of partitions.keys()) {
      const admitted = decisions.slice(at * 20, (at + 1) * 20).filter((decision) => decision.admitted)
      assert.equal(admitted.length, 7)
    }
    const spread = await Promise.all(cluster.primaries.map(async (node) => (await keysOf(node, 'exact:')).length))
    assert.equal(spread[0]! + spread[1]! + spread[2]!, partitions.length)
    assert.ok(Math.min(...spread) > 0, spread.join())
    assert.deepEqual([...one.states, ...other.states], [])
  })

  test('a slot that moves to another node under load: nothing fails, and nothing is counted twice or lost', async () => {
    await using one = await openStore(cluster, 'moved:')
    await using other = await openStore(cluster, 'moved:')
    const rate = { numberOfRequests: 5_000, duration: 10_000 * HOUR }
    const admitted = new Map<string, number>()
    let isOver = false
    const load = async (store: ThrottlingStore): Promise<void> => {
      while (!isOver) {
        const decisions = await Promise.all(partitions.map((partition) => store.take('filter', partition, rate)))
        for (const [at, { admitted: isAdmitted }] of decisions.entries()) {
          if (isAdmitted) admitted.set(partitions[at]!, (admitted.get(partitions[at]!) ?? 0) + 1)
        }
      }
    }
    await Promise.all(partitions.map((partition) => one.object.take('filter', partition, rate)))
    const loads = Promise.all([load(one.object), load(other.object)])
    const [from, to] = cluster.primaries as [RedisServer, RedisServer]
    for (const key of (await keysOf(from, 'moved:')).slice(0, 2)) {
      const slot = await from.ask('CLUSTER', 'KEYSLOT', key)
      const target = await cluster.idOf(to)
      await to.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', await cluster.idOf(from))
      await from.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target)
      await delay(20)
      assert.equal(await from.ask('MIGRATE', '127.0.0.1', to.port, key, 0, 5_000), 'OK')
      await delay(20)
      for (const node of [to, from, cluster.primaries[2]!]) await node.ask('CLUSTER', 'SETSLOT', slot, 'NODE', target)
    }
    await delay(50)
    isOver = true
    await loads
    assert.deepEqual([...one.states, ...other.states], [])
    for (const partition of partitions) {
      const { remaining } = await one.object.take('filter', partition, rate)
      assert.equal(remaining, 5_000 - admitted.get(partition)! - 2, partition)
    }
  })

  test('a node killed: its partitions follow onStoreFailure, others are counted, and the node is used again after its restart', async () => {
    const routes = { local: route('local', cluster, 3, 'LOCAL'), deny: route('deny', cluster, 1_000, 'DENY') }
    await using gateway = await RunningGateway.start({ routes })
    assert.equal((await askAll(gateway, '/local', 2)).count(204), 2 * partitions.length)
    assert.equal((await askAll(gateway, '/deny', 1)).count(204), partitions.length)
    const killed = cluster.primaries[2]!
    const gone = { local: (await keysOf(killed, 'local:')).length, deny: (await keysOf(killed, 'deny:')).length }
    await killed.kill()

    const denied = await askAll(gateway, '/deny', 3)
    assert.equal(denied.having(503).length, gone.deny)
    assert.equal(denied.count(204), 3 * (partitions.length - gone.deny))
    const local = await askAll(gateway, '/local', 6)
    assert.equal(local.count(204), partitions.length, 'the third request of each, wherever it is counted')
    assert.ok(Math.max(denied.longest, local.longest) < 1_000 + 1_500, `${denied.longest} ms, ${local.longest} ms`)
    const outages = () => gateway.log.lines.filter((line) => line.includes('Redis unavailable'))
    assert.equal(outages().length, 2)

    await killed.restart()
    await waitUntil('the restarted node was used again', async () => {
      await delay(50)
      return (await askAll(gateway, '/deny', 1)).count(503) === 0
    })
    await waitUntil('both stores logged that Redis is available again', async () => {
      await askAll(gateway, '/local', 1)
      await delay(20)
      return gateway.log.with(/Redis available again/).length >= 2
    })
    assert.equal(outages().length, 2)
    // The node restarted empty, so that its partitions have at most a full bucket.
    const back = await askAll(gateway, '/local', 4)
    assert.ok(back.count(204) <= 3 * gone.local)
    assert.ok((await gateway.metric('gw_throttling_store_failures_total', { route: 'deny' })) >= gone.deny)
  })

  test('a node with a replica killed: the replica takes over, with the counts', async () => {
    await cluster.settled()
    await using store = await openStore(cluster, 'failover:')
    const rate = { numberOfRequests: 2, duration: HOUR }
    const take = async () =>
      Promise.allSettled(partitions.map((partition) => store.object.take('filter', partition, rate)))
    for (const result of await take()) assert.equal(result.status, 'fulfilled')
    const [killed] = cluster.primaries as [RedisServer]
    const [replica] = cluster.replicas as [RedisServer]
    assert.ok((await keysOf(killed, 'failover:')).length > 0)
    await replica.answers(`${await killed.ask('DBSIZE')}`, 'DBSIZE')
    await killed.kill()
    let admitted = 0
    const until = performance.now() + 15_000
    for (;;) {
      const results = await take()
      const answers = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value)
      admitted += answers.filter((answer) => answer.admitted).length
      if (answers.length === partitions.length) break
      assert.ok(performance.now() < until, 'no replica took over')
      await delay(50)
    }
    await take()
    assert.equal(admitted, partitions.length, 'the second request of each, and no third')
    assert.deepEqual(store.states, ['degraded: Redis is unavailable', 'up: Redis is available'])
  })
})
