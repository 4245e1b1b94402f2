import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { pathRoute, RunningGateway } from '#test/gateway'
import { leastCost } from '#test/loop-watch'

/** Few in the suite; the limits are for 10,000, which take half a minute to load. */
const COUNT = Number(process.env['GATEWAY_MANY_ROUTES'] ?? 500)
const PASSWORD = 'correct-horse'
const ROUTES = '/api/system/objects/_router/routes'

/** Milliseconds of processor time of the control plane, which shares its thread with the client here. */
const BOUNDS = { total: 50, longest: 50 }
const SCRAPE_BOUNDS = { total: Number.POSITIVE_INFINITY, longest: 50 }

/** Of 120,000 metrics in each unit; a quiet machine needs less than half of it. */
const METRICS_BOUNDS = { total: 100, longest: 50 }

describe(`a gateway with ${COUNT} routes`, { timeout: 60_000 + COUNT * 20 }, () => {
  let gateway: RunningGateway
  const get = async (path: string): Promise<string> => {
    const { status, text } = await gateway.askAdmin(path, { headers: { Authorization: `Bearer ${PASSWORD}` } })
    assert.equal(status, 200, text.slice(0, 200))
    return text
  }

  before(async () => {
    const routes = Array.from({ length: COUNT }, (_, n) => {
      const properties = { n, team: `team-${n % 17}`, tags: ['all', `tag-${n % 5}`] }
      return [`route-${n}`, pathRoute(`/route/${n}`, 'x', { name: `Route ${(n * 7919) % COUNT}`, properties })] as const
    })
    gateway = await RunningGateway.start({
      units: 2,
      files: { 'secrets/gateway.admin.password': PASSWORD },
      routes: Object.fromEntries(routes),
    })
    // The first scrape transfers names and labels of all metrics, which are sent only once.
    await get('/metrics/prometheus')
  })

  after(() => gateway[Symbol.asyncDispose]())

  const filter = (text: string) => `?_queryFilter=${encodeURIComponent(text)}`
  const rows: readonly (readonly [string, string])[] = [
    ['a filter and a page', `${ROUTES}${filter('properties/team eq "team-3"')}&_pageSize=20`],
    ['a filter, a page and sort keys', `${ROUTES}${filter('name co "9"')}&_pageSize=20&_sortKeys=-properties/n,name`],
    ['states', `${ROUTES}${filter('_status/state eq "loaded"')}&_pageSize=20&_sortKeys=name&_fields=name,_status`],
    ['an offset', `${ROUTES}${filter('true')}&_pageSize=20&_sortKeys=name&_pagedResultsOffset=${COUNT - 50}`],
    ['counting', `${ROUTES}${filter('true')}&_pageSize=20&_totalPagedResultsPolicy=EXACT`],
  ]
  for (const [label, path] of rows) {
    test(`routes: ${label} in less than 50 ms`, async (t) => {
      const { total, longest } = await leastCost(BOUNDS, async () => {
        const { resultCount } = JSON.parse(await get(path)) as JsonObject
        assert.equal(resultCount, 20)
      })
      t.diagnostic(`${total.toFixed(1)} ms, the longest turn ${longest.toFixed(1)} ms`)
      assert.ok(total < BOUNDS.total, `${total} ms`)
    })
  }

  test('metrics: a filter and a page in less than 100 ms', async (t) => {
    const path = `/metrics/api${filter('_id co "route 77." and _type eq "timer"')}&_pageSize=20`
    const { total, longest } = await leastCost(METRICS_BOUNDS, async () => {
      assert.equal((JSON.parse(await get(path)) as JsonObject)['resultCount'], 1)
    })
    t.diagnostic(`${total.toFixed(1)} ms, the longest turn ${longest.toFixed(1)} ms`)
    assert.ok(total < METRICS_BOUNDS.total, `${total} ms`)
    assert.ok(longest < METRICS_BOUNDS.longest, `the event loop was blocked for ${longest} ms`)
  })

  test('a scrape does not block other requests', async (t) => {
    const headers = { Authorization: `Bearer ${PASSWORD}`, 'Accept-Encoding': 'gzip' }
    const { total, longest } = await leastCost(SCRAPE_BOUNDS, async () => {
      assert.equal((await gateway.askAdmin('/metrics/prometheus', { headers })).status, 200)
    })
    t.diagnostic(`${total.toFixed(1)} ms, the longest turn ${longest.toFixed(1)} ms`)
    assert.ok(longest < SCRAPE_BOUNDS.longest, `the event loop was blocked for ${longest} ms`)
  })
})
