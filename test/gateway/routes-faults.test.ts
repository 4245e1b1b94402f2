// Changes over the management API, and traffic, with exhausted resources: read-only folders, full disks, no
// descriptors.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { Agent } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { pathRoute, RunningGateway } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { TestInstance } from '#test/instance'
import { Load } from '#test/load'
import { type Managed, managing, ROUTES } from '#test/management'
import { SmallDisk } from '#test/small-disk'
import { once, waitUntil } from '#test/waiting'

const DEVELOPMENT = { mode: 'DEVELOPMENT' }
const isRoot = process.getuid?.() === 0
const noDisk = SmallDisk.isMissing
const noLimits = spawnSync('prlimit', ['--version']).status === 0 ? false : 'there is no prlimit here'

/** A main router whose routes are in another folder than usual. */
function routerOn(directory: string) {
  return {
    'config/config.json': { heap: [{ name: '_router', type: 'Router', config: { directory } }], handler: '_router' },
  }
}

/** The content of every file, by its name. */
function contents(directory: string): Record<string, string> {
  return Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]))
}

/** Every kind of change, to an existing route and to a missing one. */
function changes(id: string, text: string, rollbackTo: unknown): readonly (readonly [string, string, unknown?])[] {
  return [
    ['PUT', `${ROUTES}/new-${id}`, pathRoute('/new', text)],
    ['PUT', `${ROUTES}/${id}`, pathRoute(`/${id}`, text)],
    ['POST', `${ROUTES}?_action=create`, pathRoute('/made', text)],
    ['POST', ROUTES, { _id: `posted-${id}`, ...pathRoute('/posted', text) }],
    ['PATCH', `${ROUTES}/${id}`, [{ operation: 'replace', field: '/handler/config/entity', value: `${text}!` }]],
    ['POST', `${ROUTES}/${id}?_action=rollback`, { _rev: rollbackTo }],
    ['DELETE', `${ROUTES}/${id}`],
  ]
}

/** An error in the form of Common REST that reveals no path of the machine (threats B86). */
function assertServerError({ status, json, headers, text }: Managed, about: string): void {
  assert.ok(status === 500 || status === 503, `${about}: ${status} ${text}`)
  assert.deepEqual([json['code'], typeof json['reason'], typeof json['message']], [status, 'string', 'string'], about)
  assert.match(String(headers['content-type']), /^application\/json/)
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.doesNotMatch(
    text,
    /\/tmp|gateway-(?:instance|disk|test)|config\/|routes\/|\.tmp|\.json|\.ts\b|at \w+ \(/,
    about,
  )
}

/** A folder that can be made read-only, also for root. */
class LockableFolder implements Disposable {
  readonly #folder: Folder | SmallDisk = isRoot ? new SmallDisk() : new Folder()

  get path(): string {
    return this.#folder.path
  }

  lock(): void {
    if (this.#folder instanceof SmallDisk) this.#folder.remount('ro')
    else chmodSync(this.path, 0o555)
  }

  unlock(): void {
    if (this.#folder instanceof SmallDisk) this.#folder.remount('rw')
    else chmodSync(this.path, 0o755)
  }

  [Symbol.dispose](): void {
    this.unlock()
    this.#folder[Symbol.dispose]()
  }
}

test('F17: in a read-only folder every change fails with 5xx and changes nothing; when it is writable again, all work', {
  skip: isRoot && noDisk,
}, async () => {
  using folder = new LockableFolder()
  await using gateway = await RunningGateway.start({ units: 2, admin: DEVELOPMENT, files: routerOn(folder.path) })
  const manage = managing(gateway.adminUrl)
  const first = await manage('PUT', `${ROUTES}/kept`, { body: pathRoute('/kept', 'first') })
  assert.equal(first.status, 201)
  assert.equal((await manage('PUT', `${ROUTES}/kept`, { body: pathRoute('/kept', 'old') })).status, 200)
  const before = contents(folder.path)
  const queried = (await manage('GET', `${ROUTES}?_queryFilter=true&_fields=*,_status`)).json

  folder.lock()
  const fails = changes('kept', 'new', first.json['_rev'])
  for (const [method, path, body] of fails) {
    assertServerError(await manage(method, path, { body }), `${method} ${path}`)
    assert.equal((await gateway.ask('/kept')).text, 'old')
    assert.deepEqual(contents(folder.path), before, 'no half file remains')
  }
  assert.equal((await gateway.ask('/new')).status, 404)
  assert.deepEqual((await manage('GET', `${ROUTES}?_queryFilter=true&_fields=*,_status`)).json, queried)
  const validated = await manage('POST', `${ROUTES}?_action=validate`, { body: pathRoute('/x', 'x') })
  assert.equal(validated.json['valid'], true)

  folder.unlock()
  for (const [method, path, body] of changes('kept', 'new', first.json['_rev'])) {
    const { status, text } = await manage(method, path, { body })
    assert.ok(status === 200 || status === 201, `${method} ${path}: ${status} ${text}`)
  }
  assert.equal((await gateway.ask('/new')).text, 'new')
  assert.equal((await gateway.ask('/kept')).status, 404)
})

test('F16: on a full disk changes are 5xx, the file is intact, all requests are served, and dropped log lines are counted', {
  skip: noDisk,
}, async () => {
  using disk = new SmallDisk(1024)
  const routes = disk.folder('routes')
  using instance = new TestInstance({ units: 2, admin: DEVELOPMENT, files: routerOn(routes) })
  symlinkSync(disk.folder('logs'), join(instance.directory, 'logs'))
  const output = join(disk.path, 'logs/gateway.log')
  await using gateway = await GatewayProcess.start({ instance, output })
  const manage = managing(`http://127.0.0.1:${gateway.adminPort}`)
  const put = (id: string, text: string) => manage('PUT', `${ROUTES}/${id}`, { body: pathRoute(`/${id}`, text) })
  assert.equal((await put('kept', 'old')).status, 201)
  await using load = new Load({
    url: `http://127.0.0.1:${gateway.port}`,
    connections: 4,
    targets: [{ path: '/kept', expected: '^200 - old$' }],
  })
  const before = contents(routes)
  disk.fill()
  for (let n = 0; n < 20; n++) {
    // Longer than the rest of the last page of the old file.
    assertServerError(await put('kept', 'x'.repeat(10_000)), 'PUT of a route that is there')
    assertServerError(await put(`new-${n}`, 'x'.repeat(10_000)), 'PUT of a new route')
  }
  const patch = [{ operation: 'replace', field: '/handler/config/entity', value: 'y'.repeat(10_000) }]
  assertServerError(await manage('PATCH', `${ROUTES}/kept`, { body: patch }), 'PATCH')
  assert.deepEqual(contents(routes), before)
  assert.equal((await gateway.ask('/new-1')).status, 404)

  const scrape = (await manage('GET', '/metrics/prometheus')).text
  assert.match(scrape, /^gw_log_write_failures_total\{thread="control"\} [1-9]/m)

  disk.free()
  assert.equal((await put('after', 'after')).status, 201)
  assert.equal((await gateway.ask('/after')).text, 'after')
  const { requests, wrong, wrongCount } = await load.stop()
  assert.equal(wrongCount, 0, wrong.join('\n'))
  assert.ok(requests > 0)
  await waitUntil('the log goes on', () => readFileSync(output, 'utf8').includes('"route":"after"'))
  assert.equal(gateway.hasEnded, false)
})

test('F17: clients that take all descriptors leave the others served, no thread spins, and when they go new ones come', {
  skip: noLimits,
}, async () => {
  const [limit, clients] = [256, 600]
  await using gateway = await GatewayProcess.start({
    units: 2,
    admin: DEVELOPMENT,
    routes: { old: pathRoute('/old', 'old') },
    under: ['prlimit', `--nofile=${limit}:${limit}`],
  })
  const routes = join(gateway.instance.directory, 'config/routes')
  using existing = disposable(new Agent({ keepAlive: true, maxSockets: 1 }))
  const manage = managing(`http://127.0.0.1:${gateway.adminPort}`)
  assert.equal((await gateway.ask('/old', { agent: existing.agent })).text, 'old')

  const closed: Promise<unknown>[] = []
  const sockets = Array.from({ length: clients }, () => {
    const socket = connect(gateway.port, '127.0.0.1').on('error', () => {})
    closed.push(once(socket, 'close'))
    return socket
  })
  try {
    await nth(closed, clients - limit)
    assert.ok(gateway.openFiles < limit, 'some descriptors are kept from clients')
    const [from, processor] = [performance.now(), gateway.processorTime]
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    const busy = (gateway.processorTime - processor) / (performance.now() - from)
    assert.ok(busy < 0.5, `the process was busy ${Math.round(busy * 100)} % of the time`)
    assert.equal((await gateway.ask('/old', { agent: existing.agent })).text, 'old')
    const put = await manage('PUT', `${ROUTES}/meanwhile`, { body: pathRoute('/meanwhile', 'x') })
    assert.equal(put.status, 201, 'the operator still gets in')
    await gateway.log.until(/too many open files; raise the limit/)
    const scrape = (await manage('GET', '/metrics/prometheus')).text
    assert.ok(Number(/^gw_connections_refused_total (\d+)$/m.exec(scrape)?.[1]) >= clients - limit)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  await untilServed(gateway, '/old')
  for (const text of Object.values(contents(routes))) JSON.parse(text)
  assert.equal((await manage('PUT', `${ROUTES}/after`, { body: pathRoute('/after', 'after') })).status, 201)
  assert.equal((await gateway.ask('/after')).text, 'after')
  assert.equal(gateway.hasEnded, false)
})

test('F17: connections to upstreams leave descriptors to files and to the management port', {
  skip: noLimits,
}, async () => {
  const limit = 256
  const upstream = createServer().listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const silent = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const handler = { type: 'ReverseProxyHandler', config: { connections: 1000, soTimeout: '1 minute' } }
  await using gateway = await GatewayProcess.start({
    units: 1,
    admin: DEVELOPMENT,
    routes: { silent: { baseURI: silent, handler } },
    under: ['prlimit', `--nofile=${limit}:${limit}`],
  })
  const manage = managing(`http://127.0.0.1:${gateway.adminPort}`)
  const sockets = Array.from({ length: limit }, () => connect(gateway.port, '127.0.0.1').on('error', () => {}))
  try {
    await gateway.log.until(/new connections closed: too many open files/)
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await gateway.log.until(/connection: too many open files, of 256; raise the limit/)
    assert.equal((await manage('GET', '/health/ready')).status, 200, 'the management port stays reachable')
    const put = await manage('PUT', `${ROUTES}/meanwhile`, { body: pathRoute('/meanwhile', 'x') })
    assert.equal(put.status, 201, 'files can be written')
  } finally {
    for (const socket of sockets) socket.destroy()
    upstream.close()
  }
})

test('F17: where no file can be opened changes are 5xx and change nothing; when it can, they work', {
  skip: noLimits,
}, async () => {
  await using gateway = await GatewayProcess.start({
    admin: { adminProtection: 'open', heap: [{ name: 'open', type: 'ChainOfFilters', config: { filters: [] } }] },
    files: { 'config/routes/old-file.json': { _id: 'old', ...pathRoute('/old', 'old') } },
  })
  const limit = (files: number | null) => {
    const hard = Number(/^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync(`/proc/${gateway.pid}/limits`, 'utf8'))?.[1])
    const { status, stderr } = spawnSync('prlimit', ['--pid', String(gateway.pid), `--nofile=${files ?? hard}:${hard}`])
    assert.equal(status, 0, String(stderr))
  }
  const routes = join(gateway.instance.directory, 'config/routes')
  using existing = disposable(new Agent({ keepAlive: true, maxSockets: 1 }))
  using admin = disposable(new Agent({ keepAlive: true, maxSockets: 1 }))
  const manage = managing(`http://127.0.0.1:${gateway.adminPort}`, { agent: admin.agent })
  const first = await manage('PUT', `${ROUTES}/kept`, { body: pathRoute('/kept', 'first') })
  const old = await manage('PUT', `${ROUTES}/kept`, { body: pathRoute('/kept', 'old') })
  assert.equal((await gateway.ask('/kept', { agent: existing.agent })).text, 'old')
  const before = contents(routes)

  limit(4)
  for (const [method, path, body] of changes('kept', 'new', first.json['_rev'])) {
    assertServerError(await manage(method, path, { body }), `${method} ${path}`)
    assert.equal((await gateway.ask('/kept', { agent: existing.agent })).text, 'old')
  }
  const headers = { 'If-Match': String(old.headers.etag) }
  assertServerError(
    await manage('PUT', `${ROUTES}/kept`, { headers, body: pathRoute('/kept', 'new') }),
    'PUT with If-Match',
  )
  assertServerError(await manage('DELETE', `${ROUTES}/old`), 'DELETE of a route whose file has another name')
  assert.equal((await manage('GET', `${ROUTES}/kept`)).headers.etag, old.headers.etag)
  limit(null)

  assert.deepEqual(contents(routes), before)
  assert.equal((await manage('PUT', `${ROUTES}/kept`, { headers, body: pathRoute('/kept', 'new') })).status, 200)
  assert.equal((await gateway.ask('/kept', { agent: existing.agent })).text, 'new')
  assert.equal((await manage('DELETE', `${ROUTES}/old`)).status, 200)
  assert.equal(gateway.hasEnded, false)
})

function disposable(agent: Agent): Disposable & { readonly agent: Agent } {
  return { agent, [Symbol.dispose]: () => agent.destroy() }
}

/** Resolves when so many promises have resolved. */
function nth(promises: readonly Promise<unknown>[], count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let done = 0
  for (const one of promises) void one.then(() => ++done === count && resolve())
  return promise
}

/** The gateway notices closed connections one by one. */
async function untilServed(gateway: GatewayProcess, path: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      assert.equal((await gateway.ask(path)).status, 200)
      return
    } catch (error) {
      if (tries === 200) throw error
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}
