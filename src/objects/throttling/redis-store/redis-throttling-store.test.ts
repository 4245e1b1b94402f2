import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { ThrottlingStore } from '#contracts'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { RedisServer, redisMissing } from '#test/redis'
import { waitUntil } from '#test/waiting'
import { RedisThrottlingStore } from './redis-throttling-store.ts'

const open = (config: JsonObject) => build<ThrottlingStore>(RedisThrottlingStore, { timeout: '2 s', ...config })

test('a bucket in Redis: a burst up to the rate, then requests at the rate', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url })
  const rate = { numberOfRequests: 3, duration: 600_000 }
  const take = () => built.object.take('filter', 'a', rate)
  const decisions = [await take(), await take(), await take(), await take()]
  assert.deepEqual(
    decisions.map(({ admitted, remaining }) => [admitted, remaining]),
    [
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ],
  )
  const wait = decisions[3]!.nextAfter
  assert.ok(wait > 190_000 && wait <= 200_000, `${wait}`)
  assert.equal((await built.object.take('filter', 'b', rate)).remaining, 2)
  assert.equal((await built.object.take('other filter', 'a', rate)).remaining, 2)
  assert.equal((await built.object.take('filter', 'a', { ...rate, numberOfRequests: 2 })).remaining, 1)
})

test('buckets refill with time, and keys expire', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url })
  const rate = { numberOfRequests: 1, duration: 100 }
  assert.equal((await built.object.take('filter', 'a', rate)).admitted, true)
  const start = performance.now()
  let refused = 0
  await waitUntil('a request was admitted again', async () => {
    const { admitted } = await built.object.take('filter', 'a', rate)
    if (!admitted) refused++
    return admitted
  })
  const waited = performance.now() - start
  assert.ok(refused > 0 && waited > 50 && waited < 1_000, `${refused} refused within ${waited} ms`)
  await delay(150)
  const { Redis } = await import('ioredis')
  const client = new Redis(server.port, '127.0.0.1')
  assert.deepEqual(await client.keys('*'), [])
  await built.object.take('filter', 'someone@example.com {x}', { numberOfRequests: 1, duration: 60_000 })
  const [key] = await client.keys('*')
  assert.match(key ?? '', /^gateway:throttling:[\w-]{43}:1\/60000$/)
  client.disconnect()
})

test('two gateways on one Redis admit exactly the rate together', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  await using one = await open({ url: server.url })
  await using other = await open({ url: server.url })
  const rate = { numberOfRequests: 50, duration: 3_600_000 }
  const takes = Array.from({ length: 500 }, (_, at) => (at % 2 === 0 ? one : other).object.take('filter', 'a', rate))
  const decisions = await Promise.all(takes)
  assert.equal(decisions.filter(({ admitted }) => admitted).length, 50)
})

test('a value far ahead after a jump of the clock is an empty bucket, not one for years', {
  skip: redisMissing,
}, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url, keyPrefix: '' })
  const rate = { numberOfRequests: 1, duration: 60_000 }
  await built.object.take('filter', 'a', rate)
  const { Redis } = await import('ioredis')
  const client = new Redis(server.port, '127.0.0.1')
  const [key] = await client.keys('*')
  await client.set(key!, '9007199254740991')
  const { admitted, nextAfter } = await built.object.take('filter', 'a', rate)
  client.disconnect()
  assert.equal(admitted, false)
  assert.ok(nextAfter <= 60_000, `${nextAfter}`)
})
