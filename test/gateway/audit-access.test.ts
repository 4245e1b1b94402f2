// The access events of a whole gateway: one for each request, whatever becomes of it.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { Validator } from '@cfworker/json-schema'
import type { JsonObject } from '#json'
import { RunningGateway } from '#test/gateway'

const SCHEMA = JSON.parse(readFileSync(new URL('../../schemas/audit-access.json', import.meta.url), 'utf8'))

const service = (directory: string, more: JsonObject = {}, name = 'file'): JsonObject => ({
  type: 'AuditService',
  config: {
    ...more,
    eventHandlers: [
      {
        class: 'org.vendor.audit.handlers.json.JsonAuditEventHandler',
        config: { name, topics: ['access', 'config'], logDirectory: directory },
      },
    ],
  },
})

/** Tests run in PRODUCTION mode: the management API wants its password. */
const PASSWORD = 'correct-horse'
const AS_ADMIN = { headers: { Authorization: `Bearer ${PASSWORD}` } }

const say = (status: number, more: JsonObject = {}) => ({
  type: 'StaticResponseHandler',
  config: { status, headers: { 'Content-Type': ['text/plain'] }, entity: 'ok' },
  ...more,
})

const at = (path: string, handler: JsonObject, more: JsonObject = {}): JsonObject => ({
  condition: `\${request.uri.path == '${path}'}`,
  handler,
  ...more,
})

/** config.json with these objects beside a router. */
const withHeap = (heap: readonly JsonObject[], files: Readonly<Record<string, string>> = {}) => ({
  'secrets/gateway.admin.password': PASSWORD,
  ...files,
  'config/config.json': { handler: '_router', heap: [...heap, { name: '_router', type: 'Router' }] } as JsonObject,
})

/** Waits until a trail has as many events, each of which satisfies the published schema. */
async function events(
  gateway: RunningGateway,
  count: number,
  directory = 'trail',
  topic = 'access',
): Promise<JsonObject[]> {
  const path = join(gateway.instance.directory, directory, `${topic}.audit.json`)
  const deadline = Date.now() + 20_000
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const lines = text.split('\n').filter((line) => line !== '')
    if (lines.length >= count) {
      assert.equal(lines.length, count, text)
      const found = lines.map((line) => JSON.parse(line) as JsonObject)
      const validator = new Validator(SCHEMA, '2020-12')
      if (topic === 'access') for (const event of found) assert.deepEqual(validator.validate(event).errors, [])
      return found
    }
    assert.ok(Date.now() < deadline, `${lines.length} of ${count} events within 20 s:\n${text}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const part = (event: JsonObject | undefined, name: string): JsonObject => (event?.[name] ?? {}) as JsonObject

/** Sends bytes and resolves with everything that came back. */
function exchangeRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
    socket.setTimeout(10_000, () => socket.destroy(new Error('no end of the response within 10 s')))
  })
}

test('each request leaves one event: routed, without a route, refused, malformed, denied, and with the service of its route', async () => {
  const denying = { type: 'ConditionEnforcementFilter', name: 'gate', config: { condition: '${false}' } }
  await using gateway = await RunningGateway.start({
    files: withHeap([
      { name: 'AuditService', ...service('trail') },
      { name: 'Silent', type: 'NoOpAuditService' },
      { name: 'Own', ...service('own', { compatibility: true }) },
    ]),
    routes: {
      hello: at('/hello', say(200)),
      denied: at('/denied', { type: 'Chain', config: { filters: [denying], handler: say(200) } }),
      forbidden: at('/forbidden', say(403, { name: 'sign' })),
      silent: at('/silent', say(200), { auditService: 'Silent' }),
      own: at('/own', say(200), { auditService: 'Own' }),
      unregistered: at('/unregistered', say(799)),
    },
  })
  const { url, port } = gateway
  const hello = await fetch(`${url}/hello?token=secret`, {
    headers: {
      Authorization: 'Bearer secret',
      Cookie: 'a=secret',
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    },
  })
  assert.equal(hello.status, 200)
  assert.equal((await fetch(`${url}/silent`)).status, 200)
  assert.equal((await fetch(`${url}/own`)).status, 200)
  assert.equal((await fetch(`${url}/nothing`)).status, 404)
  assert.equal((await fetch(`${url}/denied`)).status, 403)
  assert.equal((await fetch(`${url}/forbidden`)).status, 403)
  const unregistered = 'GET /unregistered HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  assert.match(await exchangeRaw(port, unregistered), /^HTTP\/1\.1 799/)
  assert.match(await exchangeRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'), /^HTTP\/1\.1 400/)
  assert.match(await exchangeRaw(port, 'TRACE /traced?token=secret HTTP/1.1\r\nHost: a\r\n\r\n'), /^HTTP\/1\.1 405/)
  assert.match(await exchangeRaw(port, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400/)
  assert.equal((await fetch(`${url}/gateway/reserved?token=secret`, { method: 'POST', body: 'x' })).status, 404)

  const found = await events(gateway, 9)
  const byPath = (path: string) =>
    found.find((event) => String(part(part(event, 'http'), 'request')['path']).endsWith(path))
  const first = byPath('/hello')
  assert.equal(first?.['traceId'], 'a'.repeat(32))
  assert.deepEqual(
    [part(first, 'gateway')['routeId'], part(first, 'gateway')['routeName'], part(first, 'response')['statusCode']],
    ['hello', 'hello', '200'],
  )
  assert.equal(part(first, 'client')['ip'], '127.0.0.1')
  assert.equal(part(first, 'server')['port'], port)
  assert.ok(!JSON.stringify(found).includes('secret'))
  assert.equal(part(byPath('/nothing'), 'response')['status'], 'FAILED')
  assert.equal(part(byPath('/nothing'), 'gateway')['routeId'], undefined)
  assert.equal(part(byPath('/unregistered'), 'response')['statusCode'], '799')
  const denied = part(part(byPath('/denied'), 'gateway'), 'decision')
  assert.equal(denied['result'], 'DENIED')
  assert.match(String(denied['by']), /gate/)
  assert.equal(denied['reason'], 'the condition is not true')
  assert.match(String(part(part(byPath('/forbidden'), 'gateway'), 'decision')['by']), /sign/)
  const refused = found.filter((event) => part(part(event, 'gateway'), 'decision')['by'] === 'listener')
  assert.deepEqual(
    refused.map((event) => {
      const { method, path } = part(part(event, 'http'), 'request')
      return [part(event, 'response')['statusCode'], method, path]
    }),
    [
      ['400', 'GET', '/'],
      ['405', 'TRACE', '/traced'],
      ['400', undefined, undefined],
      ['404', 'POST', `${url}/gateway/reserved`],
    ],
  )
  assert.deepEqual(part(part(part(refused.at(-1), 'http'), 'request'), 'headers')['host'], [new URL(url).host])
  const [own] = await events(gateway, 1, 'own')
  assert.equal(own?.['eventName'], 'OPENIG-HTTP-ACCESS')
  assert.equal(part(own, 'ig')['routeId'], 'own')
})

test('the service of a route below others has what they recorded: the request as it arrived, its user and its entries', async () => {
  const script = (source: string) => ({ type: 'ScriptableFilter', config: { type: 'application/x-groovy', source } })
  const before = script(`
    contexts.requestAudit.setUserId('ada')
    def extension = contexts.accessAuditExtension.extendWith('channel', 'web')
    request.method = 'PUT'
    request.headers['User-Agent'] = 'rewritten'
    return next.handle(context, request).thenOnResult { extension.extendWith('status', it.status.code) }`)
  await using gateway = await RunningGateway.start({
    files: {
      ...withHeap([{ name: 'AuditService', ...service('trail') }]),
      'config/inner/own.json': at('/own', say(200), { auditService: service('own') }) as never,
      'config/inner/silent.json': at('/silent', say(200), { auditService: { type: 'NoOpAuditService' } }) as never,
    },
    routes: {
      outer: {
        handler: {
          type: 'Chain',
          config: {
            filters: [before],
            handler: { type: 'Router', config: { directory: '&{gateway.instance.dir}/config/inner' } },
          },
        },
      },
    },
  })
  for (const path of ['/own', '/silent']) {
    assert.equal((await fetch(`${gateway.url}${path}`, { headers: { 'User-Agent': 'browser' } })).status, 200)
  }
  const [event] = await events(gateway, 1, 'own')
  const { method, headers } = part(part(event, 'http'), 'request')
  assert.deepEqual([method, (headers as JsonObject)['user-agent']], ['GET', ['browser']])
  assert.equal(event?.['userId'], 'ada')
  assert.deepEqual(part(part(event, 'gateway'), 'ext'), { channel: 'web', status: 200 })
  assert.equal(part(event, 'gateway')['routeId'], 'own')
})

test('auditService of admin.json names the caller of a management request, and why it was refused', async () => {
  await using gateway = await RunningGateway.start({
    files: { 'secrets/gateway.admin.password': PASSWORD },
    admin: { auditService: service('admin') },
  })
  const { adminUrl } = gateway
  const statuses: number[] = []
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(adminUrl + path, { redirect: 'manual', ...init })
    await response.arrayBuffer()
    statuses.push(response.status)
  }
  await send('/api/info', AS_ADMIN)
  await send('/api/info')
  await send('/api/system/objects/_router/routes/a', { method: 'DELETE', headers: { Origin: 'http://evil.test' } })
  await send('/api/studio/session?_action=login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: 'wrong' }),
  })
  // A page in place of the 401: not a refusal.
  await send('/')
  const recorded = await events(gateway, statuses.length, 'admin')
  // Requests that were refused before Common REST have no operation.
  assert.deepEqual(
    recorded.map((event) => event['request']),
    [
      { protocol: 'CREST', operation: 'READ' },
      undefined,
      undefined,
      { protocol: 'CREST', operation: 'ACTION', detail: { action: 'login' } },
      undefined,
    ],
  )
  const found = recorded.map((event) => {
    const { result, by, reason } = part(part(event, 'gateway'), 'decision')
    return [part(event, 'response')['statusCode'], event['userId'], result, by, reason]
  })
  assert.deepEqual(found, [
    ['200', 'admin', undefined, undefined, undefined],
    ['401', undefined, 'DENIED', 'admin', 'this needs the admin credentials'],
    ['403', undefined, 'DENIED', 'admin', 'changes are not taken from pages of another origin'],
    ['401', undefined, 'DENIED', 'admin', 'the user or the password is wrong'],
    [String(statuses.at(-1)), undefined, undefined, undefined, undefined],
  ])
})

test('a client that leaves before the response, or within its upload, is a failed request', async () => {
  await using gateway = await RunningGateway.start({
    admin: { streamingEnabled: false },
    files: withHeap([{ name: 'AuditService', ...service('trail') }], {
      'scripts/wait.js': "logger.info('script waits'); await new Promise(() => {})",
    }),
    routes: {
      slow: at('/slow', { type: 'ScriptableHandler', config: { type: 'application/javascript', file: 'wait.js' } }),
    },
  })
  const socket = connect(gateway.port, '127.0.0.1', () => socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'))
  await gateway.log.until(/script waits/)
  socket.destroy()
  const [event] = await events(gateway, 1)
  assert.deepEqual(part(event, 'response')['detail'], { reason: 'the client closed the connection' })
  assert.equal(part(event, 'response')['status'], 'FAILED')
  assert.equal(part(event, 'response')['statusCode'], undefined)
  const upload = connect(gateway.port, '127.0.0.1', () =>
    upload.end('POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\ncut'),
  )
  upload.resume()
  const cut = (await events(gateway, 2))[1]
  const { elapsedTime: _, ...response } = part(cut, 'response')
  assert.deepEqual(response, {
    status: 'FAILED',
    statusCode: '400',
    elapsedTimeUnits: 'MILLISECONDS',
    detail: { reason: 'the client closed the connection' },
  })
  assert.equal(part(part(cut, 'http'), 'request')['path'], 'http://a/upload')
  assert.equal(part(cut, 'gateway')['decision'], undefined)
})

test('OPTIONS * is a request for the server: its event has no path after the authority', async () => {
  await using gateway = await RunningGateway.start({
    files: withHeap([{ name: 'AuditService', ...service('trail') }]),
    routes: { all: { handler: say(200) } },
  })
  await exchangeRaw(gateway.port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  const [event] = await events(gateway, 1)
  assert.equal(part(part(event, 'http'), 'request')['path'], 'http://a')
})

test('changes of the configuration reach a service that handles the topic config', async () => {
  await using gateway = await RunningGateway.start({
    files: withHeap([{ name: 'AuditService', ...service('trail') }]),
  })
  gateway.instance.write('config/routes/new.json', at('/new', say(200)))
  await gateway.scan()
  const [event] = await events(gateway, 1, 'trail', 'config')
  assert.equal(event?.['eventName'], 'GATEWAY-CONFIG-CHANGE')
  assert.equal(event?.['operation'], 'CREATE')
})

test('a route that is refused at the start is an event of the topic config, though no unit serves yet', async () => {
  await using gateway = await RunningGateway.start({
    files: withHeap([{ name: 'AuditService', ...service('trail') }]),
    routes: { broken: { handler: 'Nope' } },
  })
  const [event] = await events(gateway, 1, 'trail', 'config')
  assert.equal(event?.['objectId'], 'system/objects/_router/routes/broken')
})

test('two services whose handlers write different files to one logDirectory are a load error', async () => {
  const disabled = {
    class: 'JsonStdoutAuditEventHandler',
    config: { name: 'off', topics: ['access'], enabled: false },
  }
  const { config } = service('trail', {}, 'other') as { config: { eventHandlers: JsonObject[] } }
  const eventHandlers = [disabled, ...config.eventHandlers]
  const twice = { name: 'Other', type: 'AuditService', config: { eventHandlers } }
  await assert.rejects(
    RunningGateway.start({
      files: withHeap([{ name: 'AuditService', ...service('trail') }, twice]),
    }).then((gateway) => gateway[Symbol.asyncDispose]()),
    /\/heap\/1\/config\/eventHandlers\/1\/config\/logDirectory: .*give each service a logDirectory of its own/,
  )
})

for (const [place, fields] of Object.entries({
  'the heap after its Router': {
    heap: [
      { name: '_router', type: 'Router' },
      { name: 'AuditService', ...service('trail') },
    ],
  },
  'a field': { heap: [{ name: '_router', type: 'Router' }], auditService: service('trail') },
}))
  test(`a route with another handler for the logDirectory of the service of config.json, in ${place}, is refused alone`, async () => {
    await using gateway = await RunningGateway.start({
      files: { 'config/config.json': { handler: '_router', ...fields } as JsonObject },
      routes: {
        twice: at('/twice', say(200), { heap: [{ name: 'AuditService', ...service('trail', {}, 'other') }] }),
        good: at('/good', say(200)),
      },
    })
    assert.match(String(gateway.problems('twice.json')), /give each service a logDirectory of its own/)
    assert.equal((await gateway.ask('/good')).status, 200)
    assert.equal((await gateway.ask('/twice')).status, 404)
    await events(gateway, 2)
  })

test('a route may rename its service and keep the logDirectory, and another route shares it', async () => {
  await using gateway = await RunningGateway.start({ units: 2 })
  const named = (name: string) =>
    at('/named', say(200), { heap: [{ name, ...service('renamed') }], auditService: name })
  await gateway.deploy('named', named('Old'))
  assert.equal((await gateway.ask('/named')).status, 200)
  await gateway.deploy('named', named('New'))
  assert.deepEqual(gateway.problems('named.json'), [])
  assert.equal((await gateway.ask('/named')).status, 200)
  await events(gateway, 2, 'renamed')
  await gateway.deploy(
    'other',
    at('/other', say(200), { heap: [{ name: 'X', ...service('renamed') }], auditService: 'X' }),
  )
  assert.deepEqual(gateway.problems('other.json'), [], 'routes share the folder and its writer')
  assert.equal((await gateway.ask('/other')).status, 200)
  await events(gateway, 3, 'renamed')
})

test('/api/audit/access queries the file of the service of config.json; a handler without queries gives 501', async () => {
  const stdout = { class: 'JsonStdoutAuditEventHandler', config: { name: 'out', topics: ['access'] } }
  const ecs = {
    class: 'JsonAuditEventHandler',
    config: { name: 'ecs', topics: ['access'], logDirectory: 'ecs', format: 'ecs' },
  }
  const others = {
    type: 'AuditService',
    config: { config: { handlerForQueries: 'ecs' }, eventHandlers: [stdout, ecs] },
  }
  await using gateway = await RunningGateway.start({
    files: withHeap([{ name: 'AuditService', ...service('trail') }]),
    routes: { hello: at('/hello', say(200)), missing: at('/missing', say(404)) },
  })
  for (const path of ['/hello', '/missing', '/hello']) await (await fetch(`${gateway.url}${path}`)).text()
  await events(gateway, 3)
  const filter = encodeURIComponent('/response/statusCode eq "200"')
  const queried = await fetch(`${gateway.adminUrl}/api/audit/access?_queryFilter=${filter}&_pageSize=1`, AS_ADMIN)
  assert.equal(queried.status, 200)
  const page = (await queried.json()) as JsonObject
  assert.equal(page['resultCount'], 1)
  assert.equal(typeof page['pagedResultsCookie'], 'string')
  const counted = await fetch(`${gateway.adminUrl}/api/audit/access?_queryFilter=true&_countOnly=true`, AS_ADMIN)
  assert.equal(((await counted.json()) as JsonObject)['totalPagedResults'], 3)
  assert.equal((await fetch(`${gateway.adminUrl}/api/audit/nothing?_queryFilter=true`, AS_ADMIN)).status, 404)

  await using other = await RunningGateway.start({ files: withHeap([{ name: 'AuditService', ...others }]) })
  const refused = await fetch(`${other.adminUrl}/api/audit/access?_queryFilter=true`, AS_ADMIN)
  assert.equal(refused.status, 501)
  assert.match(
    await refused.text(),
    /"ecs\\" does not support queries; configure a JsonAuditEventHandler of the format common for the topic/,
  )
})

test('without handlerForQueries the first handler that can be queried and takes the topic answers', async () => {
  const json = (name: string, topics: string[]) => ({
    class: 'JsonAuditEventHandler',
    config: { name, topics, logDirectory: name },
  })
  const eventHandlers = [json('changes', ['config']), json('traffic', ['access'])]
  await using gateway = await RunningGateway.start({
    files: withHeap([{ name: 'AuditService', type: 'AuditService', config: { eventHandlers } }]),
    routes: { hello: at('/hello', say(200)) },
  })
  await (await fetch(`${gateway.url}/hello`)).text()
  await events(gateway, 1, 'traffic')
  const queried = await fetch(`${gateway.adminUrl}/api/audit/access?_queryFilter=true`, AS_ADMIN)
  assert.equal(queried.status, 200)
  assert.equal(((await queried.json()) as JsonObject)['resultCount'], 1)
})
