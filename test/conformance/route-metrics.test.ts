// The spec's "Route metrics", row by row, scraped and queried after requests to two units.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { PROBE_EXTENSION, PROBE_ROUTE, probeUnits } from '#test/probe-extension'
import { Scrape } from '#test/scrape'
import { once, within } from '#test/waiting'

const SCRAPE = '/metrics/prometheus/0.0.4'

const answering = (status: number) => ({ type: 'StaticResponseHandler', config: { status, entity: '' } })
const binding = (path: string, handler: unknown) => ({ condition: `\${request.uri.path == '/mine/${path}'}`, handler })
const failing = (fault: string) => ({
  type: 'Chain',
  config: { filters: [{ type: 'FaultFilter', config: { fault } }], handler: answering(200) },
})

/** Requests to the route with their number, high enough that both units handle some. */
const REQUESTS: Readonly<Record<string, number>> = {
  good: 40,
  moved: 5,
  refused: 7,
  broken: 9,
  odd: 3,
  throw: 4,
  nothing: 2,
}
const TOTAL = Object.values(REQUESTS).reduce((sum, count) => sum + count, 0)
const LABELS = { name: 'My route', route: 'mine', router: 'gateway._router' }

interface QueryReply {
  readonly results: readonly { readonly _id: string; readonly count: number }[]
  readonly pagedResultsCookie: string | null
  readonly resultCount: number
}

let gateway: RunningGateway
const held = Promise.withResolvers<void>()
const arrived = Promise.withResolvers<void>()
const upstream = createServer(async (_request, response) => {
  arrived.resolve()
  await held.promise
  response.end('late')
})

before(async () => {
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  gateway = await RunningGateway.start({
    units: 2,
    extra: { 'probe.js': PROBE_EXTENSION },
    files: {
      'config/config.json': {
        handler: {
          name: '_router',
          type: 'Router',
          config: { scanInterval: 'disabled', defaultHandler: answering(404) },
        },
      },
    },
    routes: {
      mine: {
        name: 'My route',
        condition: "${find(request.uri.path, '^/mine')}",
        handler: {
          type: 'DispatchHandler',
          config: {
            bindings: [
              binding('moved', answering(302)),
              binding('refused', answering(403)),
              binding('broken', answering(503)),
              binding('odd', answering(650)),
              binding('throw', failing('throw')),
              binding('nothing', failing('nothing')),
              { handler: answering(200) },
            ],
          },
        },
      },
      probe: PROBE_ROUTE,
      slow: {
        condition: "${find(request.uri.path, '^/slow')}",
        baseURI: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
        handler: { type: 'ReverseProxyHandler' },
      },
    },
  })
  for (const [path, count] of Object.entries(REQUESTS)) {
    for (let round = 0; round < count; round++) await gateway.ask(`/mine/${path}`)
  }
})

after(async () => {
  held.resolve()
  await gateway[Symbol.asyncDispose]()
  upstream.close()
})

async function scrape(path = SCRAPE): Promise<Scrape> {
  return new Scrape((await gateway.askAdmin(path)).text)
}

describe('Route metrics: scrape', () => {
  test('requests of both units are added up', async () => {
    let asked = 0
    const ask = (path: string) => {
      asked++
      return gateway.ask(path)
    }
    assert.equal((await probeUnits(ask, 2)).length, 2)
    assert.equal((await scrape()).value('gw_route_request_total', { route: 'probe' }), asked)
  })

  const ROWS: readonly [name: string, type: string][] = [
    ['gw_route_request_active', 'gauge'],
    ['gw_route_request_total', 'counter'],
    ['gw_route_response_error_total', 'counter'],
    ['gw_route_response_null_total', 'counter'],
    ['gw_route_response_status_total', 'counter'],
    ['gw_route_response_time', 'summary'],
  ]
  for (const [name, type] of ROWS) {
    test(`${name}: a ${type} with the labels name, route and router`, async () => {
      const found = await scrape()
      assert.equal(found.types.get(name), type)
      const lines = found.find(type === 'summary' ? `${name}_count` : name, { route: 'mine' })
      assert.ok(lines.length > 0)
      for (const { labels } of lines) {
        const { family, ...others } = labels
        assert.deepEqual(others, LABELS)
        assert.equal(family !== undefined, name === 'gw_route_response_status_total')
      }
    })
  }

  test('gw_route_request_active: requests being processed, until the last byte', async () => {
    assert.equal((await scrape()).value('gw_route_request_active', LABELS), 0)
    const slow = gateway.ask('/slow')
    await within('the request reached the upstream', arrived.promise)
    assert.equal((await scrape()).value('gw_route_request_active', { route: 'slow' }), 1)
    assert.equal((await scrape()).value('gw_route_request_total', { route: 'slow' }), 1)
    held.resolve()
    assert.equal((await slow).text, 'late')
    assert.equal((await scrape()).value('gw_route_request_active', { route: 'slow' }), 0)
  })

  test('gw_route_request_total: requests of all units', async () => {
    assert.equal((await scrape()).value('gw_route_request_total', LABELS), TOTAL)
  })

  test('gw_route_response_error_total: responses that threw an exception', async () => {
    assert.equal((await scrape()).value('gw_route_response_error_total', LABELS), REQUESTS['throw'])
  })

  test('gw_route_response_null_total: responses not handled by the gateway', async () => {
    assert.equal((await scrape()).value('gw_route_response_null_total', LABELS), REQUESTS['nothing'])
  })

  const FAMILIES: Readonly<Record<string, number>> = {
    Informational: 0,
    Successful: 40,
    Redirection: 5,
    Client_error: 7,
    // An exception or a missing response is a 500 for the client.
    Server_error: 9 + 4 + 2,
    Unknown: 3,
  }
  for (const [family, count] of Object.entries(FAMILIES)) {
    test(`gw_route_response_status_total: family ${family}`, async () => {
      assert.equal((await scrape()).value('gw_route_response_status_total', { ...LABELS, family }), count)
    })
  }

  test('gw_route_response_time: quantiles, sum and count in seconds', async () => {
    const found = await scrape()
    assert.equal(found.value('gw_route_response_time_count', LABELS), TOTAL)
    const sum = found.value('gw_route_response_time_sum', LABELS)
    const quantiles = found.find('gw_route_response_time', LABELS)
    assert.deepEqual(
      quantiles.map(({ labels }) => labels['quantile']),
      ['0.5', '0.75', '0.95', '0.98', '0.99', '0.999'],
    )
    const values = quantiles.map(({ value }) => value)
    assert.deepEqual(
      values,
      values.toSorted((a, b) => a - b),
    )
    assert.ok((values[0] as number) > 0 && (values[5] as number) <= sum && sum < 60, `${values} of ${sum}`)
  })

  test('a router with a default handler publishes its metrics through a route named default', async () => {
    const labels = { name: 'default', route: 'default', router: 'gateway._router' }
    const status = { ...labels, family: 'Client_error' }
    const earlier = await scrape()
    for (let round = 0; round < 10; round++) await gateway.ask('/nowhere')
    const later = await scrape()
    const grown = (name: string, of: Readonly<Record<string, string>>) =>
      later.value(name, of) - earlier.value(name, of)
    assert.equal(grown('gw_route_request_total', labels), 10)
    assert.equal(grown('gw_route_response_status_total', status), 10)
    assert.equal(grown('gw_route_response_time_count', labels), 10)
  })

  test('the router of a route inside a route is fully qualified, and without a default handler has no default', async () => {
    gateway.instance.write('config/inner/leaf.json', { handler: answering(204) })
    await gateway.deploy('outer', {
      condition: "${find(request.uri.path, '^/outer')}",
      handler: { name: 'inner', type: 'Router', config: { directory: 'inner', scanInterval: 'disabled' } },
    })
    assert.equal((await gateway.ask('/outer')).status, 204)
    const found = await scrape()
    const router = 'gateway._router.outer.inner'
    assert.equal(found.value('gw_route_request_total', { name: 'leaf', route: 'leaf', router }), 1)
    assert.deepEqual(found.find('gw_route_request_total', { route: 'default', router }), [])
    await gateway.undeploy('outer')
  })
})

describe('Route metrics: Common REST', () => {
  const ID = 'heap._router.route.My route.'
  const read = async (metric: string) => {
    const { status, text } = await gateway.askAdmin(`/metrics/api/${encodeURIComponent(ID + metric)}`)
    assert.equal(status, 200, text)
    return JSON.parse(text) as Record<string, unknown>
  }
  const query = async (words: Record<string, string>) => {
    const { status, text } = await gateway.askAdmin(`/metrics/api?${new URLSearchParams(words)}`)
    return { status, ...(JSON.parse(text) as QueryReply) }
  }

  const COUNTERS: Readonly<Record<string, number>> = {
    request: TOTAL,
    'response.error': 4,
    'response.null': 2,
    'response.status.informational': 0,
    'response.status.successful': 40,
    'response.status.redirection': 5,
    'response.status.client_error': 7,
    'response.status.server_error': 15,
    'response.status.unknown': 3,
  }
  for (const [metric, count] of Object.entries(COUNTERS)) {
    test(`${metric}: a counter`, async () => {
      assert.deepEqual(await read(metric), { _id: ID + metric, count, _type: 'counter' })
    })
  }

  test('request.active: a gauge', async () => {
    assert.deepEqual(await read('request.active'), { _id: `${ID}request.active`, value: 0, _type: 'gauge' })
  })

  test('response.time: a timer in milliseconds with its statistics', async () => {
    const timer = await read('response.time')
    assert.deepEqual(Object.keys(timer).sort(), [
      '_id',
      '_type',
      'count',
      'duration_units',
      'm15_rate',
      'm1_rate',
      'm5_rate',
      'max',
      'mean',
      'mean_rate',
      'min',
      'p50',
      'p75',
      'p95',
      'p98',
      'p99',
      'p999',
      'rate_units',
      'stddev',
      'total',
    ])
    assert.equal(timer['_type'], 'timer')
    assert.equal(timer['count'], TOTAL)
    assert.deepEqual([timer['duration_units'], timer['rate_units']], ['milliseconds', 'calls/second'])
    const number = (name: string) => timer[name] as number
    const order = ['min', 'p50', 'p75', 'p95', 'p98', 'p99', 'p999', 'max'].map(number)
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    )
    assert.ok(number('min') > 0 && number('mean') >= number('min') && number('mean') <= number('max'))
    assert.ok(number('stddev') >= 0 && number('mean_rate') > 0)
    assert.ok(Math.abs(number('total') - number('mean') * TOTAL) < 0.1)
    const inSeconds = (await scrape()).value('gw_route_response_time_sum', LABELS)
    assert.ok(Math.abs(number('total') - inSeconds * 1000) < 0.001)
  })

  test('a query returns all of them, and those of the default route', async () => {
    const { results } = await query({ _queryFilter: 'true', _fields: '_id' })
    const ids = results.map(({ _id }) => _id)
    const metrics = [...Object.keys(COUNTERS), 'request.active', 'response.time']
    for (const metric of metrics) {
      assert.ok(ids.includes(ID + metric), metric)
      assert.ok(ids.includes(`heap._router.route.default.${metric}`), metric)
    }
    assert.ok(ids.includes('heap._router.deployed-routes'))
    assert.equal(ids.filter((id) => id.startsWith(ID)).length, metrics.length)
  })

  test('filters, fields, sort keys and pages work as in any collection', async () => {
    const filter = `_id sw "${ID}response.status" and count gt 0`
    const found = await query({ _queryFilter: filter, _sortKeys: '-count', _fields: 'count' })
    assert.deepEqual(
      found.results,
      ['successful', 'server_error', 'client_error', 'redirection', 'unknown'].map((family) => ({
        _id: `${ID}response.status.${family}`,
        count: COUNTERS[`response.status.${family}`],
      })),
    )
    const pages: string[] = []
    let cookie: string | null = ''
    while (cookie !== null) {
      const words: Record<string, string> = { _queryFilter: filter, _sortKeys: 'count', _pageSize: '2' }
      const page = await query(cookie === '' ? words : { ...words, _pagedResultsCookie: cookie })
      pages.push(page.results.map(({ count }) => count).join())
      cookie = page.pagedResultsCookie
    }
    assert.deepEqual(pages, ['3,5', '7,15', '40'])
    const counted = await query({ _queryFilter: filter, _countOnly: 'true' })
    assert.deepEqual([counted.results, counted.resultCount], [[], 5])
    assert.equal((await query({ _queryFilter: 'count gt' })).status, 400)
  })

  test('missing metrics are 404, and the collection is read-only', async () => {
    assert.equal((await gateway.askAdmin('/metrics/api/heap._router.route.missing.request')).status, 404)
    const path = `/metrics/api/${encodeURIComponent(`${ID}request`)}`
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      const { status } = await gateway.askAdmin(path, {
        method,
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
      })
      assert.ok(status >= 400 && status !== 404, `${method} ${status}`)
    }
    assert.equal((await gateway.askAdmin('/metrics/api?_api')).status, 200)
    assert.equal((await gateway.askAdmin('/gateway/metrics/api?_queryFilter=true')).status, 200)
  })
})
