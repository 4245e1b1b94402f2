// The live monitor: metrics and requests as Server-Sent Events.
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { JsonObject } from '#json'
import { EventSourceClient } from '#test/event-source'
import { pathRoute, RunningGateway, textRoute } from '#test/gateway'
import { RawClient } from '#test/listening'
import { managing } from '#test/management'
import { PROBE_EXTENSION } from '#test/probe-extension'
import { waitUntil } from '#test/waiting'

const METRICS = '/api/monitor/metrics'
const REQUESTS = '/api/monitor/requests'

const filtered = (filter: string) => `${REQUESTS}?_queryFilter=${encodeURIComponent(filter)}`

describe('the live monitor', () => {
  let gateway: RunningGateway
  let ask: ReturnType<typeof managing>

  before(async () => {
    gateway = await RunningGateway.start({
      units: 2,
      env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' },
      routes: {
        one: pathRoute('/one', 'one'),
        idle: pathRoute('/idle', 'idle'),
        failing: {
          condition: "${request.uri.path == '/failing'}",
          handler: { type: 'StaticResponseHandler', config: { status: 503 } },
        },
        user: {
          condition: "${request.uri.path == '/user'}",
          handler: {
            type: 'Chain',
            config: {
              filters: [
                {
                  type: 'ScriptableFilter',
                  config: {
                    type: 'application/javascript',
                    source: "contexts.requestAudit.setUserId('ada'); return next.handle(context, request)",
                  },
                },
              ],
              handler: textRoute('x')['handler'],
            },
          },
        },
        outer: {
          condition: "${find(request.uri.path, '^/deep')}",
          handler: 'inner',
          heap: [{ name: 'inner', type: 'Router', config: { directory: 'inner' } }],
        },
      },
      files: { 'config/inner/leaf.json': pathRoute('/deep/leaf', 'leaf') },
    })
    ask = managing(gateway.adminUrl)
  })

  after(() => gateway[Symbol.asyncDispose]())

  const open = (path: string, headers: Record<string, string> = {}) =>
    EventSourceClient.open(gateway.adminUrl + path, headers)

  test('metrics: the first event has every route, and later ones the rates of those that have changed', async () => {
    using stream = await open(METRICS)
    assert.deepEqual(
      [stream.status, stream.headers['content-type'], stream.headers['cache-control']],
      [200, 'text/event-stream', 'no-store'],
    )
    const first = await stream.next('a first event', () => true)
    assert.deepEqual(
      Object.keys(first['routes'] as object)
        .filter((id) => ['one', 'idle'].includes(id))
        .sort(),
      ['idle', 'one'],
    )
    assert.deepEqual((first['units'] as JsonObject)['ready'], 2)
    assert.ok(((first['memory'] as JsonObject)['residentBytes'] as number) > 1e6)
    const threads = (first['eventLoop'] as JsonObject[]).map(({ thread }) => thread)
    assert.deepEqual(threads.sort(), ['control', 'unit-0', 'unit-1'])
    assert.ok(Array.isArray(first['pools']) && Array.isArray(first['audit']))
    for (let n = 0; n < 20; n++) await gateway.ask('/one')
    await gateway.ask('/failing')
    const routeOf = (event: JsonObject, id: string) => (event['routes'] as Record<string, JsonObject>)[id]
    const busy = await stream.next('an event with all requests', (event) => routeOf(event, 'one')?.['requests'] === 20)
    assert.ok((routeOf(busy, 'one')?.['p99'] as number) > 0)
    const sum = (id: string) =>
      stream.events.reduce((all, event) => {
        return all + Number(routeOf(event, id)?.['requestsPerSecond'] ?? 0) * Number(event['interval'])
      }, 0)
    assert.ok(Math.abs(sum('one') - 20) < 0.5, `${sum('one')}`)
    const failed = await stream.next('an event with the failure', (event) => {
      return Number((event['totals'] as JsonObject & { statuses: JsonObject }).statuses['serverError']) > 0
    })
    assert.ok(Number((failed['totals'] as JsonObject)['requestsPerSecond']) > 0)
    assert.ok(failed['p99'] === (failed['totals'] as JsonObject)['p99'])
    const idle = await stream.next('an event in which the route is idle again', (event) => {
      return routeOf(event, 'one')?.['requests'] === 20 && routeOf(event, 'one')?.['requestsPerSecond'] === 0
    })
    assert.equal(routeOf(idle, 'idle'), undefined)
  })

  test('metrics: only new, changed and removed routes are in later events', async () => {
    using stream = await open(METRICS)
    await stream.next('a first event', () => true)
    await gateway.deploy('added', pathRoute('/added', 'added'))
    const added = await stream.next('the added route', ({ routes }) => Object.hasOwn(routes as object, 'added'))
    assert.equal(Object.hasOwn(added['routes'] as object, 'idle'), stream.events[0] === added)
    await gateway.undeploy('added')
    const removed = await stream.next('the removed route', ({ removedRoutes }) => removedRoutes !== undefined)
    assert.deepEqual(removed['removedRoutes'], ['added'])
  })

  test('metrics: requests of nested routers are counted once in the totals', async () => {
    using stream = await open(METRICS)
    const before = await stream.next('a first event', () => true)
    const requests = (event: JsonObject) => Number((event['totals'] as JsonObject)['requests'])
    await gateway.ask('/deep/leaf')
    const after = await stream.next('the request', (event) => requests(event) > requests(before))
    assert.equal(requests(after), requests(before) + 1)
    assert.ok(Object.keys(after['routes'] as object).includes('_router.outer.inner/leaf'))
  })

  test('metrics of the last hour are samples of the same form', async () => {
    const { status, json } = await ask('GET', '/api/monitor/history')
    assert.deepEqual([status, json['interval'], Array.isArray(json['samples'])], [200, 10, true])
    await waitUntil('a sample was recorded', async () => {
      return ((await ask('GET', '/api/monitor/history')).json['samples'] as JsonObject[]).length > 0
    })
    const [sample] = (await ask('GET', '/api/monitor/history')).json['samples'] as JsonObject[]
    assert.equal(typeof (sample as { totals: JsonObject }).totals['requests'], 'number')
  })

  test('requests: one event each, without query, with route and transaction id', async () => {
    using stream = await open(REQUESTS)
    await gateway.ask('/idle').then(() => gateway.ask('/idle'))
    await stream.next('the stream is open in every unit', () => true).catch(() => {})
    stream.text = ''
    await gateway.ask('/one?secret=hidden', { headers: { 'X-Vendor-TransactionId': 'not-trusted' } })
    const event = await stream.next('the request', ({ path }) => path === '/one')
    const { timestamp, elapsed, transactionId, trace, ...rest } = event
    assert.deepEqual(rest, { method: 'GET', path: '/one', status: 200, route: 'one', user: null })
    assert.ok(Math.abs(Date.parse(String(timestamp)) - Date.now()) < 60_000)
    assert.ok(typeof elapsed === 'number' && elapsed >= 0)
    assert.match(String(transactionId), /^[\w-]{20,}/)
    assert.match(String(trace), /^[\da-f-]{36}$/)
    assert.doesNotMatch(stream.text, /hidden|not-trusted/)
    await gateway.ask('/nothing-here')
    const missing = await stream.next('a request without a route', ({ path }) => path === '/nothing-here')
    assert.deepEqual([missing['route'], missing['status']], [null, 404])
    await gateway.ask('/deep/leaf')
    const deep = await stream.next('the request of an inner route', ({ path }) => path === '/deep/leaf')
    assert.equal(deep['route'], 'leaf')
  })

  test('requests: the filter is applied before the rate, and the rest is counted', async () => {
    using errors = await open(filtered('status ge 500 and method eq "get"'))
    using few = await open(`${REQUESTS}?rate=1`)
    // Units begin to watch a moment after the stream is open.
    const probe = async () => {
      await gateway.ask('/failing')
      return errors.events.length > 0 && few.events.length > 0
    }
    await waitUntil('both streams are open in a unit', probe)
    await Promise.all(Array.from({ length: 40 }, () => gateway.ask('/one')))
    await few.next('skipped requests', ({ skipped }) => Number(skipped) > 0)
    await gateway.ask('/failing')
    assert.ok(errors.events.every(({ status, skipped }) => status === 503 || skipped !== undefined))
    const counted = () =>
      few.events.reduce((sum, { skipped }) => sum + (skipped === undefined ? 1 : Number(skipped)), 0)
    await waitUntil('every request is an event or counted', () => counted() >= 41)
  })

  test('requests: the user is that of audit events, also where no audit is configured', async () => {
    using stream = await open(filtered('user eq "ada"'))
    await waitUntil('an event of the user', async () => {
      assert.equal((await gateway.ask('/user')).status, 200)
      return stream.events.some(({ user, route }) => user === 'ada' && route === 'user')
    })
  })

  test('requests: a client that reads nothing, and one that resets, disturb neither traffic nor other streams', async () => {
    const port = gateway.gateway.adminPort
    const head = `GET ${REQUESTS}?rate=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n`
    await using stalled = new RawClient(port)
    stalled.send(head)
    await stalled.receives(/retry: 3000/)
    stalled.socket.pause()
    using other = await open(filtered('path eq "/idle"'))
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    await Promise.all(Array.from({ length: 2_000 }, () => gateway.ask(`/one/${'x'.repeat(500)}`, { agent })))
    agent.destroy()
    for (let n = 0; n < 20; n++) {
      await using client = new RawClient(port)
      client.send(head)
      await client.receives(/retry: 3000/)
      client.socket.resetAndDestroy()
    }
    await waitUntil('the other stream has its event', async () => {
      assert.equal((await gateway.ask('/idle')).status, 200)
      return other.events.some(({ path }) => path === '/idle')
    })
    assert.equal(gateway.gateway.restarts, 0)
  })

  test('bad parameters are 400, other methods are not streams', async () => {
    for (const query of [
      '?_queryFilter=status%20ge',
      '?_queryFilter=(',
      '?rate=0',
      '?rate=x',
      '?rate=1001',
      '?rate=5&rate=6',
      '?other=1',
    ]) {
      const { status, json } = await ask('GET', REQUESTS + query)
      assert.deepEqual([query, status, json['code']], [query, 400, 400])
    }
    assert.equal((await ask('GET', `${METRICS}?x=1`)).status, 400)
    assert.equal((await ask('HEAD', METRICS)).status, 200)
    assert.ok([405, 501].includes((await ask('DELETE', METRICS)).status))
    assert.equal((await ask('GET', '/api/monitor/nothing')).status, 404)
    assert.equal((await ask('GET', METRICS, { headers: { Origin: 'http://evil.test' } })).status, 403)
  })

  test('both are described by /api/monitor?_api', async () => {
    const { json } = await ask('GET', '/api/monitor?_api')
    const { valid, errors } = await new Validator().validate(json)
    assert.ok(valid, JSON.stringify(errors))
    const paths = json['paths'] as Record<string, { get: { responses: { 200: { content: object } } } }>
    const trace = ['/api/monitor/trace', '/api/monitor/trace/{id}']
    assert.deepEqual(Object.keys(paths).sort(), ['/api/monitor/history', METRICS, REQUESTS, ...trace])
    for (const path of [METRICS, REQUESTS]) {
      assert.deepEqual(Object.keys(paths[path]?.get.responses[200].content ?? {}), ['text/event-stream'])
    }
    assert.equal((await ask('GET', `${REQUESTS}?_api`)).status, 200)
    assert.equal((await ask('GET', '/api/monitor')).status, 204)
  })

  test('more than 32 streams are 503, until one is closed', async () => {
    const streams = await Promise.all(Array.from({ length: 32 }, () => open(METRICS)))
    const { status, headers } = await ask('GET', METRICS)
    assert.deepEqual([status, headers['retry-after']], [503, '5'])
    for (const stream of streams) stream[Symbol.dispose]()
    await waitUntil('a stream can be opened again', async () => {
      using stream = await open(METRICS)
      return stream.status === 200
    })
  })
})

test('requests of a restarted unit are watched too', async () => {
  await using gateway = await RunningGateway.start({
    env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' },
    routes: {
      outside: {
        condition: "${request.uri.path == '/outside'}",
        handler: {
          type: 'Chain',
          config: {
            filters: [{ type: 'FaultFilter', config: { fault: 'outside' } }],
            handler: textRoute('')['handler'],
          },
        },
      },
      one: pathRoute('/one', 'one'),
    },
    extra: { 'probe.js': PROBE_EXTENSION },
  })
  using stream = await EventSourceClient.open(gateway.adminUrl + REQUESTS)
  await gateway.ask('/outside').catch(() => {})
  await gateway.log.until(/a unit ended/)
  await gateway.untilReady()
  await waitUntil('a request of the new unit is an event', async () => {
    await gateway.ask('/one').catch(() => {})
    return stream.events.some(({ path }) => path === '/one')
  })
})

test('event streams need credentials, and end with the session and with its password', async () => {
  await using gateway = await RunningGateway.start({ files: { 'secrets/gateway.admin.password': 'old' } })
  const ask = managing(gateway.adminUrl)
  assert.equal((await ask('GET', METRICS)).status, 401)
  const session = '/api/studio/session'
  const logIn = async () => {
    const { headers } = await ask('POST', `${session}?_action=login`, { body: { username: 'admin', password: 'old' } })
    return { Cookie: String(headers['set-cookie']?.[0]).split(';')[0] as string }
  }
  const cookie = await logIn()
  for (const path of [METRICS, REQUESTS]) {
    using stream = await EventSourceClient.open(gateway.adminUrl + path, cookie)
    assert.equal(stream.status, 200)
    if (path === METRICS) continue
    assert.equal((await ask('POST', `${session}?_action=logout`, { headers: cookie })).status, 204)
    await stream.ended()
    assert.equal(stream.isTruncated, false)
  }
  using stream = await EventSourceClient.open(gateway.adminUrl + REQUESTS, await logIn())
  gateway.instance.write('secrets/gateway.admin.password', 'new')
  await stream.ended()
})

test('event streams end when the gateway stops', async () => {
  const gateway = await RunningGateway.start({ env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' } })
  using metrics = await EventSourceClient.open(gateway.adminUrl + METRICS)
  using requests = await EventSourceClient.open(gateway.adminUrl + REQUESTS)
  await gateway.gateway.drain()
  await metrics.ended()
  await requests.ended()
  await gateway[Symbol.asyncDispose]()
})
