import { hash } from 'node:crypto'
import { type ThrottlingStore, ThrottlingStoreKind } from '#contracts'
import {
  checkRedis,
  openRedis,
  REDIS_EVENTS,
  REDIS_FIELDS,
  REDIS_METRICS,
  REDIS_RULES,
  type RedisConnection,
  RedisScript,
} from '#redis'
import { admitted, gcraRate, refused } from '#resilience'
import { defineType } from '#schema'

/** Counts requests of several gateways in Redis. */
export const RedisThrottlingStore = defineType({
  name: 'RedisThrottlingStore',
  kind: ThrottlingStoreKind,
  summary: 'Shares request counts of several gateways in Redis or Valkey.',
  metrics: REDIS_METRICS,
  events: [...Object.values(REDIS_EVENTS)],
  config: REDIS_FIELDS,
  rules: REDIS_RULES,
  check: checkRedis,
  create: async (values, env) => countedIn(await openRedis(values, env)),
})

/**
 * The bucket of `pace.ts` as an atomic script, by the clock of the server. Times are counted from 2026 on, so that ticks are integers of
 * a double; a bucket that is more than empty after the clock was set back is empty. Returns whether the request is admitted, and how
 * many ticks ahead the bucket then is, or would be.
 */
const TAKE = new RedisScript(`
local cost, capacity, ticks = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = math.floor(((time[1] - 1767225600) * 1000 + time[2] / 1000) * ticks)
local full = math.max(now, math.min(tonumber(redis.call('GET', KEYS[1]) or now), now + capacity))
local ahead = full + cost - now
if ahead > capacity then return {0, ahead} end
redis.call('SET', KEYS[1], string.format('%.0f', full + cost), 'PX', math.ceil(ahead / ticks) + 1)
return {1, ahead}
`)

/** Counts requests in buckets in Redis. */
function countedIn(redis: RedisConnection): ThrottlingStore {
  return {
    take: async (filter, partition, rate) => {
      const pace = gcraRate(rate)
      // Partitions may be personal data, long, and contain braces, which have a meaning in a cluster.
      const digest = hash('sha256', JSON.stringify([filter, partition]), 'base64url')
      const key = `throttling:${digest}:${rate.numberOfRequests}/${rate.duration}`
      const answer = (await redis.run(TAKE, [key], [pace.cost, pace.capacity, pace.ticks])) as [number, number]
      return answer[0] === 1 ? admitted(pace, answer[1]) : refused(pace, answer[1])
    },
  }
}
