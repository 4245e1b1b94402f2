import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { RunningGateway, textRoute } from '#test/gateway'
import { PROBE_EXTENSION, PROBE_ROUTE, probeUnits } from '#test/probe-extension'

const ROUTER = {
  'config/config.json': { handler: { name: '_router', type: 'Router', config: { scanInterval: 'disabled' } } },
}

function faulty(fault: string) {
  return {
    condition: `\${request.uri.path == '/${fault}'}`,
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'FaultFilter', config: { fault } }],
        handler: textRoute('after the fault')['handler'],
      },
    },
  }
}

const FILTER = '+{FaultFilter}/handler/config/filters/0'

/** The object that a fault is logged for; for a thrown value that is not an Error, it is the route. */
const OBJECTS: Readonly<Record<string, string>> = {
  throw: FILTER,
  reject: FILTER,
  circular: FILTER,
  expression: '+{StaticResponseHandler}/handler',
}

describe('F21, B91: a fault inside a request', () => {
  const failing = {
    expression: { condition: "${request.uri.path == '/expression'}", handler: textRoute('${1 / 0}')['handler'] },
    ...Object.fromEntries(
      ['throw', 'reject', 'late', 'circular', 'nothing', 'complete'].map((fault) => [fault, faulty(fault)]),
    ),
  }
  let gateway: RunningGateway

  before(async () => {
    gateway = await RunningGateway.start({
      files: ROUTER,
      routes: { ...failing, probe: PROBE_ROUTE },
      extra: { 'probe.js': PROBE_EXTENSION },
    })
  })

  after(() => gateway[Symbol.asyncDispose]())

  const messages = {
    throw: 'thrown',
    reject: 'rejected',
    late: 'a text',
    circular: 'circular',
    expression: 'division by zero',
    nothing: 'the handler returned no response',
  }
  for (const [fault, message] of Object.entries(messages)) {
    test(`${fault}: 500 without internal details, and one log line under the qualified name of the object`, async () => {
      const from = gateway.log.lines.length
      const answer = await gateway.ask(`/${fault}`)
      assert.deepEqual([answer.status, answer.text], [500, ''])
      const entry = await gateway.log.until(/"level":"error"/, from)
      assert.equal(entry.logger, `gateway+_router+${fault}${OBJECTS[fault] ?? ''}`)
      assert.match(JSON.stringify(entry).toLowerCase(), new RegExp(message))
      assert.match(String(entry['transactionId']), /^[0-9a-f-]{36}$/)
      assert.equal(gateway.log.lines.slice(from).filter((line) => line.includes('"level":"error"')).length, 1)
      const counter = fault === 'nothing' ? 'gw_route_response_null_total' : 'gw_route_response_error_total'
      assert.equal(await gateway.metric(counter, { route: fault }), 1)
      assert.equal(await gateway.metric('gw_route_response_status_total', { route: fault, family: 'Server_error' }), 1)
    })
  }

  test('a callback that fails after the response was sent is logged and affects no request', async () => {
    assert.equal((await gateway.ask('/complete')).text, 'after the fault')
    await gateway.log.until(/a callback of the exchange failed/)
  })

  test('no fault left a rejection unhandled, an active request or a restarted unit', async () => {
    const [probe] = await probeUnits((path) => gateway.ask(path), 1)
    assert.equal(probe?.unhandled, 0)
    assert.equal(gateway.gateway.restarts, 0)
    assert.equal(await gateway.metric('gw_route_request_active'), 0)
  })
})

test('an exception outside of any request ends its unit only, which is restarted with the deployed routes', async () => {
  await using gateway = await RunningGateway.start({
    units: 2,
    files: ROUTER,
    routes: { outside: faulty('outside') },
    extra: { 'probe.js': PROBE_EXTENSION },
  })
  await gateway.deploy('probe', PROBE_ROUTE)
  const before = await probeUnits((path) => gateway.ask(path), 2)
  assert.equal(before.length, 2)

  await gateway.ask('/outside').catch(() => {})
  const entry = await gateway.log.until(/a unit ended; it is started again/)
  assert.match(JSON.stringify(entry['error']), /outside of any request/)
  const ready = await gateway.askAdmin('/health/ready?verbose')
  assert.equal(ready.status, 503)
  const { checks } = JSON.parse(ready.text) as { checks: { name: string; ok: boolean }[] }
  assert.deepEqual(
    checks.filter(({ ok }) => !ok).map(({ name }) => name),
    [`unit-${entry['unit']}`],
  )
  assert.equal((await gateway.askAdmin('/health/live')).status, 200)
  for (let round = 0; round < 30; round++) assert.equal((await gateway.ask('/probe')).status, 200)

  await gateway.untilReady()
  const afterwards = await probeUnits((path) => gateway.ask(path), 2)
  const known = before.map(({ threadId }) => threadId)
  assert.equal(afterwards.filter(({ threadId }) => !known.includes(threadId)).length, 1)
  assert.equal(gateway.gateway.restarts, 1)
  assert.equal((await gateway.askAdmin('/health/ready')).status, 200)

  await gateway.deploy('late', textRoute('late', { condition: "${request.uri.path == '/late'}" }))
  for (let round = 0; round < 10; round++) assert.equal((await gateway.ask('/late')).text, 'late')
})

test('the only unit of a gateway restarts with the last good version of a file that is now invalid', async () => {
  await using gateway = await RunningGateway.start({
    files: ROUTER,
    routes: { outside: faulty('outside'), a: textRoute('good', { condition: "${request.uri.path == '/a'}" }) },
    extra: { 'probe.js': PROBE_EXTENSION },
  })
  await gateway.deploy('a', '{ bad')
  await gateway.ask('/outside').catch(() => {})
  await gateway.log.until(/a unit ended/)
  await gateway.untilReady()
  assert.equal((await gateway.ask('/a')).text, 'good')
})

test('a change while no unit runs is tried when one does, and does not replace the last good version if it is invalid', async () => {
  await using gateway = await RunningGateway.start({
    files: ROUTER,
    routes: {
      outside: faulty('outside'),
      a: textRoute('good a', { condition: "${request.uri.path == '/a'}" }),
      b: textRoute('good b', { condition: "${request.uri.path == '/b'}" }),
    },
    extra: { 'probe.js': PROBE_EXTENSION },
  })
  const { port } = gateway
  await gateway.ask('/outside').catch(() => {})
  await gateway.log.until(/a unit ended/)
  assert.equal(gateway.port, port)
  await gateway.deploy('a', { handler: 'no such object' })
  await gateway.deploy('b', textRoute('new b', { condition: "${request.uri.path == '/b'}" }))
  await gateway.untilReady()
  await gateway.scan()
  assert.equal((await gateway.ask('/a')).text, 'good a')
  assert.equal((await gateway.ask('/b')).text, 'new b')
})

test('a unit that crashes repeatedly is restarted with a growing delay', async () => {
  // Of two units, the other one keeps the port, which another process could take. The third crash is the second of one of them.
  await using gateway = await RunningGateway.start({
    units: 2,
    files: ROUTER,
    routes: { outside: faulty('outside') },
    extra: { 'probe.js': PROBE_EXTENSION },
  })
  const ended: [unknown, unknown][] = []
  for (let crash = 1; crash <= 3; crash++) {
    const from = gateway.log.lines.length
    await gateway.ask('/outside').catch(() => {})
    const { unit, delay } = await gateway.log.until(/a unit ended/, from)
    ended.push([unit, delay])
    await gateway.untilReady()
  }
  const delays = Map.groupBy(ended, ([unit]) => unit)
    .values()
    .map((of) => of.map(([, delay]) => delay))
  for (const list of delays) assert.deepEqual(list, [100, 200, 400].slice(0, list.length))
})

describe('a start that fails', () => {
  test('names the position in config.json', async () => {
    await assert.rejects(RunningGateway.start({ files: { 'config/config.json': { handler: 'missing' } } }), {
      name: 'UnitStartError',
      problems: [{ pointer: '/handler', message: 'no Handler named "missing" in this heap or its parents' }],
    })
  })

  test('also of a port that another process has', async () => {
    await using other = await RunningGateway.start()
    await assert.rejects(RunningGateway.start({ admin: { adminConnector: { port: other.gateway.adminPort } } }), {
      code: 'EADDRINUSE',
    })
  })

  test('a broken route does not prevent the start', async () => {
    await using gateway = await RunningGateway.start({
      units: 2,
      routes: { bad: { handler: 'missing' }, b: textRoute('B') },
    })
    assert.equal((await gateway.ask('/x')).text, 'B')
    assert.match(gateway.problems('bad.json').join(), /no Handler named "missing"/)
    await gateway.deploy('bad', textRoute('mended', { name: 'a' }))
    assert.equal((await gateway.ask('/x')).text, 'mended')
    await gateway.undeploy('bad')
    assert.equal((await gateway.ask('/x')).text, 'B')
  })
})
