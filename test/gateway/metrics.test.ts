// Metrics of a whole gateway, also while routes change and units end.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { pathRoute, RunningGateway, textRoute } from '#test/gateway'
import { PROBE_EXTENSION } from '#test/probe-extension'
import { promtool, promtoolMissing } from '#test/promtool'
import { Scrape } from '#test/scrape'
import { waitUntil } from '#test/waiting'

const SCRAPE = '/metrics/prometheus/0.0.4'
const ROUTER = {
  'config/config.json': { handler: { name: '_router', type: 'Router', config: { scanInterval: 'disabled' } } },
}

async function scrape(gateway: RunningGateway): Promise<Scrape> {
  return new Scrape((await gateway.askAdmin(SCRAPE)).text)
}

const faulty = (fault: string) => ({
  condition: `\${request.uri.path == '/${fault}'}`,
  handler: {
    type: 'Chain',
    config: { filters: [{ type: 'FaultFilter', config: { fault } }], handler: textRoute('')['handler'] },
  },
})

describe('scrape', () => {
  let gateway: RunningGateway

  before(async () => {
    gateway = await RunningGateway.start({
      files: { ...ROUTER, 'secrets/gateway.admin.password': 'secret' },
      routes: { a: textRoute('A') },
    })
  })

  after(() => gateway[Symbol.asyncDispose]())

  const PATHS = [SCRAPE, '/metrics/prometheus']
  for (const path of PATHS.flatMap((one) => [one, `/gateway${one}`])) {
    test(`${path}: text format 0.0.4 for loopback clients, never cached`, async () => {
      const { status, headers, text } = await gateway.askAdmin(path)
      assert.equal(status, 200)
      assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(new Scrape(text).types.get('gw_route_request_total'), 'counter')
    })

    test(`${path}: HEAD is as GET without a body; other methods are 405`, async () => {
      const head = await gateway.askAdmin(path, { method: 'HEAD' })
      assert.deepEqual([head.status, head.text], [200, ''])
      assert.equal(head.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status, headers } = await gateway.askAdmin(path, { method })
        assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'], method)
      }
    })
  }

  test('similar paths are 404', async () => {
    for (const path of [
      '/metrics',
      '/metrics/',
      '/metrics/prometheus/',
      '/metrics/prometheus/0.0.5',
      '/metrics/apis',
    ]) {
      assert.equal((await gateway.askAdmin(path)).status, 404, path)
    }
  })

  test('another Host or Origin is rejected, and other paths below it are not served', async () => {
    assert.equal((await gateway.askAdmin(SCRAPE, { headers: { Host: 'evil.test' } })).status, 403)
    for (const path of ['/metrics/../api/info', '/metrics/%2e%2e/api/info', '/metrics/..%2fapi/info']) {
      const { status } = await gateway.askAdmin('/', { target: path })
      assert.ok([400, 401, 404].includes(status), `${path} ${status}`)
    }
  })

  test('a traffic connector does not expose metrics', async () => {
    assert.equal((await gateway.ask(SCRAPE)).text, 'A')
    assert.equal((await gateway.ask(`/gateway${SCRAPE}`)).status, 404)
  })
})

test('B92: route names with quotes, ends of lines and braces are escaped, and promtool accepts all', async (context) => {
  const names = ['a"\n{}', '\\', '\\n', '} 1\ngw_x 2', 'ü\u0000\r\u2028', '# TYPE gw_x gauge', '{{.}}', '💥']
  await using gateway = await RunningGateway.start({
    units: 2,
    files: ROUTER,
    routes: Object.fromEntries(names.map((name, at) => [`r${at}`, pathRoute(`/${at}`, 'x', { name })])),
  })
  for (const [at] of names.entries()) assert.equal((await gateway.ask(`/${at}?${'x'.repeat(at)}`)).status, 200)
  const { text } = await gateway.askAdmin(SCRAPE)
  const found = new Scrape(text)
  for (const [at, name] of names.entries()) {
    assert.equal(found.value('gw_route_request_total', { name, route: `r${at}` }), 1)
  }
  if (promtoolMissing) return context.skip(promtoolMissing)
  assert.deepEqual(promtool(['check', 'metrics'], text), { status: 0, output: '' })
})

test('B92: nothing that a request sends becomes a label', async () => {
  await using gateway = await RunningGateway.start({ files: ROUTER, routes: { a: textRoute('A') } })
  const seriesOf = (found: Scrape) => found.lines.map(({ name, labels }) => `${name}${JSON.stringify(labels)}`)
  await gateway.ask('/')
  await scrape(gateway)
  const before = seriesOf(await scrape(gateway))
  for (let at = 0; at < 50; at++) {
    await gateway.ask(`/path-${at}?query=${at}`, { method: `M${at}`, headers: { 'X-Sent': `${at}` } }).catch(() => {})
  }
  const gained = seriesOf(await scrape(gateway)).filter((series) => !before.includes(series))
  // A kind of garbage collection may occur for the first time.
  assert.deepEqual(
    gained.filter((series) => !series.startsWith('gw_gc_duration_seconds')),
    [],
  )
})

test('the process, its threads, the build, units and deploys are measured under Prometheus names', async () => {
  await using gateway = await RunningGateway.start({ units: 2, files: ROUTER, routes: { a: textRoute('A') } })
  await gateway.deploy('b', pathRoute('/b', 'B'))
  await gateway.deploy('b', '{ bad')
  await gateway.gateway.reload()
  const found = await scrape(gateway)
  assert.equal(found.value('gw_build_info', { version: '1.2.3', revision: 'test', node: process.versions.node }), 1)
  assert.ok(found.value('process_cpu_seconds_total') > 0)
  assert.ok(found.value('process_resident_memory_bytes') > 1_000_000)
  assert.ok(Math.abs(found.value('process_start_time_seconds') - (Date.now() / 1000 - process.uptime())) < 5)
  for (const thread of ['control', 'unit-0', 'unit-1']) {
    for (const part of ['mean', 'p99', 'max']) {
      assert.ok(found.value(`gw_event_loop_delay_${part}_seconds`, { thread }) >= 0)
    }
    assert.ok(found.value('gw_event_loop_active_seconds_total', { thread }) > 0)
    assert.ok(found.value('gw_heap_used_bytes', { thread }) > 0)
    assert.ok(found.value('gw_gc_duration_seconds_count', { thread, kind: 'minor' }) >= 0)
  }
  assert.equal(found.value('gw_units_configured'), 2)
  assert.equal(found.value('gw_units_ready'), 2)
  assert.equal(found.value('gw_units_silent'), 0)
  assert.equal(found.value('gw_unit_restarts_total'), 0)
  assert.equal(found.value('gw_reloads_total'), 1)
  const router = 'gateway._router'
  assert.equal(found.value('gw_router_deployed_routes', { router }), 2)
  assert.equal(found.value('gw_router_failed_routes', { router }), 1)
  assert.equal(found.value('gw_route_deployments_total', { router, result: 'succeeded' }), 1)
  assert.equal(found.value('gw_route_deployments_total', { router, result: 'failed' }), 1)
  assert.ok(Math.abs(found.value('gw_route_last_deployment_timestamp_seconds', { router }) - Date.now() / 1000) < 60)
})

test('the first scrape has every route, also where units send them in several portions', async () => {
  const routes = Array.from({ length: 250 }, (_, at) => [`r${at}`, pathRoute(`/${at}`, 'x')] as const)
  await using gateway = await RunningGateway.start({ units: 2, files: ROUTER, routes: Object.fromEntries(routes) })
  await gateway.ask('/249')
  const found = await scrape(gateway)
  assert.ok(found.lines.length > 3000)
  assert.equal(found.find('gw_route_request_total').length, 250)
  assert.equal(found.value('gw_route_request_total', { route: 'r249' }), 1)
  await gateway.undeploy('r249')
  assert.equal((await scrape(gateway)).find('gw_route_request_total').length, 249)
})

describe('totals', () => {
  const total = async (gateway: RunningGateway, name = 'gw_route_request_total') =>
    (await scrape(gateway)).value(name, { route: 'a' })

  test('continue when a route is changed, and start at zero when it was removed', async () => {
    await using gateway = await RunningGateway.start({ units: 2, files: ROUTER, routes: { a: textRoute('A') } })
    for (let round = 0; round < 10; round++) await gateway.ask('/')
    await gateway.deploy('a', textRoute('B'))
    assert.equal(await total(gateway), 10)
    for (let round = 0; round < 5; round++) assert.equal((await gateway.ask('/')).text, 'B')
    assert.equal(await total(gateway), 15)
    assert.equal(await total(gateway, 'gw_route_response_time_count'), 15)
    await gateway.undeploy('a')
    assert.deepEqual((await scrape(gateway)).find('gw_route_request_total', { route: 'a' }), [])
    await gateway.deploy('a', textRoute('C'))
    assert.equal(await total(gateway), 0)
  })

  for (const units of [1, 2]) {
    test(`never decrease when one of ${units} units ends and is restarted`, async () => {
      await using gateway = await RunningGateway.start({
        units,
        files: ROUTER,
        routes: { a: pathRoute('/a', 'A'), outside: faulty('outside') },
        extra: { 'probe.js': PROBE_EXTENSION },
      })
      for (let round = 0; round < 20; round++) await gateway.ask('/a')
      assert.equal(await total(gateway), 20)
      for (let crash = 1; crash <= 2; crash++) {
        const from = gateway.log.lines.length
        await gateway.ask('/outside').catch(() => {})
        await gateway.log.until(/a unit ended; it is started again/, from)
        const meanwhile = await scrape(gateway)
        assert.equal(meanwhile.value('gw_route_request_total', { route: 'a' }), 20)
        assert.equal(meanwhile.value('gw_route_response_time_count', { route: 'a' }), 20)
        await gateway.untilReady()
        assert.equal(await total(gateway), 20)
        assert.equal((await scrape(gateway)).value('gw_unit_restarts_total'), crash)
      }
      for (let round = 0; round < 5; round++) await gateway.ask('/a')
      assert.equal(await total(gateway), 25)
    })
  }
})

test('a scrape does not wait for an unresponsive unit; its previous values are exposed again', async () => {
  await using gateway = await RunningGateway.start({
    units: 2,
    files: ROUTER,
    extra: { 'probe.js': PROBE_EXTENSION, 'stall.js': STALL },
    routes: {
      a: pathRoute('/a', 'A'),
      stall: { condition: "${request.uri.path == '/stall'}", handler: { type: 'StallHandler' } },
    },
  })
  for (let round = 0; round < 20; round++) await gateway.ask('/a')
  assert.equal((await scrape(gateway)).value('gw_route_request_total', { route: 'a' }), 20)
  const stalled = gateway.ask('/stall')
  stalled.catch(() => {})
  await gateway.log.until(/stalls now/)
  const from = performance.now()
  const found = await scrape(gateway)
  const took = performance.now() - from
  assert.ok(took < 5500, `${took} ms`)
  assert.equal(found.value('gw_units_silent'), 1)
  assert.equal(found.value('gw_route_request_total', { route: 'a' }), 20)
  await stalled
  // On a busy machine, the unit may still answer late.
  await waitUntil('the unit answers', async () => (await scrape(gateway)).value('gw_units_silent') === 0)
  const later = await scrape(gateway)
  assert.equal(later.value('gw_route_request_total', { route: 'stall' }), 1)
})

/** Blocks its thread for longer than the time-out of a scrape. */
const STALL = `
export const types = ({ defineType, HandlerKind, respond }) => [
  defineType({
    name: 'StallHandler',
    kind: HandlerKind,
    summary: 'Blocks its thread.',
    config: {},
    create: (_, env) => async () => {
      env.logger.info('stalls now')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000)
      return respond(200)
    },
  }),
]
`
