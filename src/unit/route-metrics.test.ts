import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respond } from '#http'
import { MetricsRegistry, prometheusText, ThreadAggregation } from '#metrics'
import { systemClock } from '#schema'
import { threadTime } from '#test/loop-watch'
import { promtool, promtoolMissing } from '#test/promtool'
import { RouteMetrics } from './route-metrics.ts'

const ROUTES = 10_000

function unitWithRoutes(): MetricsRegistry {
  const registry = new MetricsRegistry()
  for (let at = 0; at < ROUTES; at++) {
    const labels = { name: `The route "${at}"`, route: `route-${at}`, router: 'gateway._router' }
    const metrics = new RouteMetrics(registry.open(), labels, systemClock)
    metrics.answered(respond(200), metrics.entered())
  }
  return registry
}

test('B92: a scrape of 10,000 routes of two units is bounded in time and size, and promtool accepts it', async (context) => {
  const threads = new ThreadAggregation()
  for (const unit of [unitWithRoutes(), unitWithRoutes()]) {
    for (let values = null; values === null; ) {
      const report = unit.report(threads.lastHead(unit))
      assert.ok(report.heads.length <= 2000)
      threads.addReport(unit, report)
      values = report.values
    }
    const from = threadTime()
    const { heads, values } = unit.report(threads.lastHead(unit))
    const took = threadTime() - from
    // It blocks the event loop of a unit: about 10 ms on an idle machine.
    assert.ok(took < 1000, `a report took ${took} ms`)
    assert.equal(heads.length, 0)
    assert.ok((values as Float64Array).byteLength < 5_000_000)
  }
  const from = performance.now()
  const text = await prometheusText(threads.samples())
  const took = performance.now() - from
  assert.ok(took < 15_000, `it took ${took} ms`)
  assert.ok(text.length < 3000 * ROUTES, `${text.length} bytes`)
  context.diagnostic(`${ROUTES} routes: ${Math.round(text.length / 1e6)} MB in ${Math.round(took)} ms`)
  assert.equal(text.toString('utf8').match(/^gw_route_request_total\{.*\} 2$/gm)?.length, ROUTES)
  if (promtoolMissing) return context.skip(promtoolMissing)
  assert.deepEqual(promtool(['check', 'metrics'], text.toString('utf8')), { status: 0, output: '' })
})
