// Units whose event loop is blocked: the gateway reports them, terminates them, and continues without them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type GatewayParts, pathRoute, RunningGateway } from '#test/gateway'
import { PROBE_EXTENSION } from '#test/probe-extension'
import { waitUntil } from '#test/waiting'

const options = { timeout: 90_000 }

/** A fifth of the real times. */
const HEARTBEAT = { interval: 200, unresponsive: 5, lost: 15, lostWhileStarting: 60, ending: 5 }

const OK = { type: 'StaticResponseHandler', config: { status: 200, entity: 'fine' } }
const chain = (path: string, type: string) => ({
  condition: `\${request.uri.path == '${path}'}`,
  handler: { type: 'Chain', config: { filters: [{ type }], handler: OK } },
})

function parts(more: GatewayParts = {}): GatewayParts {
  const { routes = {}, files = {}, ...rest } = more
  return {
    admin: { gatewayUnits: 2, connectors: [{ port: 0, host: '127.0.0.1', gracePeriod: '1 s' }] },
    heartbeat: HEARTBEAT,
    files: {
      'extra/probe.js': PROBE_EXTENSION,
      'config/config.json': { handler: { name: '_router', type: 'Router', config: { scanInterval: 'disabled' } } },
      ...files,
    },
    routes: { fine: pathRoute('/fine', 'fine'), stall: chain('/stall', 'StallFilter'), ...routes },
    ...rest,
  }
}

/** Blocks one unit, for ever by default. */
function stall(gateway: RunningGateway, milliseconds = 'Infinity'): Promise<number | null> {
  return gateway.ask('/stall', { headers: { 'X-Stall': milliseconds } }).then(
    ({ status }) => status,
    () => null,
  )
}

const readiness = async (gateway: RunningGateway) => {
  const { status, text } = await gateway.askAdmin('/health/ready?verbose')
  return { status, text }
}

/** Sends requests on new connections, so that every unit gets some. */
async function askMany(gateway: RunningGateway, path: string, times: number): Promise<string[]> {
  const answers = Array.from({ length: times }, () => gateway.ask(path, { headers: { Connection: 'close' } }))
  return [...new Set((await Promise.all(answers)).map(({ text }) => text))]
}

test('a unit stuck in a handler: readiness 503, then it is ended with its sockets and replaced', options, async () => {
  await using gateway = await RunningGateway.start(parts())
  const stuck = stall(gateway)
  const warning = await gateway.log.until(/a unit does not answer/)
  const { status, text } = await readiness(gateway)
  assert.equal(status, 503)
  assert.match(text, new RegExp(`unit-${warning['unit']}"[^}]*unresponsive for`))
  assert.equal(await gateway.metric('gw_units_unresponsive'), 1)
  const ended = await gateway.log.until(/a unit ended; it is started again/)
  assert.equal(ended['unit'], warning['unit'])
  assert.match(JSON.stringify(ended), /was ended: it did not answer for 3 s/)
  assert.equal(await stuck, null, 'its connections are closed')
  await gateway.untilReady()
  assert.equal((await readiness(gateway)).status, 200)
  // A listening socket that was left behind would still get half of the connections.
  assert.deepEqual(await askMany(gateway, '/fine', 100), ['fine'])
  assert.deepEqual([gateway.gateway.restarts, await gateway.metric('gw_units_unresponsive')], [1, 0])
})

test('a short stall has no effect, and a unit that responds again is ready again', options, async () => {
  await using gateway = await RunningGateway.start(parts())
  assert.equal(await stall(gateway, '500'), 200)
  assert.equal(gateway.log.with(/a unit does not answer/).length, 0)
  assert.equal(await stall(gateway, '1800'), 200)
  await gateway.log.until(/a unit answers again/)
  assert.equal((await readiness(gateway)).status, 200)
  assert.equal(gateway.gateway.restarts, 0)
})

test('a deploy terminates a stuck unit, and is applied in the others and in its replacement', options, async () => {
  await using gateway = await RunningGateway.start(parts({ heartbeat: { ...HEARTBEAT, lost: 10_000 } }))
  void stall(gateway)
  await gateway.log.until(/a unit does not answer/)
  const from = performance.now()
  await gateway.deploy('new', pathRoute('/new', 'new'))
  assert.ok(performance.now() - from < 10_000, 'the deploy did not wait')
  const ended = await gateway.log.until(/a unit ended; it is started again/)
  assert.match(JSON.stringify(ended), /does not answer while a deploy waits for it/)
  await gateway.untilReady()
  assert.deepEqual(await askMany(gateway, '/new', 50), ['new'])
})

const replacedFrom = (version: number) =>
  JSON.stringify({
    heap: [{ name: '_router', type: 'Router', config: { scanInterval: 'disabled' } }],
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Version': [`v${version}`] } } }],
        handler: '_router',
      },
    },
  })

for (const isKnown of [true, false])
  test(`a replaced unit that hangs, ${isKnown ? 'as is known' : 'as is not known yet'}, gets no new connections`, {
    ...options,
    skip: process.platform === 'linux' ? false : 'ports are shared on Linux',
  }, async () => {
    const files = { 'config/config.json': replacedFrom(0) }
    await using gateway = await RunningGateway.start(parts({ files, heartbeat: { ...HEARTBEAT, lost: 10_000 } }))
    const stalled = stall(gateway, isKnown ? 'Infinity' : '8000')
    const unresponsive = () => gateway.log.until(/a unit does not answer/)
    if (isKnown) await unresponsive()
    void gateway.gateway.replaceUnits({ config: replacedFrom(1) })
    await waitUntil('the units were replaced', () => gateway.gateway.units[0]?.name === 'unit-2')
    await unresponsive()
    const signal = AbortSignal.timeout(8_000)
    const ask = () => gateway.ask('/fine', { headers: { Connection: 'close' }, signal })
    const answers = await Promise.all(Array.from({ length: 60 }, ask))
    for (const { text } of answers) assert.equal(text, 'fine')
    assert.equal((await readiness(gateway)).status, 200)
    // A unit that goes on finds its sockets shut down, and finishes its requests.
    if (!isKnown) assert.equal(await stalled, 200)
  })

test(
  'a deploy that blocks every unit is refused, and their replacements serve the previous routes',
  options,
  async () => {
    await using gateway = await RunningGateway.start(parts({ heartbeat: { ...HEARTBEAT, lost: 10_000 } }))
    const from = performance.now()
    await gateway.deploy('slow', chain('/slow', 'StallWhileBuilding'))
    assert.ok(performance.now() - from < 20_000, 'the deploy ended')
    assert.equal(gateway.log.with(/does not answer while a deploy waits for it/).length, 2)
    assert.match(gateway.problems('slow.json').join(), /every unit ended while it built this deploy/)
    await gateway.untilReady()
    assert.deepEqual(await askMany(gateway, '/fine', 20), ['fine'])
    assert.equal((await gateway.ask('/slow')).status, 404)
  },
)

test('draining ends within its bounds though a unit is stuck; draining twice is draining once', options, async () => {
  await using gateway = await RunningGateway.start(parts({ heartbeat: { ...HEARTBEAT, lost: 10_000 } }))
  void stall(gateway)
  await gateway.log.until(/a unit does not answer/)
  const from = performance.now()
  const drained = await Promise.all([gateway.gateway.drain(), gateway.gateway.drain()])
  assert.ok(performance.now() - from < 1_000 + 1_000 + 5_000, 'it did not wait for the stuck unit')
  assert.deepEqual(drained, [0, 0])
  assert.match(JSON.stringify(await gateway.log.until(/a unit did not drain/)), /unit-\d did not answer drain within/)
})

test('a unit whose objects can not be released while it drains still ends by itself', options, async () => {
  const heap = [{ name: 'Fault', type: 'FaultFilter', config: { fault: 'dispose' } }]
  const handler = {
    type: 'Chain',
    config: { filters: ['Fault'], handler: { name: '_router', type: 'Router', config: { scanInterval: 'disabled' } } },
  }
  await using gateway = await RunningGateway.start(parts({ files: { 'config/config.json': { heap, handler } } }))
  assert.equal((await gateway.ask('/fine')).text, 'fine')
  assert.equal(await gateway.gateway.drain(), 0)
  assert.equal(gateway.log.with(/a unit could not close one of its parts while it drained/).length, 2)
  assert.equal(gateway.log.with(/a unit did not drain|a unit ended/).length, 0)
})

test('a unit that gets stuck while it starts fails the start', options, async () => {
  const handler = { type: 'Chain', config: { filters: [{ type: 'StallWhileBuilding' }], handler: OK } }
  const starting = RunningGateway.start(
    parts({ files: { 'config/config.json': { handler } }, heartbeat: { ...HEARTBEAT, lostWhileStarting: 20 } }),
  )
  await assert.rejects(starting, /unit-0 was ended: it did not answer for 4 s/)
})

test('a thread that can not be ended is replaced, and the gateway is no longer live', options, async () => {
  const blocked = chain('/blocked', 'FifoFilter')
  await using gateway = await RunningGateway.start(parts({ routes: { blocked } }))
  const fifo = join(gateway.instance.directory, 'tmp-fifo')
  execFileSync('mkfifo', [fifo])
  void gateway.ask('/blocked', { headers: { 'X-File': fifo } }).catch(() => {})
  await gateway.log.until(/the thread of a unit can not be ended/)
  await gateway.log.until(/a unit ended; it is started again/)
  const live = await gateway.askAdmin('/health/live?verbose')
  assert.equal(live.status, 503)
  assert.match(live.text, /its thread can not be ended/)
  await gateway.untilReady()
  assert.equal((await readiness(gateway)).status, 200)
  // Releases the thread.
  closeSync(openSync(fifo, 'r+'))
})
