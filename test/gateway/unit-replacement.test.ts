// Units with another config.json or other folders take the place of those that serve, under load.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { WebSocket as WsClient } from 'ws'
import { configRevision } from '#instance'
import { pathRoute, RunningGateway } from '#test/gateway'
import { H2Client } from '#test/h2-client'
import { Load } from '#test/load'
import { PROBE_EXTENSION } from '#test/probe-extension'
import { httpUpstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'

const PASSWORD = 'correct-horse'
const managed = { headers: { Authorization: `Bearer ${PASSWORD}` } }
const skip = process.platform === 'linux' ? false : 'ports can be shared between threads on Linux'
const options = { timeout: 120_000, skip }

const heap = [{ name: '_router', type: 'Router', config: { scanInterval: 'disabled' } }]

const answer = (entity: string) => ({ type: 'StaticResponseHandler', config: { status: 200, entity } })

/** A handler whose unit ends while it starts. */
const CRASH_EXTENSION = `
export const types = ({ defineType, HandlerKind }) => [
  defineType({
    name: 'CrashHandler',
    kind: HandlerKind,
    summary: 'Ends its thread.',
    config: {},
    create: async () => {
      setImmediate(() => { throw new Error('crashed on purpose') })
      await new Promise(() => {})
    },
  }),
]
`

/** A config.json whose responses have a version, around the routes of the folder. */
const config = (version: number, fields: object = {}) =>
  JSON.stringify({
    handler: {
      type: 'Chain',
      config: {
        filters: [
          { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Version': [`v${version}`] } } },
          {
            name: 'limit',
            type: 'ThrottlingFilter',
            config: { rate: { numberOfRequests: 1_000_000 + version, duration: '1 minute' } },
          },
        ],
        handler: '_router',
      },
    },
    heap,
    ...fields,
  })

describe('units are replaced', () => {
  test('under load: no request fails, none is counted twice or not at all, WebSockets go on', options, async (t) => {
    await using upstream = await httpUpstream((_request, response) => void response.end('upstream'))
    await using echo = await webSocketUpstream()
    await using gateway = await RunningGateway.start({
      units: 2,
      files: { 'config/config.json': config(0) },
      routes: {
        proxied: {
          condition: "${find(request.uri.path, '^/proxied')}",
          baseURI: upstream.url,
          handler: { type: 'ReverseProxyHandler', config: { connections: 3 } },
        },
        echo: {
          condition: "${find(request.uri.path, '^/echo')}",
          baseURI: echo.url,
          handler: { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } },
        },
        text: pathRoute('/text', 'a text'),
      },
    })
    const targets = [
      { path: '/proxied/x', expected: '^200 v\\d upstream$' },
      { path: '/text', expected: '^200 v\\d a text$' },
    ]
    const client = new WsClient(`ws://127.0.0.1:${gateway.port}/echo`)
    await once(client, 'open')
    await using keepAlive = new Load({ url: gateway.url, connections: 4, targets })
    await using connecting = new Load({ url: gateway.url, connections: 3, reconnects: true, targets })
    const { gateway: own } = gateway
    await waitUntil('requests arrive', async () => (await gateway.metric('gw_route_request_total')) > 20)
    assert.equal((await own.replaceUnits({ config: config(1) })).state, 'replaced')
    for (let count = 0; count < 8; count++) assert.equal((await gateway.ask('/text')).headers['x-version'], 'v1')
    client.send('still here')
    assert.equal(String((await once(client, 'message'))[0]), 'still here')
    const results = [await keepAlive.stop(), await connecting.stop()]
    t.diagnostic(results.map(({ requests }) => requests).join(' and '))
    for (const { wrong, wrongCount } of results) assert.deepEqual([wrongCount, wrong], [0, []])
    assert.ok(results.every(({ requests }) => requests > 50))
    assert.deepEqual(
      own.units.map(({ name }) => name),
      ['unit-2', 'unit-3'],
    )
    client.close()
    await waitUntil('the replaced units have ended', async () => (await gateway.metric('gw_units_leaving')) === 0)
    // Requests of the loads, those of this test, and the handshake.
    const sent = results.reduce((sum, { requests }) => sum + requests, 8 + 1)
    // A scrape does not wait for a unit that is slow to report, and has its previous values.
    await waitUntil(
      `${sent} requests are counted`,
      async () => (await gateway.metric('gw_route_request_total')) === sent,
    )
    assert.equal(await gateway.metric('gw_route_request_active'), 0)
    assert.equal(await gateway.metric('http_server_request_duration_seconds', { http_route: 'echo' }), 1)
    assert.equal(await gateway.metric('gw_unit_replacements_total', { result: 'replaced' }), 1)
    assert.equal(own.restarts, 0)
  })

  test('or not: config.json with problems, a route that would be lost, a crash', options, async () => {
    await using gateway = await RunningGateway.start({
      files: {
        'secrets/gateway.admin.password': PASSWORD,
        'config/config.json': config(0, { heap: [...heap, { ...answer('first'), name: 'shared' }] }),
      },
      routes: {
        text: pathRoute('/text', 'a text'),
        shared: { condition: "${request.uri.path == '/s'}", handler: 'shared' },
      },
      extra: { 'crash.js': CRASH_EXTENSION },
    })
    const { gateway: own } = gateway
    const units = own.units
    const problemsOf = async (text: string) => {
      const result = await own.replaceUnits({ config: text })
      assert.equal(result.state, 'refused')
      assert.deepEqual(own.units, units)
      assert.equal((await gateway.ask('/s')).text, 'first')
      assert.equal((await gateway.ask('/s')).headers['x-version'], 'v0')
      return result.state === 'refused' ? result : assert.fail()
    }
    const missing = await problemsOf('{ "handler": "missing" }')
    assert.deepEqual(
      missing.problems.map(({ pointer }) => pointer),
      ['/handler'],
    )
    assert.match(missing.message, /no Handler named "missing"/)
    assert.match((await problemsOf('{ "handler": ')).message, /JSON|expected/)
    const lost = await problemsOf(config(1))
    assert.deepEqual(
      lost.problems.map(({ file, pointer }) => [file, pointer]),
      [['shared.json', '/handler']],
    )
    assert.match((await problemsOf(config(1, { handler: { type: 'CrashHandler' } }))).message, /crashed on purpose/)
    assert.equal(await gateway.metric('gw_unit_replacements_total', { result: 'refused' }), 4)
    assert.deepEqual(gateway.problems('shared.json'), [])
    assert.equal(own.stores.all.length, 1)

    // A file that the new units can not use keeps its last good version; others are used as they are then.
    gateway.instance.writeRoute('text', '{ "handler": ')
    gateway.instance.writeRoute('shared', pathRoute('/s', 'second'))
    gateway.instance.writeRoute('broken', { handler: 'missing' })
    const [first, second] = await Promise.all([
      own.replaceUnits({ config: config(2) }),
      own.replaceUnits({ config: config(3) }),
    ])
    assert.deepEqual([first?.state, second?.state], ['replaced', 'replaced'])
    assert.equal((await gateway.ask('/text')).text, 'a text')
    const changed = await gateway.ask('/s')
    assert.deepEqual([changed.text, changed.headers['x-version']], ['second', 'v3'])
    assert.equal(gateway.problems('broken.json').length, 1)
    assert.equal(gateway.problems('text.json').length, 1)
    const info = JSON.parse((await gateway.askAdmin('/api/info', managed)).text) as { configRevision: string }
    assert.equal(info.configRevision, configRevision(config(3)))
    const running = JSON.parse((await gateway.askAdmin('/api/system/configuration', managed)).text) as {
      config: string
    }
    assert.equal(running.config, config(3))
  })

  test('with other folders, while a unit that serves crashes', options, async () => {
    const FAULT = { type: 'FaultFilter', config: { fault: 'outside' } }
    await using gateway = await RunningGateway.start({
      units: 2,
      files: { 'secrets/gateway.admin.password': PASSWORD, 'config/config.json': config(0) },
      routes: {
        where: pathRoute('/where', 'own'),
        crash: {
          condition: "${request.uri.path == '/crash'}",
          handler: { type: 'Chain', config: { filters: [FAULT], handler: answer('crash') } },
        },
      },
      extra: { 'probe.js': PROBE_EXTENSION },
    })
    const { gateway: own } = gateway
    const folder = join(gateway.instance.directory, 'copy')
    const folders = { config: join(folder, 'config'), scripts: join(folder, 'scripts') }
    mkdirSync(join(folders.config, 'routes'), { recursive: true })
    mkdirSync(join(folders.scripts, 'groovy'), { recursive: true })
    writeFileSync(
      join(folders.scripts, 'groovy', 'folder.groovy'),
      "return new Response(Status.OK).setEntity('a script')",
    )
    const route = (name: string, content: object) =>
      writeFileSync(join(folders.config, 'routes', `${name}.json`), JSON.stringify(content))
    route('where', pathRoute('/where', 'copy'))
    route('script', {
      condition: "${request.uri.path == '/script'}",
      handler: { type: 'ScriptableHandler', config: { type: 'application/x-groovy', file: 'folder.groovy' } },
    })
    await gateway.ask('/crash')
    const result = await own.replaceUnits({ config: config(1), folders })
    assert.equal(result.state, 'replaced')
    assert.equal((await gateway.ask('/where')).text, 'copy')
    assert.equal((await gateway.ask('/script')).text, 'a script')
    assert.equal(own.restarts, 1)
    assert.deepEqual(
      own.stores.paths.map(({ path, store }) => [path, store.directory]),
      [['_router', join(folders.config, 'routes')]],
    )
    assert.equal(own.configuration.directories.scripts, folders.scripts)
    // A restarted unit has the newest settings.
    route('crash', {
      condition: "${request.uri.path == '/crash'}",
      handler: { type: 'Chain', config: { filters: [FAULT], handler: answer('crash') } },
    })
    await gateway.scan()
    await gateway.ask('/crash')
    await waitUntil('a unit has ended', () => own.restarts === 2)
    await gateway.untilReady()
    for (let count = 0; count < 8; count++) {
      const { text, headers } = await gateway.ask('/where')
      assert.deepEqual([text, headers['x-version']], ['copy', 'v1'])
    }
    const edited = await gateway.askAdmin('/api/system/objects/_router/routes/where', {
      method: 'PUT',
      headers: { ...managed.headers, 'Content-Type': 'application/json', 'If-Match': '*' },
      body: JSON.stringify(pathRoute('/where', 'edited')),
    })
    assert.equal(edited.status, 200)
    assert.equal((await gateway.ask('/where')).text, 'edited')
  })

  test('of an HTTP/2 connection streams in flight are served, and GOAWAY names the last one', options, async () => {
    const gate = Promise.withResolvers<void>()
    await using upstream = await httpUpstream(async (_request, response) => {
      await gate.promise
      response.end('upstream')
    })
    await using gateway = await RunningGateway.start({
      files: { 'config/config.json': config(0) },
      connector: { gracePeriod: '20 seconds' },
      routes: {
        slow: { condition: "${request.uri.path == '/slow'}", baseURI: upstream.url, handler: 'ReverseProxyHandler' },
        text: pathRoute('/text', 'a text'),
      },
    })
    await using client = new H2Client(gateway.port, {}, 'http')
    const slow = client.ask('/slow')
    assert.equal((await client.ask('/text')).text, 'a text')
    const away = once(client.session, 'goaway')
    const result = await gateway.gateway.replaceUnits({ config: config(1) })
    const [code, last] = (await away) as [number, number]
    assert.deepEqual([code, last], [0, 3])
    gate.resolve()
    assert.equal((await slow).text, 'upstream')
    if (result.state !== 'replaced') assert.fail()
    assert.equal(await result.drained, 0)
    await using later = new H2Client(gateway.port, {}, 'http')
    assert.equal((await later.ask('/text')).headers['x-version'], 'v1')
  })
})
