// Routes in the spellings of OpenIG, ForgeRock IG and PingGateway: they load, warn and behave as in their own gateway. One gateway
// serves all of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DevelopmentAccessManager } from '#dev'
import { gateway as commandLine } from '#test/command-line'
import { type DialectRoute, dialectRoutes } from '#test/dialect-routes'
import { PASSWORD_PROPERTY, typePeers, typeRoutes } from '#test/dialect-types'
import { Folder } from '#test/folder'
import { RunningGateway } from '#test/gateway'
import { introspectionServer } from '#test/introspection-server'
import { httpUpstream, silentUpstream } from '#test/upstream'

/** A gateway with all routes of the table, and its peers. */
interface Started extends AsyncDisposable {
  readonly gateway: RunningGateway
  readonly routes: readonly DialectRoute[]
}

type Files = Record<string, object | string>

let started: Started

before(async () => {
  started = await start(async (files) => files)
})

after(() => started[Symbol.asyncDispose]())

async function start(prepare: (files: Files) => Promise<Files>): Promise<Started> {
  await using resources = new AsyncDisposableStack()
  const manager = resources.use(
    await DevelopmentAccessManager.start({ sessionProperties: ['AMCtxId', PASSWORD_PROPERTY] }),
  )
  const openam = resources.use(await DevelopmentAccessManager.start({ family: 'openam' }))
  manager.putPolicy({
    name: 'readers',
    resources: ['http://*:*/*'],
    actionValues: { GET: true },
    subject: { type: 'AuthenticatedUsers' },
  })
  const tokens = resources.use(await introspectionServer())
  tokens.tokens.set('good', { active: true, access_token: 'good', expires_in: 3_600, scope: ['mail'], realm: '/' })
  const echo = resources.use(
    await httpUpstream(({ url, headers }, response) => void response.end(JSON.stringify({ url, headers }))),
  )
  const closing = resources.use(await silentUpstream((socket) => void socket.destroy()))
  const types = resources.use(await typePeers())
  const routes = [
    ...dialectRoutes({ manager, openam, tokens, echo: echo.url, closing }),
    ...typeRoutes(types, manager, echo.url),
  ]
  const files = Object.fromEntries(routes.map(({ id, route }) => [id, withCondition(route, id)]))
  const gateway = resources.use(await RunningGateway.start({ routes: await prepare(files) }))
  const owned = resources.move()
  return { gateway, routes, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

function withCondition(route: object | string, id: string): object | string {
  const condition = `\${matches(request.uri.path, '^/${id}$')}`
  return typeof route === 'string' ? route.replaceAll('CONDITION', () => condition) : { name: id, condition, ...route }
}

test('every route of the table loads, warns as documented and serves requests as in its own gateway', async (t) => {
  const { gateway, routes } = started
  for (const each of routes) {
    await t.test(each.id, async () => {
      for (const warning of each.warnings) {
        const isLogged = warningsOf(gateway, each).some((message) => warning.test(message))
        assert.ok(isLogged, `no line matches ${warning}:\n${linesOf(gateway, each)}`)
      }
      await serves(gateway, each)
    })
  }
})

test('every route of the table behaves the same after its migration, without a deprecation', async (t) => {
  await using other = await start(migrated)
  for (const each of other.routes) {
    await t.test(each.id, async () => {
      const left = warningsOf(other.gateway, each).filter((message) => /deprecated|has no effect/.test(message))
      const unexpected = left.filter((message) => !(each.decisions ?? []).some((decision) => decision.test(message)))
      assert.deepEqual(unexpected, [])
      await serves(other.gateway, each)
    })
  }
})

/** The files after `gateway migrate`. */
async function migrated(files: Files): Promise<Files> {
  const name = (id: string) => `config/routes/${id}.json`
  const texts = Object.entries(files).map(
    ([id, route]) => [id, typeof route === 'string' ? route : JSON.stringify(route, null, 2)] as const,
  )
  using folder = new Folder(Object.fromEntries(texts.map(([id, text]) => [name(id), text])))
  const { code, stderr } = await commandLine(['migrate', '--write', folder.path])
  assert.equal(code, 0, stderr)
  const result = texts.map(([id]) => [id, folder.read(name(id))] as const)
  const again = await commandLine(['migrate', '--write', folder.path])
  assert.match(again.stderr, /^0 files /, again.stdout)
  return Object.fromEntries(result)
}

function warningsOf({ log }: RunningGateway, { id }: DialectRoute): string[] {
  return log.entries.map(({ message = '' }) => message).filter((message) => message.startsWith(`${id}.json:`))
}

function linesOf({ log }: RunningGateway, { id }: DialectRoute): string {
  return log.lines.filter((line) => line.includes(`${id}.json:`) || line.includes(`"${id}"`)).join('')
}

async function serves(gateway: RunningGateway, each: DialectRoute): Promise<void> {
  const { query = '', ...request } = each.request ?? {}
  let response = await gateway.ask(`/${each.id}${query}`, request)
  for (let time = 1; time < (each.times ?? 1); time++) response = await gateway.ask(`/${each.id}${query}`, request)
  assert.equal(response.status, each.status ?? 200, `${response.text}\n${linesOf(gateway, each)}`)
  if (each.text !== undefined) assert.match(response.text, each.text)
  if (each.location !== undefined) assert.match(response.headers.location ?? '', each.location)
  if (each.cookie !== undefined) assert.match(response.headers['set-cookie']?.[0] ?? '', each.cookie)
  if (each.header !== undefined) assert.match(String(response.headers[each.header[0]] ?? ''), each.header[1])
  each.check?.()
}

test('messages of a CaptureFilter are in the log', async () => {
  const { gateway } = started
  await gateway.ask('/capture-filter')
  await gateway.log.until(/\/capture-filter.*captured request/)
  await gateway.log.until(/CaptureFilter.*captured response/)
})

test('admin.json of other gateways: filters by name or field, body limits, unknown fields as warnings', async () => {
  const only = (header: string) => ({
    type: 'ConditionEnforcementFilter',
    config: { condition: `\${request.headers['${header}'] != null}` },
  })
  await using other = await RunningGateway.start({
    admin: {
      heap: [{ name: 'ApiProtectionFilter', ...only('x-api') }],
      metricsProtectionFilter: only('x-metrics'),
      studioProtectionFilter: only('x-studio'),
      openTelemetry: { tracing: { enabled: true } },
      preserveOriginalQueryString: true,
      pidFileMode: 'override',
      serveDeprecatedPrometheusEndpoint: true,
      adminMaxBodyLength: 5_000,
      maxBodyLength: 10,
      streamingEnabled: false,
      unknownFields: 'warn',
    },
    files: { 'secrets/gateway.admin.password': 'word' },
    routes: {
      unknown: {
        nonsense: true,
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'served', statu: 1 } },
      },
    },
  })
  const status = async (path: string, name: string) => [
    (await other.askAdmin(path)).status,
    (await other.askAdmin(path, { headers: { [name]: '1' } })).status,
  ]
  // decisions 9: the filter or the admin credentials.
  const admin = { Authorization: `Basic ${Buffer.from('admin:word').toString('base64')}` }
  for (const path of ['/api/info', '/metrics/prometheus', '/metrics/api?_queryFilter=true']) {
    assert.equal((await other.askAdmin(path, { headers: admin })).status, 200, path)
    assert.equal((await other.askAdmin(path, { headers: { Authorization: 'Bearer word' } })).status, 200, path)
    assert.equal((await other.askAdmin(path, { headers: { Authorization: 'Bearer wrong' } })).status, 403, path)
  }
  assert.deepEqual(await status('/api/info', 'x-api'), [403, 200])
  assert.deepEqual(await status('/metrics/prometheus', 'x-metrics'), [403, 200])
  assert.equal((await status('/studio/', 'x-studio'))[0], 403)
  assert.equal((await other.ask('/', { method: 'POST', body: 'x'.repeat(11) })).status, 413)
  const { status: served, text } = await other.ask('/', { method: 'POST', body: 'x'.repeat(10) })
  assert.deepEqual([served, text], [200, 'served'])
  await other.log.until(/unknown\.json:.*config\/statu: unknown field; did you mean .*ignored, since unknownFields/)
  await other.log.until(/unknown\.json:.*\/nonsense: unknown field.*ignored, since unknownFields/)
  assert.match((await other.askAdmin('/health/ready?verbose')).text, /unknownFields.*unknown fields are ignored/s)
  assert.match((await other.askAdmin('/api/info', { headers: { 'x-api': '1' } })).text, /"unknownFields":"warn"/)
})

test('secrets in clear text are in no log line and in no response of the management API but the route itself', async () => {
  const { gateway } = started
  const paths = [
    '/api/system/objects/_router/routes?_queryFilter=true&_fields=_status',
    '/api/info',
    '/health/ready?verbose',
  ]
  for (const path of paths) {
    const { text } = await gateway.askAdmin(path)
    assert.doesNotMatch(text, /open sesame/)
    assert.doesNotMatch(text, new RegExp(btoa('open sesame')))
  }
  assert.doesNotMatch(gateway.log.lines.join(''), /open sesame/)
  assert.doesNotMatch(gateway.log.lines.join(''), new RegExp(btoa('open sesame')))
})
