import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { CATALOGUE } from '#catalogue'
import type { RouteSource } from '#contracts'
import { Body, type Exchange, TemporaryStorage } from '#http'
import { instanceDirectories } from '#instance'
import { createLogger, memoryLog } from '#logging'
import { MetricsRegistry } from '#metrics'
import { defaultSettings, unavailableStore } from '#schema'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { Routers } from './routers.ts'
import { Unit } from './unit.ts'

interface Opened extends AsyncDisposable {
  readonly unit: Unit
  readonly routers: Routers
  readonly directory: string
  readonly log: ReturnType<typeof memoryLog>
  readonly closed: readonly string[]
  ask(exchange?: Exchange): Promise<string>
}

/** A unit with the routes of the test. */
async function open(routes: Readonly<Record<string, string>>): Promise<Opened> {
  const instance = mkdtempSync(join(tmpdir(), 'gateway-unit-'))
  const directories = instanceDirectories(instance)
  const log = memoryLog()
  const closed: string[] = []
  const metrics = new MetricsRegistry()
  const control = {
    openRouter: async () => Object.entries(routes).map(([id, entity]) => source(id, entity)),
    routerOpened: () => {},
    routeWarnings: () => {},
    closeRouter: (directory: string) => void closed.push(directory),
    sharedStore: () => unavailableStore('no store in this test'),
    share: async (_key: string, bytes: number) => ({ memory: new SharedArrayBuffer(bytes), release: () => {} }),
  }
  const routers = new Routers(control, metrics)
  const unit = await Unit.open({
    directories,
    mode: 'PRODUCTION',
    units: 1,
    settings: defaultSettings(),
    config: JSON.stringify({ handler: { name: '_router', type: 'Router' } }),
    types: CATALOGUE,
    control,
    routers,
    metrics,
    logger: createLogger({ level: 'info', format: 'json', destination: log }),
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    env: {},
  })
  return {
    unit,
    routers,
    directory: directories.routes,
    log,
    closed,
    async ask(exchange = exchangeFor('GET', 'http://localhost/')) {
      const response = await unit.handler(exchange)
      const text = await textOf(response)
      exchange.complete()
      return `${response.status} ${text}`
    },
    async [Symbol.asyncDispose]() {
      await unit.close()
      rmSync(instance, { recursive: true, force: true })
    },
  }
}

function source(id: string, entity: string, condition = '${true}'): RouteSource {
  const text = JSON.stringify({
    condition,
    handler: {
      type: 'StaticResponseHandler',
      config: { status: 200, headers: { 'Content-Type': 'text/plain' }, entity },
    },
  })
  return { file: `${id}.json`, id, name: id, revision: entity, text }
}

test('a prepared deploy has no effect until it is committed', async () => {
  await using opened = await open({ a: 'one' })
  const { routers, directory } = opened
  assert.deepEqual(await routers.prepare(1, directory, [{ put: source('a', 'two') }]), [])
  assert.equal(await opened.ask(), '200 one')
  routers.commit(1, [0])
  assert.equal(await opened.ask(), '200 two')
})

test('changes that the commit does not accept are discarded', async () => {
  await using opened = await open({ a: 'one' })
  const { routers, directory, unit } = opened
  await routers.prepare(1, directory, [{ put: source('a', 'two') }, { put: source('0', 'zero') }, { remove: 'a' }])
  routers.commit(1, [])
  assert.equal(await opened.ask(), '200 one')
  const routes = unit.metrics.collect().flatMap(({ labels: { route = [] } }) => route)
  assert.deepEqual([...new Set(routes)], ['a'])
})

test('a commit of an unknown or already committed deploy is a no-op', async () => {
  await using opened = await open({ a: 'one' })
  const { routers, directory } = opened
  routers.commit(7, [0])
  await routers.prepare(1, directory, [{ put: source('a', 'two') }])
  routers.commit(1, [0])
  routers.commit(1, [0])
  assert.equal(await opened.ask(), '200 two')
})

test('prepare reports the changes that can not be built, and builds the others', async () => {
  await using opened = await open({})
  const { routers, directory } = opened
  const bad = { file: 'b.json', id: 'b', name: 'b', revision: '1', text: '{"handler": "missing"}' }
  const problems = await routers.prepare(1, directory, [{ put: bad }, { put: source('a', 'fine') }])
  assert.deepEqual(
    problems.map(({ change, problems: [first] }) => [change, first?.pointer]),
    [[0, '/handler']],
  )
  routers.commit(1, [1])
  assert.equal(await opened.ask(), '200 fine')
})

test('a deploy for another folder leaves the router unchanged', async () => {
  await using opened = await open({ a: 'one' })
  assert.deepEqual(await opened.routers.prepare(1, '/elsewhere', [{ put: source('a', 'two') }]), [])
  opened.routers.commit(1, [0])
  assert.equal(await opened.ask(), '200 one')
})

test('a request whose condition waits for the body is matched against the routes deployed when the body has arrived', async () => {
  await using opened = await open({})
  const { routers, directory } = opened
  const waiting = "${request.entity.string == 'for a'}"
  await routers.prepare(1, directory, [{ put: source('a', 'old a', waiting) }, { put: source('b', 'old b') }])
  routers.commit(1, [0, 1])
  for (const [content, expected] of [
    ['for a', '200 new a'],
    ['other', '200 new b'],
  ] as const) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const exchange = exchangeFor('POST', 'http://localhost/', { body: delayedBody(content, promise) })
    const answer = opened.ask(exchange)
    await routers.prepare(2, directory, [{ put: source('a', 'new a', waiting) }, { put: source('b', 'new b') }])
    routers.commit(2, [0, 1])
    resolve()
    assert.equal(await answer, expected)
  }
})

function delayedBody(content: string, ready: Promise<void>): Body {
  async function* chunks(): AsyncGenerator<Buffer> {
    await ready
    yield Buffer.from(content)
  }
  return Body.fromStream(Readable.from(chunks()))
}

test('a retired route is disposed, and its metrics removed, when its last exchange is complete', async () => {
  await using opened = await open({ a: 'one' })
  const { routers, directory, unit } = opened
  const exchange = exchangeFor('GET', 'http://localhost/')
  await unit.handler(exchange)
  await routers.prepare(1, directory, [{ remove: 'a' }])
  routers.commit(1, [0])
  const active = () => unit.metrics.collect().find(({ name }) => name === 'gw_route_request_active')?.value
  assert.equal(active(), 1)
  assert.equal((await unit.handler(exchangeFor('GET', 'http://localhost/'))).status, 404)
  exchange.complete()
  await unit.close()
  assert.equal(active(), undefined)
  assert.equal(opened.closed.length, 1)
})

test('a retired route aborts requests that are in flight after the time limit', async () => {
  await using opened = await open({ a: 'one' })
  const [route] = opened.routers.live[0]?.routes ?? []
  const exchange = exchangeFor('GET', 'http://localhost/')
  await opened.unit.handler(exchange)
  await route?.retire(1)
  assert.equal(exchange.aborted, true)
  exchange.complete()
  assert.match(opened.log.lines.join(), /the retired route still has requests: they are aborted/)
})

test('the unit uses the temporary storage of config.json', async () => {
  await using opened = await open({})
  assert.ok(opened.unit.storage instanceof TemporaryStorage)
})
