import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MetricSample } from '#contracts'
import { commonRest } from '#crest'
import type { JsonObject } from '#json'
import { MetricsRegistry, prometheusText, ThreadAggregation } from '#metrics'
import { exchangeFor } from '#test/exchange'
import { leastCost } from '#test/loop-watch'
import { metricsCollection } from './metrics-collection.ts'

const ROUTES = 10_000
const FAMILIES = ['Informational', 'Successful', 'Redirection', 'Client_Error', 'Server_Error', 'Unknown', 'Other']

/** Milliseconds of CPU time; an idle machine needs less than half. */
const BOUNDS = { total: 150, longest: 50 }

/** A unit with the metrics of this many routes. */
function unit(routes: number): MetricsRegistry {
  const registry = new MetricsRegistry()
  for (let n = 0; n < routes; n++) {
    const scope = registry.open()
    const labels = { name: `route-${n}`, route: `route-${n}`, router: 'gateway._router' }
    scope.counter('gw_route_request_total', '', labels).add(n)
    scope.gauge('gw_route_request_active', '', labels).set(1)
    scope.counter('gw_route_response_error_total', '', labels)
    scope.counter('gw_route_response_null_total', '', labels)
    for (const family of FAMILIES) scope.counter('gw_route_response_status_total', '', { ...labels, family })
    const time = scope.summary('gw_route_response_time', '', labels)
    if (n % 3 === 0) time.observe(n / 1000)
  }
  return registry
}

/** Queries one page of the collection. */
function reading(collect: () => Promise<readonly MetricSample[]>) {
  const handle = commonRest(metricsCollection(collect), { base: '/metrics/api' })
  return async (query: string): Promise<JsonObject> => {
    const response = await handle(exchangeFor('GET', `http://localhost/metrics/api?${query}`))
    assert.equal(response.status, 200, response.body.text())
    return JSON.parse(response.body.text()) as JsonObject
  }
}

const filter = (text: string) => `_queryFilter=${encodeURIComponent(text)}`

describe('metrics of 10,000 routes in two units', () => {
  const threads = new ThreadAggregation()
  const units: MetricsRegistry[] = []
  const collect = async () => {
    for (const one of units) {
      threads.addReport(one, one.report(threads.lastHead(one)))
      await nextTurn()
    }
    return threads.samples()
  }
  const get = reading(collect)

  before(() => {
    units.push(unit(ROUTES), unit(ROUTES))
    for (const one of units) {
      for (;;) {
        const report = one.report(threads.lastHead(one))
        threads.addReport(one, report)
        if (report.values !== null) break
      }
    }
  })

  const rows: readonly (readonly [string, string, JsonObject])[] = [
    [
      'those of one route',
      `${filter('_id sw "heap._router.route.route-777."')}&_pageSize=50&_totalPagedResultsPolicy=EXACT`,
      { resultCount: 12, totalPagedResults: 12 },
    ],
    ['timers by their number', `${filter('_type eq "timer"')}&_pageSize=50&_sortKeys=-count`, { resultCount: 50 }],
    ['the first of all', '_queryFilter=true&_pageSize=50&_sortKeys=_id', { resultCount: 50 }],
    ['how many have counted', `${filter('_type eq "counter" and count gt 0')}&_countOnly=true`, { resultCount: 9_999 }],
  ]
  for (const [label, query, expected] of rows) {
    test(`${label}, within the limit of CPU time`, async () => {
      const { total, longest } = await leastCost(BOUNDS, async () => {
        const page = await get(query)
        for (const [name, value] of Object.entries(expected)) assert.equal(page[name], value, name)
      })
      assert.ok(total < BOUNDS.total, `${total} ms`)
      assert.ok(longest < BOUNDS.longest, `the event loop was blocked for ${longest} ms`)
    })
  }

  test('a scrape does not block the event loop', async () => {
    const { longest } = await leastCost({ total: Number.POSITIVE_INFINITY, longest: 50 }, async () => {
      await prometheusText(await collect())
    })
    assert.ok(longest < 50, `the event loop was blocked for ${longest} ms`)
  })

  test('a unit builds its report within milliseconds', async () => {
    const { total } = await leastCost(
      { total: 25, longest: 25 },
      async () => void units[0]?.report(threads.lastHead(units[0])),
    )
    assert.ok(total < 25, `${total} ms`)
  })
})

test('a field has the same value if selected alone or with all others', async () => {
  const registry = unit(5)
  const get = reading(async () => registry.collect())
  const { results } = await get(`${filter('_id sw "heap._router.route.route-3."')}&_pageSize=50`)
  assert.equal((results as JsonObject[]).length, 12)
  for (const { _id: id, ...fields } of results as JsonObject[]) {
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'mean_rate') continue
      const found = await get(`${filter(`_id eq "${id}" and ${name} eq ${JSON.stringify(value)}`)}&_countOnly=true`)
      assert.equal(found['resultCount'], 1, `${id} ${name}`)
    }
  }
})
