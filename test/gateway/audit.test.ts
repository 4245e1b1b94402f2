// Audit of configuration changes (topic config): user, change and revisions, in files and in the collection.
import assert from 'node:assert/strict'
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { JsonObject } from '#json'
import { pathRoute, RunningGateway, textRoute } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { introspectionServer } from '#test/introspection-server'
import { type Managed, managing, ROUTES } from '#test/management'
import { SmallDisk } from '#test/small-disk'

const AUDIT = '/api/audit/config'
const PASSWORD = 'correct-horse'
const SECURED = { files: { 'secrets/gateway.admin.password': PASSWORD } }
const asAdmin = { headers: { Authorization: `Bearer ${PASSWORD}` } }

type Manage = ReturnType<typeof managing>

function clientOf(gateway: GatewayProcess): Manage {
  return managing(`http://127.0.0.1:${gateway.adminPort}`, asAdmin)
}

function trailOf({ instance }: { readonly instance: { readonly directory: string } }): string {
  return join(instance.directory, 'logs/audit/config.audit.json')
}

/** The events of the trail that match, in the order in which they happened. */
async function events(manage: Manage, filter = 'true', more = ''): Promise<JsonObject[]> {
  const { status, json, text } = await manage('GET', `${AUDIT}?_queryFilter=${encodeURIComponent(filter)}${more}`)
  assert.equal(status, 200, text)
  return json['results'] as JsonObject[]
}

/** The fields of an event that tests compare. */
function summaryOf(event: JsonObject | undefined) {
  const { operation, objectId, userId, authentication, previousRevision, revision, changedFields } = event ?? {}
  const { status, statusCode } = (event?.['response'] ?? {}) as JsonObject
  const path = String(objectId).replace('system/objects/_router/routes', '')
  return { operation, path, userId, authentication, previousRevision, revision, changedFields, status, statusCode }
}

const done = (statusCode: string) => ({ status: 'SUCCESSFUL', statusCode, userId: 'admin', authentication: 'bearer' })
const revisionOf = ({ json }: Managed) => json['_rev'] as string

test('each change over the management API is audited before its response: user, operation, previous and new revision', async () => {
  await using gateway = await GatewayProcess.start(SECURED)
  const manage = clientOf(gateway)
  const last = () => {
    const lines = readFileSync(trailOf(gateway), 'utf8').trimEnd().split('\n')
    return JSON.parse(lines.at(-1) as string) as JsonObject
  }

  const created = await manage('PUT', `${ROUTES}/one`, { body: pathRoute('/one', 'first') })
  assert.deepEqual(summaryOf(last()), {
    ...done('201'),
    operation: 'CREATE',
    path: '/one',
    previousRevision: undefined,
    revision: revisionOf(created),
    changedFields: ['/condition', '/handler'],
  })
  const event = last()
  assert.match(String(event['timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(event['eventName'], 'GATEWAY-CONFIG-CHANGE')
  assert.equal(typeof event['transactionId'], 'string')
  assert.equal((event['client'] as JsonObject)['ip'], '127.0.0.1')
  assert.ok(Number((event['client'] as JsonObject)['port']) > 0)

  const updated = await manage('PUT', `${ROUTES}/one`, { body: pathRoute('/one', 'second') })
  const changedFields = ['/handler/config/entity']
  const from = (before: Managed, after: Managed) => ({
    path: '/one',
    previousRevision: revisionOf(before),
    revision: revisionOf(after),
    changedFields,
  })
  assert.deepEqual(summaryOf(last()), { ...done('200'), operation: 'UPDATE', ...from(created, updated) })

  const patch = [{ operation: 'replace', field: '/handler/config/entity', value: 'third' }]
  const patched = await manage('PATCH', `${ROUTES}/one`, { body: patch })
  assert.deepEqual(summaryOf(last()), { ...done('200'), operation: 'PATCH', ...from(updated, patched) })

  const back = await manage('POST', `${ROUTES}/one?_action=rollback`, { body: { _rev: revisionOf(created) } })
  assert.deepEqual(summaryOf(last()), { ...done('200'), operation: 'ACTION', ...from(patched, created) })
  assert.equal(back.status, 200)
  assert.deepEqual(last()['request'], { protocol: 'CREST', operation: 'ACTION', detail: { action: 'rollback' } })

  await manage('DELETE', `${ROUTES}/one`)
  assert.deepEqual(summaryOf(last()), {
    ...done('200'),
    operation: 'DELETE',
    path: '/one',
    previousRevision: revisionOf(created),
    revision: undefined,
    changedFields: ['/condition', '/handler'],
  })

  const posted = await manage('POST', `${ROUTES}?_action=create`, { body: pathRoute('/made', 'made') })
  assert.deepEqual([summaryOf(last()).operation, summaryOf(last()).path], ['CREATE', `/${posted.json['_id']}`])
  const basic = { Authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}` }
  await manage('DELETE', `${ROUTES}/${posted.json['_id']}`, { headers: basic })
  assert.deepEqual([summaryOf(last()).userId, summaryOf(last()).authentication], ['admin', 'basic'])
  assert.equal((await gateway.log.until(/"operation":"delete"/))['user'], 'admin')

  const operations = (await events(manage)).map(({ operation }) => operation)
  assert.deepEqual(operations, ['CREATE', 'UPDATE', 'PATCH', 'ACTION', 'DELETE', 'CREATE', 'DELETE'])
  assert.deepEqual(
    readdirSync(join(gateway.instance.directory, 'logs/audit')).map((name) => [
      name,
      statSync(join(gateway.instance.directory, 'logs/audit', name)).mode & 0o777,
    ]),
    [['config.audit.json', 0o600]],
  )
  assert.equal(statSync(join(gateway.instance.directory, 'logs/audit')).mode & 0o777, 0o700)

  gateway.kill('SIGTERM')
  await gateway.exit
  await using again = await GatewayProcess.start({ instance: gateway.instance })
  await clientOf(again)('PUT', `${ROUTES}/two`, { body: pathRoute('/two', 'later') })
  const all = await events(clientOf(again))
  assert.deepEqual(
    all.map(({ operation }) => operation),
    [...operations, 'CREATE'],
  )
  assert.equal(new Set(all.map(({ _id: id }) => id)).size, all.length)
})

test('refused changes are audited with the status and the pointers of the problems; reads are not', async () => {
  await using gateway = await RunningGateway.start(SECURED)
  const manage = managing(gateway.adminUrl, asAdmin)
  await manage('PUT', `${ROUTES}/one`, { body: pathRoute('/one', 'first') })
  await manage('PUT', `${ROUTES}/one`, { body: { handler: { type: 'NoSuchHandler' } } })
  await manage('PUT', `${ROUTES}/one`, { body: pathRoute('/x', 'x'), headers: { 'If-Match': '"another"' } })
  await manage('PUT', `${ROUTES}/one`, { body: pathRoute('/x', 'x'), headers: { 'If-None-Match': '*' } })
  await manage('DELETE', `${ROUTES}/none`)
  await manage('PATCH', `${ROUTES}/one`, { body: [{ operation: 'replace', field: '/_id', value: 'x' }] })
  await manage('POST', `${ROUTES}/one?_action=rollback`, { body: { _rev: 'unknown' } })
  await manage('POST', `${ROUTES}?_action=create`, { body: { _id: 'one', ...pathRoute('/x', 'x') } })
  const found = await events(manage)
  assert.deepEqual(
    found.map((event) => [
      summaryOf(event).operation,
      summaryOf(event).path,
      summaryOf(event).status,
      summaryOf(event).statusCode,
    ]),
    [
      ['CREATE', '/one', 'SUCCESSFUL', '201'],
      ['UPDATE', '/one', 'FAILED', '400'],
      ['UPDATE', '/one', 'FAILED', '412'],
      ['CREATE', '/one', 'FAILED', '412'],
      ['DELETE', '/none', 'FAILED', '404'],
      ['PATCH', '/one', 'FAILED', '400'],
      ['ACTION', '/one', 'FAILED', '404'],
      ['CREATE', '', 'FAILED', '409'],
    ],
  )
  const refused = (found[1] as JsonObject)['response'] as JsonObject
  assert.deepEqual(refused['detail'], { pointers: ['/handler/type'] })
  for (const event of found.slice(1)) assert.equal(summaryOf(event).revision, undefined)

  await manage('GET', `${ROUTES}?_queryFilter=true`)
  await manage('POST', `${ROUTES}?_action=validate`, { body: pathRoute('/x', 'x') })
  await manage('POST', `${ROUTES}?_action=explain`, { body: { uri: '/one' } })
  await manage('PUT', `${ROUTES}/one`, { body: pathRoute('/x', 'x'), headers: { Authorization: 'Bearer guess' } })
  assert.equal((await events(manage)).length, found.length)
})

test('changes of route files are audited too, without a user; so are files that do not load', async () => {
  const inner = { name: 'in.ner', type: 'Router', config: { directory: '&{gateway.instance.dir}/config/inner' } }
  await using gateway = await RunningGateway.start({
    ...SECURED,
    routes: { old: pathRoute('/old', 'old'), 'out.er': { handler: 'in.ner', heap: [inner] } },
  })
  const manage = managing(gateway.adminUrl, asAdmin)
  assert.deepEqual(await events(manage), [])
  await gateway.deploy('new', pathRoute('/new', 'one'))
  const text = JSON.stringify(pathRoute('/new', 'two'))
  await gateway.deploy('new', `// Files may have comments.\n${text}`)
  const current = revisionOf(await manage('GET', `${ROUTES}/new`))
  await gateway.deploy('new', '{ "handler": ')
  await gateway.scan()
  await gateway.undeploy('new')
  gateway.instance.write('config/inner/deep.json', pathRoute('/deep', 'deep'))
  await gateway.scan()

  const found = await events(manage)
  const file = (name: string) => ({ protocol: 'FILE', detail: { file: name } })
  assert.deepEqual(
    found.map((event) => [
      summaryOf(event).operation,
      summaryOf(event).path,
      summaryOf(event).status,
      summaryOf(event).changedFields,
    ]),
    [
      ['CREATE', '/new', 'SUCCESSFUL', ['/condition', '/handler']],
      ['UPDATE', '/new', 'SUCCESSFUL', ['/handler/config/entity']],
      ['UPDATE', '/new', 'FAILED', []],
      ['DELETE', '/new', 'SUCCESSFUL', ['/condition', '/handler']],
      ['CREATE', '/out.er/objects/in.ner/routes/deep', 'SUCCESSFUL', ['/condition', '/handler']],
    ],
  )
  assert.deepEqual([summaryOf(found[1]).revision, summaryOf(found[2]).previousRevision], [current, current])
  for (const event of found) {
    assert.deepEqual(
      [summaryOf(event).authentication, summaryOf(event).userId, event['client']],
      ['file', undefined, undefined],
    )
  }
  assert.deepEqual(found[0]?.['request'], { operation: 'CREATE', ...file('new.json') })
})

test('many files that change at once are all audited', async () => {
  await using gateway = await RunningGateway.start(SECURED)
  for (let n = 0; n < 1_500; n++) gateway.instance.writeRoute(`r${n}`, pathRoute(`/r${n}`, 'x'))
  await gateway.scan()
  const manage = managing(gateway.adminUrl, asAdmin)
  const { json } = await manage('GET', `${AUDIT}?_queryFilter=operation+eq+%22CREATE%22&_countOnly=true`)
  assert.equal(json['resultCount'], 1_500)
  assert.equal(await gateway.metric('gw_audit_lost_total'), 0)
})

test('a loopback client without credentials has no userId', async () => {
  await using gateway = await RunningGateway.start({ admin: { mode: 'DEVELOPMENT' } })
  const manage = managing(gateway.adminUrl, { headers: { Authorization: 'Basic cm9vdDpyb290' } })
  await manage('PUT', `${ROUTES}/one`, { body: pathRoute('/one', 'one') })
  const [event] = await events(manage)
  assert.deepEqual([summaryOf(event).authentication, summaryOf(event).userId], ['loopback', undefined])
})

test('adminProtection: the user is the one that its filters set', async () => {
  await using server = await introspectionServer()
  server.tokens.set('carols', { active: true, scope: 'manage', sub: 'carol' })
  const accessTokenResolver = {
    type: 'TokenIntrospectionAccessTokenResolver',
    config: { endpoint: server.endpoint, providerHandler: 'ClientHandler' },
  }
  const config = { scopes: ['manage'], requireHttps: false, accessTokenResolver }
  await using gateway = await RunningGateway.start({
    admin: { adminProtection: 'guard', heap: [{ name: 'guard', type: 'OAuth2ResourceServerFilter', config }] },
  })
  const manage = managing(gateway.adminUrl, { headers: { Authorization: 'Bearer carols' } })
  assert.equal((await manage('PUT', `${ROUTES}/one`, { body: pathRoute('/one', 'one') })).status, 201)
  const [event] = await events(manage)
  assert.deepEqual([summaryOf(event).authentication, summaryOf(event).userId], ['adminProtection', 'carol'])
  assert.doesNotMatch(readFileSync(trailOf(gateway), 'utf8'), /carols/)
})

test('B85: no value of the configuration and no credential is in audit files or responses', async () => {
  await using gateway = await RunningGateway.start(SECURED)
  const manage = managing(gateway.adminUrl, asAdmin)
  const secret = 'hunter2-hunter2'
  const route = (value: string) => textRoute(value, { condition: `\${'${value}' == 'x'}`, heap: [] })
  await manage('PUT', `${ROUTES}/one`, { body: route(secret) })
  await manage('PUT', `${ROUTES}/one`, { body: route(`${secret}!`) })
  await manage('PUT', `${ROUTES}/one`, { body: { ...route(secret), name: [secret] } })
  await manage('PUT', `${ROUTES}/one`, { body: { handler: { type: secret, config: { entity: secret } } } })
  const patch = [{ operation: 'replace', field: '/handler/config/entity', value: { x: secret } }]
  await manage('PATCH', `${ROUTES}/one`, { body: patch, headers: { Cookie: secret, 'X-Api-Key': secret } })
  await gateway.deploy('two', route(secret))
  await gateway.deploy('two', { handler: { type: secret } })
  await gateway.deploy('two', `{ "handler": ${secret}`)
  const text = readFileSync(trailOf(gateway), 'utf8') + JSON.stringify(await events(manage))
  assert.ok((await events(manage)).length >= 8)
  assert.equal(text.includes(secret), false)
  assert.equal(text.includes(PASSWORD), false)
})

test('B87: names that try to forge lines or fields are data in one line', async () => {
  await using gateway = await RunningGateway.start({ ...SECURED, admin: { trustTransactionHeader: true } })
  const manage = managing(gateway.adminUrl, asAdmin)
  const forged = 'x"}{"userId":"root"}\u2028\u202e\ufeff'
  await manage('PUT', `${ROUTES}/${encodeURIComponent(forged)}`, { body: textRoute('x') })
  await manage('DELETE', `${ROUTES}/${encodeURIComponent('y'.repeat(900))}`)
  const headers = { 'X-Vendor-TransactionId': 'a"}{"userId":"root' }
  await manage('PUT', `${ROUTES}/ok`, { body: textRoute('x', { [forged]: 1 }), headers })
  const fileName = '\r\n{"userId":"root"}\u001b[2J\u0085'
  await gateway.deploy(fileName, textRoute('x'))
  const text = readFileSync(trailOf(gateway), 'utf8')
  assert.doesNotMatch(text, /[\r\u001b\u0085\u2028\u202e\ufeff]/)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject)
  assert.deepEqual(
    lines.map(({ userId }) => userId),
    ['admin', 'admin', 'admin', undefined],
  )
  assert.deepEqual([summaryOf(lines[0]).path, summaryOf(lines[3]).path], [`/${forged}`, `/${fileName}`])
  assert.ok(String(summaryOf(lines[1]).path).length < 520)
})

test('a full file is rotated and old ones are deleted; a truncated last line is skipped', async () => {
  const time = '2026-01-01T00:00:00.000Z'
  const line = (id: string) => `${JSON.stringify({ _id: id, timestamp: time, filler: 'x'.repeat(1_000) })}\n`
  const full = Array.from({ length: 7_600 }, (_, n) => line(`old-${n}`)).join('')
  const aside = (n: number) => `logs/audit/config.audit.json-2026.01.0${n}-00.00.00.000`
  const old = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [aside(n + 1), line(`aside-${n + 1}`)]))
  await using gateway = await GatewayProcess.start({
    files: { ...SECURED.files, ...old, 'logs/audit/config.audit.json': `${full}{"_id":"cut","timest` },
  })
  const manage = clientOf(gateway)
  const put = (text: string) => manage('PUT', `${ROUTES}/one`, { body: pathRoute('/one', text) })
  await put('one')
  assert.equal((await events(manage, '_id sw "old-"', '&_countOnly=true')).length, 0)
  const files = () => readdirSync(join(gateway.instance.directory, 'logs/audit')).sort()
  assert.equal(files().length, 1 + 7)
  assert.ok(statSync(trailOf(gateway)).size > 8_000_000)
  // As after many changes.
  appendFileSync(trailOf(gateway), `\n${line('filling').repeat(400)}`)
  await put('two')
  assert.equal(files().length, 1 + 7)
  assert.ok(statSync(trailOf(gateway)).size < 10_000)
  assert.equal((await manage('GET', `${AUDIT}/aside-1`)).status, 404)
  assert.equal((await manage('GET', `${AUDIT}/aside-2`)).status, 200)
  assert.equal((await manage('GET', `${AUDIT}/cut`)).status, 404)
  const { json } = await manage('GET', `${AUDIT}?_queryFilter=true&_countOnly=true`)
  assert.equal(json['resultCount'], 6 + 7_600 + 1 + 400 + 1)
  const latest = await events(manage, 'true', '&_sortKeys=-timestamp&_pageSize=2')
  assert.deepEqual(
    latest.map((event) => summaryOf(event).operation),
    ['UPDATE', 'CREATE'],
  )
})

test('F16: where audit files can not be written, changes are made, the outage is logged once and counted, and no event is lost', async () => {
  await using gateway = await GatewayProcess.start(SECURED)
  const manage = clientOf(gateway)
  const logs = join(gateway.instance.directory, 'logs')
  writeFileSync(logs, 'in the way')
  for (const text of ['one', 'two', 'three']) {
    assert.ok((await manage('PUT', `${ROUTES}/one`, { body: pathRoute('/one', text) })).status < 300)
  }
  assert.equal((await gateway.ask('/one')).text, 'three')
  assert.equal(gateway.log.with(/GW_AUDIT_DELIVERY_FAILED/).length, 1)
  const scrape = (await gateway.askAdmin('/metrics/prometheus/0.0.4')).text
  assert.match(scrape, /^gw_audit_failures_total\{handler="config-trail"\} [1-9]/m)
  assert.match(scrape, /^gw_audit_queued\{handler="config-trail"\} 3$/m)
  assert.match(scrape, /^gw_audit_lost_total\{handler="config-trail",reason="full"\} 0$/m)
  rmSync(logs)
  await manage('DELETE', `${ROUTES}/one`)
  const operations = (await events(manage)).map(({ operation }) => operation)
  assert.deepEqual(operations, ['CREATE', 'UPDATE', 'UPDATE', 'DELETE'])
  await gateway.log.until(/audit events are delivered again/)
})

test('F16, F17: a disk that is full or read-only', { skip: SmallDisk.isMissing }, async () => {
  using disk = new SmallDisk(256)
  await using gateway = await GatewayProcess.start(SECURED)
  symlinkSync(disk.folder('logs'), join(gateway.instance.directory, 'logs'))
  const manage = clientOf(gateway)
  const put = async (text: string) => {
    const { status } = await manage('PUT', `${ROUTES}/one`, { body: pathRoute('/one', text) })
    assert.ok(status < 300, String(status))
  }
  await put('one')
  disk.fill()
  for (let n = 0; n < 20; n++) await put(`full ${n}`)
  disk.free()
  await put('two')
  disk.remount('ro')
  await put('three')
  disk.remount('rw')
  await put('four')
  const found = await events(manage)
  assert.equal(found.length, 24)
  assert.equal(new Set(found.map(({ _id: id }) => id)).size, 24)
  for (const [n, event] of found.entries()) {
    if (n > 0) assert.equal(summaryOf(event).previousRevision, summaryOf(found[n - 1]).revision)
  }
})

test('the collection is described, reads by id, pages, and is read-only; other topics are 404', async () => {
  await using gateway = await RunningGateway.start(SECURED)
  const manage = managing(gateway.adminUrl, asAdmin)
  for (let n = 0; n < 5; n++) await manage('PUT', `${ROUTES}/r${n}`, { body: pathRoute(`/r${n}`, 'x') })
  const all = await events(manage)
  const [, second] = all
  const read = await manage('GET', `${AUDIT}/${second?.['_id']}`)
  assert.deepEqual([read.status, read.json, read.headers['cache-control']], [200, second, 'no-store'])
  const page = await manage('GET', `${AUDIT}?_queryFilter=true&_pageSize=2&_sortKeys=-objectId&_fields=objectId`)
  const results = page.json['results'] as JsonObject[]
  assert.deepEqual(
    results.map(({ objectId }) => String(objectId).slice(-2)),
    ['r4', 'r3'],
  )
  assert.deepEqual(Object.keys(results[0] ?? {}).sort(), ['_id', 'objectId'])
  const next = `&_pagedResultsCookie=${page.json['pagedResultsCookie']}`
  const rest = await manage('GET', `${AUDIT}?_queryFilter=true&_pageSize=10&_sortKeys=-objectId${next}`)
  assert.equal((rest.json['results'] as JsonObject[]).length, 3)

  const { valid, errors } = await new Validator().validate((await manage('GET', `${AUDIT}?_api`)).json)
  assert.equal(valid, true, JSON.stringify(errors))
  assert.equal((await manage('GET', `${AUDIT}?_crestapi`)).json['id'], 'frapi:gateway:audit:config')
  for (const [method, path, status] of [
    ['PUT', `${AUDIT}/x`, 501],
    ['PATCH', `${AUDIT}/x`, 501],
    ['DELETE', `${AUDIT}/x`, 501],
    ['DELETE', AUDIT, 405],
    ['POST', `${AUDIT}?_action=create`, 501],
    ['GET', '/api/audit', 204],
    ['GET', '/api/audit/', 404],
    ['GET', '/api/audit/access?_queryFilter=true', 404],
    ['GET', '/api/audit/__proto__?_queryFilter=true', 404],
    ['GET', '/api/audit/..%2f..%2fsecrets?_queryFilter=true', 400],
    ['GET', `${AUDIT}?_queryFilter=nonsense`, 400],
  ] as const) {
    const body = method === 'PUT' ? { body: {} } : {}
    assert.equal((await manage(method, path, body)).status, status, `${method} ${path}`)
  }
  assert.deepEqual(await events(manage), all)
  const stranger = await manage('GET', `${AUDIT}?_queryFilter=true`, { headers: { Authorization: 'Bearer guess' } })
  assert.equal(stranger.status, 401)
})
