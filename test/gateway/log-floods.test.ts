// Log lines that clients cause, and a log destination that is not read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathRoute, RunningGateway } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { PROBE_EXTENSION } from '#test/probe-extension'
import { rawUpstream } from '#test/upstream'

const options = { timeout: 120_000 }

/** Bytes of log lines that one thread buffers while its output is not read (src/logging/standard-output.ts). */
const KEPT_BY_THREAD = 1024 * 1024
/** Bytes of log lines on their way: in the pipe, the stream of the test, and those of the start and the stop. */
const ON_THE_WAY = 1024 * 1024

test(
  'F16: standard output that is not read delays no request, takes bounded memory, and dropped lines are counted',
  options,
  async () => {
    const routes = { chatty: pathRoute('/chatty', 'x', { capture: 'all' }), quiet: pathRoute('/quiet', 'quiet') }
    await using gateway = await GatewayProcess.start({ admin: { gatewayUnits: 2 }, routes })
    const chat = (times: number) =>
      Promise.all(
        Array.from({ length: times }, () => gateway.ask('/chatty', { headers: { 'X-Long': 'x'.repeat(7_000) } })),
      )
    gateway.pauseReading()
    let longest = 0
    for (let round = 0; round < 40; round++) {
      const start = performance.now()
      const [quiet] = await Promise.all([gateway.ask('/quiet'), chat(25)])
      assert.equal(quiet.text, 'quiet')
      longest = Math.max(longest, performance.now() - start)
    }
    assert.ok(longest < 5_000, `${longest} ms`)
    assert.equal((await gateway.askAdmin('/health/ready')).status, 200)
    const scrape = (await gateway.askAdmin('/metrics/prometheus')).text
    assert.match(scrape, /^gw_log_lines_lost_total\{thread="unit-\d"\} [1-9]/m)
    gateway.resumeReading()
    const recovery = await gateway.log.until(/log lines were lost/)
    assert.ok((recovery['lost'] as number) > 0)
    // Lines are not mixed, although two units and the control thread write to one pipe.
    assert.ok(gateway.log.entries.length > 50)
    gateway.kill('SIGTERM')
    assert.equal((await gateway.exit).code, 0)
    assert.equal(gateway.log.with(/"message":"stopped"/).length, 1)
    // All buffered lines have arrived, so their bytes are the memory of the log.
    const bytes = gateway.log.lines.reduce((sum, line) => sum + line.length, 0)
    assert.ok(bytes < 3 * KEPT_BY_THREAD + ON_THE_WAY, `${bytes} bytes`)
  },
)

test('a process whose output is not read still stops', options, async () => {
  const routes = { chatty: pathRoute('/chatty', 'x', { capture: 'all' }) }
  await using gateway = await GatewayProcess.start({ routes })
  gateway.pauseReading()
  const headers = { 'X-Long': 'x'.repeat(7_000) }
  await Promise.all(Array.from({ length: 100 }, () => gateway.ask('/chatty', { headers })))
  gateway.kill('SIGTERM')
  await gateway.ended
})

const OK = { type: 'StaticResponseHandler', config: { status: 200 } }
const failing = {
  type: 'Chain',
  config: { filters: [{ type: 'FaultFilter', config: { fault: 'throw' } }], handler: OK },
}

test(
  'log lines that a client can cause repeatedly are rate-limited, with the number of suppressed ones',
  options,
  async () => {
    await using gateway = await RunningGateway.start({
      files: { 'extra/probe.js': PROBE_EXTENSION },
      routes: {
        condition: pathRoute('/none', 'x', { condition: "${integer(request.headers['X-Number'][0]) / 0 == 1}" }),
        dispatch: {
          condition: "${find(request.uri.path, '^/dispatch')}",
          handler: {
            type: 'DispatchHandler',
            config: { bindings: [{ condition: '${false}', handler: failing }] },
          },
        },
        fault: { condition: "${request.uri.path == '/fault'}", handler: failing },
        down: {
          condition: "${request.uri.path == '/down'}",
          baseURI: 'http://127.0.0.1:1',
          handler: 'ReverseProxyHandler',
        },
      },
    })
    const before = gateway.log.lines.length
    const statuses = async (path: string) => {
      const answers = await Promise.all(
        Array.from({ length: 150 }, (_, at) => gateway.ask(path, { headers: { 'X-Number': `n${at}` } })),
      )
      return [...new Set(answers.map(({ status }) => status))]
    }
    assert.deepEqual(await statuses('/dispatch/x'), [404])
    assert.deepEqual(await statuses('/fault'), [500])
    assert.deepEqual(await statuses('/down'), [502])
    assert.equal((await gateway.ask('/dispatch/last')).status, 404)
    const lines = gateway.log.lines.slice(before)
    const units = gateway.gateway.units.length
    const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length
    for (const pattern of [/counts as false/, /no binding matches the request/]) {
      assert.ok(count(pattern) >= 1 && count(pattern) <= 3 * units, `${pattern}: ${count(pattern)} lines`)
    }
    for (const pattern of [/"the request failed"/, /the upstream request failed/]) {
      assert.ok(count(pattern) >= 1 && count(pattern) < 100, `${pattern}: ${count(pattern)} lines`)
    }
    assert.ok((await gateway.metric('gw_log_lines_suppressed_total')) >= 300)
    assert.equal(lines.filter((line) => /counts as false/.test(line) && /"stack"/.test(line)).length, 0)
    assert.ok(lines.filter((line) => /"the request failed"/.test(line) && /"stack"/.test(line)).length <= units)
  },
)

test(
  'a server that fails for every request does not hide that another server of the same handler fails',
  options,
  async () => {
    const proxied = (path: string, baseURI: string) => ({
      condition: `\${request.uri.path == '${path}'}`,
      baseURI,
      handler: 'ReverseProxyHandler',
    })
    await using gateway = await RunningGateway.start({
      admin: { gatewayUnits: 1 },
      routes: { noisy: proxied('/noisy', 'http://127.0.0.1:1'), other: proxied('/other', 'http://127.0.0.1:2') },
    })
    for (let n = 0; n < 20; n++) assert.equal((await gateway.ask('/noisy')).status, 502)
    assert.equal((await gateway.ask('/other')).status, 502)
    await gateway.log.until(/"upstream":"http:\/\/127\.0\.0\.1:2".*the upstream request failed/)
  },
)

test('truncated responses are logged with their route, once for each route', options, async () => {
  await using upstream = await rawUpstream((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'))
  const cut = (path: string) => ({
    condition: `\${request.uri.path == '${path}'}`,
    baseURI: upstream.url,
    handler: 'ReverseProxyHandler',
  })
  await using gateway = await RunningGateway.start({
    admin: { gatewayUnits: 1 },
    routes: { one: cut('/one'), two: cut('/two') },
  })
  for (const path of ['/one', '/one', '/one', '/two']) await gateway.ask(path).catch(() => null)
  await gateway.log.until(/"route":"two".*response truncated/)
  assert.deepEqual(
    gateway.log.with(/response truncated/).map(({ route }) => route),
    ['one', 'two'],
  )
})
