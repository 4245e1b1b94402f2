// Sessions that two gateways share, each with two units, during an outage of Redis.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSetCookie } from '#http'
import { RunningGateway } from '#test/gateway'
import { RedisServer, redisMissing } from '#test/redis'
import { waitUntil } from '#test/waiting'

const options = { timeout: 60_000, skip: redisMissing }

/** Counts its requests in a session in Redis; `/plain` does not use it. */
function counter(url: string) {
  const value = '${empty session.count ? 1 : session.count + 1}'
  const condition = "${request.uri.path == '/plain'}"
  return {
    session: { type: 'RedisSessionManager', config: { url, timeout: '2 s' } },
    handler: {
      type: 'DispatchHandler',
      config: {
        bindings: [
          { condition, handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'plain' } } },
          {
            handler: {
              type: 'Chain',
              config: {
                filters: [{ type: 'AssignmentFilter', config: { onRequest: [{ target: '${session.count}', value }] } }],
                handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'count ${session.count}' } },
              },
            },
          },
        ],
      },
    },
  }
}

test(
  'F11: two gateways share sessions; without Redis requests with a session get 503, others pass',
  options,
  async () => {
    await using redis = await RedisServer.start()
    const parts = { units: 2, routes: { counter: counter(redis.url) } }
    await using one = await RunningGateway.start(parts)
    await using two = await RunningGateway.start(parts)
    const begun = await one.ask('/')
    const { name, value } = parseSetCookie([begun.headers['set-cookie'] ?? []].flat()[0] as string)
    const headers = { Cookie: `${name}=${value}`, Connection: 'close' }
    for (let count = 2; count <= 12; count += 1)
      assert.equal((await (count % 2 === 0 ? two : one).ask('/', { headers })).text, `count ${count}`)
    await redis.kill()
    for (const gateway of [one, two]) {
      const denied = await gateway.ask('/', { headers })
      assert.deepEqual(
        [denied.status, denied.headers['retry-after'], denied.headers['cache-control']],
        [503, '5', 'no-store'],
      )
      assert.equal((await gateway.ask('/plain', { headers })).status, 503)
      assert.equal((await gateway.ask('/plain')).text, 'plain')
      // The session of this request could not be stored.
      const lost = await gateway.ask('/')
      assert.deepEqual([lost.status, lost.headers['set-cookie']], [503, undefined])
    }
    await redis.restart()
    for (const gateway of [one, two]) {
      const serves = async () => (await gateway.ask('/plain', { headers })).status === 200
      await waitUntil('the gateway used the restarted Redis', serves)
    }
  },
)
