// Rates on a primary that fails, and on the replica that a sentinel promotes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { redisMissing } from '#test/redis'
import { PRIMARY_NAME, RedisSentinels } from '#test/redis-sentinels'
import { waitUntil } from '#test/waiting'

const route = (path: string, url: string[], numberOfRequests: number, onStoreFailure: string) => ({
  condition: `\${find(request.uri.path, '^/${path}')}`,
  heap: [
    {
      name: 'Counts',
      type: 'RedisThrottlingStore',
      config: { url, sentinelName: PRIMARY_NAME, timeout: '1 s', keyPrefix: `${path}:` },
    },
  ],
  handler: {
    type: 'Chain',
    config: {
      filters: [
        {
          name: 'Limit',
          type: 'ThrottlingFilter',
          config: { rate: { numberOfRequests, duration: '1 hour' }, store: 'Counts', onStoreFailure },
        },
      ],
      handler: { type: 'StaticResponseHandler', config: { status: 204 } },
    },
  },
})

test('a primary killed: the replica takes over with the counts, and no second quota is admitted meanwhile', {
  skip: redisMissing,
}, async () => {
  await using servers = await RedisSentinels.start(1)
  const routes = {
    local: route('local', servers.urls, 10, 'LOCAL'),
    deny: route('deny', servers.urls, 100_000, 'DENY'),
  }
  await using gateway = await RunningGateway.start({ routes })
  let longest = 0
  const ask = async (path: string, times: number): Promise<number[]> => {
    const asks = Array.from({ length: times }, async () => {
      const start = performance.now()
      const { status } = await gateway.ask(path)
      longest = Math.max(longest, performance.now() - start)
      return status
    })
    return Promise.all(asks)
  }
  const admitted = async (times: number) => (await ask('/local', times)).filter((status) => status === 204).length
  const serves = async () => (await ask('/deny', 1))[0] === 204
  await waitUntil('requests were admitted', serves)
  assert.equal(await admitted(15), 10)
  const [key] = (await servers.primary.ask('KEYS', 'local:*')).split('\n')
  await servers.replica.answers(await servers.primary.ask('GET', key!), 'GET', key!)

  await servers.primary.kill()
  await waitUntil('requests were denied', async () => !(await serves()))
  assert.equal(await admitted(15), 0, 'what Redis had admitted counts')
  await waitUntil('requests were admitted', serves)
  await waitUntil('both stores logged the recovery', async () => gateway.log.with(/Redis available again/).length === 2)
  assert.equal(await admitted(15), 0, 'the replica knows what was counted')

  // The former primary is empty, and no gateway uses it.
  await servers.primary.restart()
  assert.equal(await admitted(15), 0)
  assert.deepEqual([...new Set(await ask('/deny', 15))], [204])
  assert.ok(longest < 1_000 + 1_500, `${longest} ms`)
  const lost = gateway.log.lines.filter((line) => line.includes('Redis unavailable'))
  assert.equal(lost.length, 2, 'each store says so once')
})
