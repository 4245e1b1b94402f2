import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { JsonObject, JsonValue } from '#json'
import { pathRoute, RunningGateway, textRoute } from '#test/gateway'
import { PROBE_EXTENSION } from '#test/probe-extension'
import type { ReceivedResponse } from '#test/send-request'
import { waitUntil } from '#test/waiting'

const ROUTES = '/api/system/objects/_router/routes'
const PASSWORD = 'correct-horse'

interface Asked {
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly raw?: string
}

/** A client of the management API. */
function manager(gateway: RunningGateway) {
  return async (
    method: string,
    path: string,
    { headers = {}, body, raw }: Asked = {},
  ): Promise<ReceivedResponse & { json: JsonObject }> => {
    const sent = body === undefined ? raw : JSON.stringify(body)
    const answer = await gateway.askAdmin(path, {
      method,
      headers: {
        Authorization: `Bearer ${PASSWORD}`,
        ...(sent !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(sent)),
        }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    })
    return { ...answer, json: answer.text.startsWith('{') ? (JSON.parse(answer.text) as JsonObject) : {} }
  }
}

const idsOf = (json: JsonObject) => (json['results'] as JsonObject[]).map(({ _id: id }) => id)
const problemsOf = (json: JsonObject) =>
  ((json['detail'] as JsonObject)['problems'] as JsonObject[]).map(({ pointer }) => pointer)

describe('routes over Common REST', () => {
  let gateway: RunningGateway
  let ask: ReturnType<typeof manager>
  let folder: string

  before(async () => {
    gateway = await RunningGateway.start({
      units: 2,
      files: { 'secrets/gateway.admin.password': PASSWORD },
      routes: { 'from-file': pathRoute('/from-file', 'file') },
    })
    ask = manager(gateway)
    folder = join(gateway.instance.directory, 'config/routes')
  })

  after(() => gateway[Symbol.asyncDispose]())

  const files = () => readdirSync(folder).sort()
  const stored = (id: string) => JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8')) as JsonValue

  test('a created route is served by every unit when the response arrives, and stored in a file named by its id', async () => {
    const { status, json, headers } = await ask('PUT', `${ROUTES}/new`, { body: pathRoute('/new', 'one') })
    assert.equal(status, 201)
    assert.deepEqual([json['_id'], headers.etag], ['new', `"${json['_rev']}"`])
    assert.equal(headers.location, `${gateway.adminUrl}${ROUTES}/new`)
    for (let n = 0; n < 10; n++) assert.equal((await gateway.ask('/new')).text, 'one')
    assert.deepEqual(stored('new'), { _id: 'new', ...pathRoute('/new', 'one') })
  })

  test('PUT without headers updates it, and reads return it as stored', async () => {
    await ask('PUT', `${ROUTES}/updated`, { body: pathRoute('/updated', 'one') })
    assert.equal((await ask('PUT', `${ROUTES}/updated`, { body: pathRoute('/updated', 'two') })).status, 200)
    assert.equal((await gateway.ask('/updated')).text, 'two')
    const { json } = await ask('GET', `${ROUTES}/updated`)
    const { _rev: _, ...route } = json
    assert.deepEqual(route, { _id: 'updated', ...pathRoute('/updated', 'two') })
  })

  test('POST uses the id of the body or generates one; an existing id is 409', async () => {
    const made = await ask('POST', `${ROUTES}?_action=create`, { body: pathRoute('/made', 'made') })
    assert.equal(made.status, 201)
    assert.ok(existsSync(join(folder, `${made.json['_id']}.json`)))
    assert.equal((await gateway.ask('/made')).text, 'made')
    assert.equal((await ask('POST', ROUTES, { body: { _id: 'posted', ...pathRoute('/p', 'p') } })).status, 201)
    assert.equal((await ask('POST', ROUTES, { body: { _id: 'posted', ...pathRoute('/p', 'p') } })).status, 409)
  })

  test('If-None-Match: * creates only, If-Match updates only the given revision', async () => {
    const put = (n: string, headers: Record<string, string>) =>
      ask('PUT', `${ROUTES}/versions`, { headers, body: pathRoute('/v', n) })
    assert.equal((await put('0', { 'If-Match': '*' })).status, 404)
    const first = await put('1', { 'If-None-Match': '*' })
    assert.equal(first.status, 201)
    assert.equal((await put('2', { 'If-None-Match': '*' })).status, 412)
    assert.equal((await put('2', { 'If-Match': '"other"' })).status, 412)
    assert.equal((await put('2', { 'If-Match': first.headers.etag as string })).status, 200)
    assert.equal((await put('3', { 'If-Match': first.headers.etag as string })).status, 412)
    assert.equal((await gateway.ask('/v')).text, '2')
    const current = (await ask('GET', `${ROUTES}/versions`)).headers.etag as string
    assert.equal((await ask('GET', `${ROUTES}/versions`, { headers: { 'If-None-Match': current } })).status, 304)
  })

  test('a revision is that of the file, also after a change by hand', async () => {
    const { headers } = await ask('PUT', `${ROUTES}/by-hand`, { body: pathRoute('/by-hand', 'one') })
    writeFileSync(join(folder, 'by-hand.json'), JSON.stringify(pathRoute('/by-hand', 'hand')))
    const put = await ask('PUT', `${ROUTES}/by-hand`, {
      headers: { 'If-Match': headers.etag as string },
      body: textRoute('two'),
    })
    assert.equal(put.status, 412)
  })

  test('a deleted route is not served, has no file, and is the body of the response', async () => {
    await ask('PUT', `${ROUTES}/deleted`, { body: pathRoute('/deleted', 'x') })
    assert.equal((await ask('DELETE', `${ROUTES}/deleted`, { headers: { 'If-Match': '"other"' } })).status, 412)
    const { status, json } = await ask('DELETE', `${ROUTES}/deleted`)
    assert.deepEqual([status, json['_id'], json['handler']], [200, 'deleted', pathRoute('/deleted', 'x')['handler']])
    assert.equal((await gateway.ask('/deleted')).status, 404)
    assert.equal(existsSync(join(folder, 'deleted.json')), false)
    assert.equal((await ask('DELETE', `${ROUTES}/deleted`)).status, 404)
  })

  test('patches of many clients at a time are all applied', async () => {
    await ask('PUT', `${ROUTES}/counted`, { body: { ...pathRoute('/counted', 'x'), properties: { count: 0 } } })
    const body = [{ operation: 'increment', field: '/properties/count', value: 1 }]
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await ask('PATCH', `${ROUTES}/counted`, { body })).status),
    )
    assert.deepEqual(new Set(statuses), new Set([200]))
    assert.deepEqual((await ask('GET', `${ROUTES}/counted`)).json['properties'], { count: 20 })
  })

  test('a patch changes the served route', async () => {
    await ask('PUT', `${ROUTES}/patched`, { body: pathRoute('/patched', 'one') })
    const patch = [{ operation: 'replace', field: '/handler/config/entity', value: 'two' }]
    assert.equal((await ask('PATCH', `${ROUTES}/patched`, { body: patch })).status, 200)
    assert.equal((await gateway.ask('/patched')).text, 'two')
    const object = { name: 'one-more', type: 'WelcomeHandler' }
    const more = await ask('PATCH', `${ROUTES}/patched`, {
      body: [{ operation: 'add', field: '/heap/-', value: object }],
    })
    assert.deepEqual(more.json['heap'], [object], 'a list that is not there is made where its end is meant')
    const rows: readonly (readonly [JsonValue, number])[] = [
      [[{ operation: 'replace', field: '/handler/config/status', value: 'many' }], 400],
      [[{ operation: 'remove', field: '/handler' }], 400],
      [[{ operation: 'add', field: '/_id', value: 'other' }], 400],
      [[{ operation: 'copy', field: '/a', from: '/missing' }], 409],
      [
        [{ operation: 'transform', field: '/condition', value: { script: { type: 'x', file: '../../etc/passwd' } } }],
        403,
      ],
    ]
    for (const [body, status] of rows) assert.equal((await ask('PATCH', `${ROUTES}/patched`, { body })).status, status)
    assert.equal((await gateway.ask('/patched')).text, 'two')
  })

  test('a route that does not load is 400 with its problems, and nothing changes', async () => {
    await ask('PUT', `${ROUTES}/good`, { body: pathRoute('/good', 'good') })
    const before = files()
    const bad = { condition: '${', handler: { type: 'Nothing' } }
    const { status, json } = await ask('PUT', `${ROUTES}/good`, { body: bad })
    assert.equal(status, 400)
    assert.deepEqual(problemsOf(json).sort(), ['/condition', '/handler/type'])
    assert.equal((await ask('PUT', `${ROUTES}/worse`, { body: bad })).status, 400)
    assert.equal((await ask('PUT', `${ROUTES}/worse`, { body: {} })).status, 400)
    assert.deepEqual(files(), before)
    assert.equal((await gateway.ask('/good')).text, 'good')
    assert.deepEqual(stored('good'), { _id: 'good', ...pathRoute('/good', 'good') })
  })

  test('an existing name, or an id that differs only in case, is 409', async () => {
    await ask('PUT', `${ROUTES}/named`, { body: pathRoute('/named', 'x', { name: 'the name' }) })
    const taken = await ask('PUT', `${ROUTES}/other`, { body: pathRoute('/other', 'x', { name: 'the name' }) })
    assert.equal(taken.status, 409)
    assert.equal((await ask('PUT', `${ROUTES}/Named`, { body: pathRoute('/other', 'x') })).status, 409)
    assert.equal((await ask('PUT', `${ROUTES}/FROM-FILE`, { body: pathRoute('/other', 'x') })).status, 409)
    assert.equal((await ask('GET', `${ROUTES}/Named`)).status, 404)
    assert.equal(existsSync(join(folder, 'other.json')), false)
  })

  const ids = [
    '..',
    '../x',
    'a/b',
    'a%2fb',
    '%2e%2e%2fx',
    '%2e%2e',
    'a%00b',
    'CON',
    'nul.x',
    'x'.repeat(129),
    'x'.repeat(10_000),
    '.hidden',
    'trailing%20',
    'default',
    'DEFAULT',
    '__proto__',
    '%c3%a9',
    'e%cc%81',
    'a%5cb',
    '%ff',
    '',
  ]
  for (const id of ids) {
    test(`B75: the id ${JSON.stringify(id.slice(0, 20))} is rejected, and no file is created`, async () => {
      const before = [files(), readdirSync(join(folder, '..')), readdirSync(gateway.instance.directory)]
      const { status } = await ask('PUT', `${ROUTES}/${id}`, { body: pathRoute('/x', 'x') })
      assert.ok([400, 404, 405, 414, 431].includes(status), String(status))
      if (!id.includes('%') && id !== '') {
        assert.ok((await ask('POST', ROUTES, { body: { _id: id, ...pathRoute('/x', 'x') } })).status === 400)
      }
      assert.deepEqual([files(), readdirSync(join(folder, '..')), readdirSync(gateway.instance.directory)], before)
    })
  }

  test('B76: a heap object or member called __proto__ is data', async () => {
    const raw = `{"__proto__":{"polluted":1},"condition":"\${false}","heap":[],"handler":{"type":"StaticResponseHandler","config":{"status":200}}}`
    const { status } = await ask('PUT', `${ROUTES}/proto`, { raw })
    assert.ok(status === 201 || status === 400)
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  })

  test('queries filter, sort, page, count and select fields; without sort keys in the order of evaluation', async () => {
    for (const name of ['q-b', 'q-a', 'q-c']) {
      await ask('PUT', `${ROUTES}/${name}`, {
        body: pathRoute(`/${name}`, name, { name: `query ${name === 'q-c' ? '0' : name}` }),
      })
    }
    const query = async (rest: string) => (await ask('GET', `${ROUTES}?_queryFilter=name+sw+%22query%22${rest}`)).json
    assert.deepEqual(idsOf(await query('')), ['q-c', 'q-a', 'q-b'])
    assert.deepEqual(idsOf(await query('&_sortKeys=-_id')), ['q-c', 'q-b', 'q-a'])
    const first = await query('&_pageSize=2&_totalPagedResultsPolicy=EXACT')
    assert.deepEqual([idsOf(first), first['totalPagedResults']], [['q-c', 'q-a'], 3])
    assert.deepEqual(idsOf(await query(`&_pageSize=2&_pagedResultsCookie=${first['pagedResultsCookie']}`)), ['q-b'])
    assert.equal((await query('&_countOnly=true'))['resultCount'], 3)
    const [selected] = (await query('&_fields=name,_status/state'))['results'] as JsonObject[]
    assert.deepEqual(Object.keys(selected as JsonObject), ['_id', '_rev', 'name', '_status'])
    assert.deepEqual(selected?.['_status'], { state: 'loaded' })
  })

  test('_status reports a file that does not load, and a valid route can replace it', async () => {
    await gateway.deploy('broken', { handler: { type: 'Nothing' } })
    await gateway.deploy('unreadable', '{')
    const { json } = await ask('GET', `${ROUTES}/broken?_fields=_status`)
    const { state, problems } = json['_status'] as JsonObject
    assert.deepEqual([state, (problems as JsonObject[]).map(({ pointer }) => pointer)], ['failed', ['/handler/type']])
    const failed = (await ask('GET', `${ROUTES}?_queryFilter=_status/state+eq+%22failed%22`)).json
    assert.deepEqual(idsOf(failed), ['broken', 'unreadable'])
    for (const id of ['broken', 'unreadable']) {
      assert.equal((await ask('PUT', `${ROUTES}/${id}`, { body: pathRoute(`/${id}`, id) })).status, 200)
      assert.equal((await gateway.ask(`/${id}`)).text, id)
      assert.deepEqual((await ask('GET', `${ROUTES}/${id}?_fields=_status/state`)).json['_status'], { state: 'loaded' })
    }
  })

  test('_id is unique: a file with the id of another route has its file name as id, and can be corrected', async () => {
    await ask('PUT', `${ROUTES}/twin`, { body: pathRoute('/twin', 'first') })
    await gateway.deploy('zz-twin', { _id: 'twin', ...pathRoute('/zz-twin', 'second') })
    const { json } = await ask('GET', `${ROUTES}?_queryFilter=_id+co+%22twin%22&_fields=_status/state`)
    assert.deepEqual(
      (json['results'] as JsonObject[]).map(({ _id: id, _status: status }) => [id, (status as JsonObject)['state']]),
      [
        ['twin', 'loaded'],
        ['zz-twin', 'failed'],
      ],
    )
    assert.equal((await gateway.ask('/twin')).text, 'first')
    assert.equal((await ask('PUT', `${ROUTES}/zz-twin`, { body: pathRoute('/zz-twin', 'mended') })).status, 200)
    assert.equal((await gateway.ask('/zz-twin')).text, 'mended')
    await gateway.deploy('zz-twin', { _id: 'twin', ...pathRoute('/zz-twin', 'third') })
    assert.equal((await ask('DELETE', `${ROUTES}/zz-twin`)).status, 200)
    assert.equal(existsSync(join(folder, 'zz-twin.json')), false)
    assert.equal((await ask('DELETE', `${ROUTES}/twin`)).status, 200)
  })

  test('validate reports the outcome of a change without making it', async () => {
    const before = files()
    const validate = async (body: unknown) => (await ask('POST', `${ROUTES}?_action=validate`, { body })).json
    assert.deepEqual(await validate(pathRoute('/x', 'x')), { valid: true, problems: [] })
    assert.deepEqual(await validate({ _id: 'from-file', ...pathRoute('/x', 'x') }), { valid: true, problems: [] })
    assert.deepEqual(await validate({ _id: null, ...pathRoute('/x', 'x') }), { valid: true, problems: [] })
    const { valid, problems } = await validate({ handler: 'Missing' })
    assert.deepEqual([valid, (problems as JsonObject[]).map(({ pointer }) => pointer)], [false, ['/handler']])
    assert.equal((await validate(pathRoute('/x', 'x', { name: 'from-file' })))['valid'], false)
    assert.equal((await validate(pathRoute('/x', 'x', { name: 'default' })))['valid'], false)
    for (const id of ['FROM-FILE', 'con', 'default', '__proto__', '../x', '']) {
      const { valid: isValid } = await validate({ _id: id, ...pathRoute('/x', 'x') })
      assert.equal(isValid, false, `what create refuses is not valid: ${id}`)
    }
    assert.equal((await ask('POST', `${ROUTES}?_action=validate`, { body: [] })).status, 400)
    assert.deepEqual(files(), before)
    assert.equal((await gateway.ask('/from-file')).text, 'file')
  })

  test('explain names the route that matches a request, the reason, and its filters and handlers', async () => {
    await ask('PUT', `${ROUTES}/explained`, { body: pathRoute('/explained', 'x', { name: '000 explained' }) })
    await ask('PUT', `${ROUTES}/fails`, {
      body: textRoute('x', { name: '00 fails', condition: "${contexts.nothing.x == 'y'}" }),
    })
    const explain = async (body: unknown) => (await ask('POST', `${ROUTES}?_action=explain`, { body })).json
    const { tried, route, chain, refused } = await explain({
      method: 'GET',
      uri: 'http://localhost/explained?x=1',
      headers: { A: 'b' },
    })
    assert.deepEqual([route, refused], ['explained', null])
    const [last] = (tried as JsonObject[]).slice(-1)
    assert.deepEqual(
      [last?.['id'], last?.['value'], last?.['condition']],
      ['explained', true, "${request.uri.path == '/explained'}"],
    )
    assert.deepEqual(
      (chain as JsonObject[]).map(({ type }) => type),
      ['StaticResponseHandler'],
    )
    assert.equal((await explain({ uri: '/matches-no-route' }))['route'], null)
    assert.deepEqual((await explain({ uri: '/%00' }))['refused'] !== null, true)
    const badly: readonly unknown[] = [
      {},
      [],
      { uri: 5 },
      { uri: 'x y' },
      { uri: '/', method: 'A B' },
      { uri: '/', headers: { 'a b': 'x' } },
      { uri: '/', headers: { a: 'x\r\ny' } },
      { uri: '/', more: 1 },
    ]
    for (const body of badly) {
      assert.equal((await ask('POST', `${ROUTES}?_action=explain`, { body })).status, 400, JSON.stringify(body))
    }
    await ask('DELETE', `${ROUTES}/fails`)
  })

  test('rollback restores an earlier version, also of a deleted route', async () => {
    const put = (text: string) => ask('PUT', `${ROUTES}/rolled`, { body: pathRoute('/rolled', text) })
    const first = (await put('one')).json['_rev']
    await put('two')
    const { json } = await ask('GET', `${ROUTES}/rolled?_fields=_history`)
    assert.deepEqual(
      (json['_history'] as JsonObject[]).map(({ _rev: rev }) => rev),
      [first],
    )
    const rollback = (rev: unknown) => ask('POST', `${ROUTES}/rolled?_action=rollback`, { body: { _rev: rev } })
    const selected = await ask('POST', `${ROUTES}/rolled?_action=rollback&_fields=condition`, { body: { _rev: first } })
    assert.deepEqual(Object.keys(selected.json), ['_id', '_rev', 'condition'])
    const rolled = await rollback(first)
    assert.deepEqual([rolled.status, rolled.json['_rev']], [200, first])
    assert.equal((await gateway.ask('/rolled')).text, 'one')
    await ask('DELETE', `${ROUTES}/rolled`)
    assert.equal((await rollback(first)).status, 200)
    assert.equal((await gateway.ask('/rolled')).text, 'one')
    assert.equal((await rollback('unknown')).status, 404)
    assert.equal((await rollback(5)).status, 400)
  })

  test('B78: of 50 creates of one id one wins, of 50 updates of one revision one wins', async () => {
    const race = async (headers: Record<string, string>) => {
      const answers = Array.from({ length: 50 }, (_, n) =>
        ask('PUT', `${ROUTES}/race`, { headers, body: pathRoute('/race', `${headers['If-Match'] ?? ''}${n}`) }),
      )
      return Map.groupBy(await Promise.all(answers), ({ status }) => status)
    }
    const created = await race({ 'If-None-Match': '*' })
    assert.deepEqual([created.get(201)?.length, created.get(412)?.length], [1, 49])
    const updated = await race({ 'If-Match': created.get(201)?.[0]?.headers.etag as string })
    assert.deepEqual([updated.get(200)?.length, updated.get(412)?.length], [1, 49])
  })

  test('writers that retry on 412 lose no update', async () => {
    await ask('PUT', `${ROUTES}/counter`, { body: pathRoute('/counter', 'x', { properties: { n: 0 } }) })
    const increment = async (): Promise<void> => {
      const { json, headers } = await ask('GET', `${ROUTES}/counter`)
      const { n } = json['properties'] as { n: number }
      const body = pathRoute('/counter', 'x', { properties: { n: n + 1 } })
      const { status } = await ask('PUT', `${ROUTES}/counter`, {
        headers: { 'If-Match': headers.etag as string },
        body,
      })
      if (status === 412) return increment()
      assert.equal(status, 200)
    }
    await Promise.all(Array.from({ length: 20 }, increment))
    assert.deepEqual((await ask('GET', `${ROUTES}/counter`)).json['properties'], { n: 20 })
    const patch = [{ operation: 'increment', field: '/properties/n', value: 1 }]
    await Promise.all(Array.from({ length: 5 }, () => ask('PATCH', `${ROUTES}/counter`, { body: patch })))
    assert.deepEqual((await ask('GET', `${ROUTES}/counter`)).json['properties'], { n: 25 })
  })

  test('B79: a body that is too large, too deep or too wide is rejected in time', async () => {
    const started = performance.now()
    const rows: readonly (readonly [string, number])[] = [
      [`{"a":"${'x'.repeat(1_100_000)}"}`, 413],
      ['['.repeat(1_000_000), 400],
      [`{"a":1e999999}`, 400],
      [`{"a":${'1'.repeat(1_000_000)}}`, 400],
    ]
    for (const [raw, status] of rows) assert.equal((await ask('PUT', `${ROUTES}/large`, { raw })).status, status)
    assert.ok(performance.now() - started < 5_000)
    assert.equal(existsSync(join(folder, 'large.json')), false)
  })

  test('B83: without credentials all is 401, and a traffic port does not serve it', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'POST']) {
      assert.equal((await gateway.askAdmin(`${ROUTES}/new`, { method })).status, 401)
    }
    assert.equal((await gateway.ask(`${ROUTES}?_queryFilter=true`)).status, 404)
    assert.equal((await gateway.ask(`/gateway${ROUTES}?_queryFilter=true`)).status, 404)
  })

  test('B84: requests that a page of another origin can send are rejected', async () => {
    const body = JSON.stringify(textRoute('x'))
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      assert.equal((await ask('POST', ROUTES, { headers: { 'Content-Type': type }, raw: body })).status, 415)
    }
    assert.equal((await ask('POST', ROUTES, { headers: { Origin: 'http://evil.test' }, raw: body })).status, 403)
    const read = await ask('GET', `${ROUTES}/new`, { headers: { Origin: 'http://evil.test' } })
    assert.equal(read.headers['access-control-allow-origin'], undefined)
  })

  test('every change is logged with its operation', async () => {
    const { json } = await ask('PUT', `${ROUTES}/logged`, { body: pathRoute('/logged', 'x') })
    const lines = gateway.log.lines.map((line) => JSON.parse(line) as JsonObject)
    const line = lines.find(({ route, operation }) => route === 'logged' && operation !== undefined)
    assert.deepEqual([line?.['operation'], line?.['revision'], line?.['client']], ['create', json['_rev'], '127.0.0.1'])
  })

  test('B87: names and parameters with line breaks stay on one line of the log, and escaped in the metrics', async () => {
    const name = 'a"\n{"level":"error"}\u001b[31m\u2028'
    const route = pathRoute('/forged', 'x', { name })
    assert.equal((await ask('PUT', `${ROUTES}/forged`, { body: route })).status, 409)
    writeFileSync(join(folder, 'forged.json'), JSON.stringify(route))
    await waitUntil('the file is served', async () => (await gateway.ask('/forged')).text === 'x')
    await ask('GET', `${ROUTES}/x%0d%0ay?_queryFilter=%0a`)
    await ask('PUT', `${ROUTES}/forged`, { body: { name, handler: 'a\nb' } })
    for (const line of gateway.log.lines) assert.equal(typeof JSON.parse(line), 'object')
    await ask('DELETE', `${ROUTES}/forged`)
  })

  test('B85: the password is in no log line and in no response', async () => {
    const answers = [await ask('GET', '/api/info'), await ask('GET', `${ROUTES}?_crestapi`), await ask('GET', '/api/x')]
    for (const text of [...gateway.log.lines, ...answers.map((answer) => answer.text)])
      assert.ok(!text.includes(PASSWORD))
  })

  test('B86: a folder that can not be written is 503, names no path, and the old route continues to serve', {
    skip: process.getuid?.() === 0 && 'nothing is read-only for root',
  }, async () => {
    await ask('PUT', `${ROUTES}/disk`, { body: pathRoute('/disk', 'old') })
    chmodSync(folder, 0o555)
    try {
      const { status, text } = await ask('PUT', `${ROUTES}/disk`, { body: pathRoute('/disk', 'new') })
      assert.equal(status, 503)
      assert.doesNotMatch(text, /config\/routes/)
    } finally {
      chmodSync(folder, 0o755)
    }
    assert.equal((await gateway.ask('/disk')).text, 'old')
  })

  test('F16: a file that can not be written is 503, and nothing is left behind', async () => {
    mkdirSync(join(folder, 'occupied.json'))
    try {
      const { status, text } = await ask('PUT', `${ROUTES}/occupied`, { body: pathRoute('/occupied', 'x') })
      assert.equal(status, 503)
      assert.doesNotMatch(text, /config\/routes/)
      assert.equal((await gateway.ask('/occupied')).status, 404)
      assert.deepEqual(
        files().filter((name) => name.endsWith('.tmp')),
        [],
      )
    } finally {
      rmdirSync(join(folder, 'occupied.json'))
    }
  })

  test('the descriptors are valid and include the actions', async () => {
    const { json } = await ask('GET', `${ROUTES}?_api`)
    const { valid, errors } = await new Validator().validate(structuredClone(json))
    assert.equal(valid, true, JSON.stringify(errors))
    assert.ok(Object.keys(json['paths'] as JsonObject).includes(`${ROUTES}/{id}`))
    assert.match((await ask('GET', `${ROUTES}?_crestapi`)).text, /"name":"rollback"/)
  })

  for (const path of ['/api', '/api/system', '/api/system/objects']) {
    test(`${path} is 204, and can not be changed`, async () => {
      assert.equal((await ask('GET', path)).status, 204)
      const { status, headers } = await ask('DELETE', path)
      assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'])
    })
  }
  for (const path of [
    '/api/system/objects/other/routes',
    '/api/system/objects/_router',
    `${ROUTES}/new/objects`,
    '/api/system/x',
  ]) {
    test(`${path} is 404`, async () => assert.equal((await ask('GET', path)).status, 404))
  }

  test('types are a collection that can be read and queried', async () => {
    const { json } = await ask('GET', '/api/system/types?_queryFilter=kind+eq+%22Filter%22&_fields=kind')
    assert.ok(idsOf(json).includes('HeaderFilter'))
    const type = (await ask('GET', '/api/system/types/ReverseProxyHandler')).json
    assert.equal((type['schema'] as JsonObject)['title'], 'ReverseProxyHandler')
    const login = (await ask('GET', '/api/system/types/SingleSignOnFilter?_fields=provides,after')).json
    assert.deepEqual([login['provides'], login['after']], [['ssoToken', 'loginWay'], ['DataPreservationFilter']])
    assert.equal((await ask('GET', '/api/system/types/Nothing')).status, 404)
    assert.equal((await ask('PUT', '/api/system/types/Nothing', { body: {} })).status, 501)
    for (const path of ['/api/system/types', '/api/info']) {
      const { valid, errors } = await new Validator().validate((await ask('GET', `${path}?_api`)).json)
      assert.equal(valid, true, JSON.stringify(errors))
    }
  })
})

test('routes of a router inside a route have a collection below that route, and types those of extensions', async () => {
  const inHeap = (name: string, directory: string) => ({ name, type: 'Router', config: { directory } })
  await using gateway = await RunningGateway.start({
    routes: {
      outer: {
        baseURI: 'http://outer.example',
        handler: 'inner',
        heap: [inHeap('inner', 'inner'), inHeap('with space', 'other')],
      },
    },
    files: { 'secrets/gateway.admin.password': PASSWORD },
    extra: { 'probe.js': PROBE_EXTENSION },
  })
  const ask = manager(gateway)
  assert.equal((await ask('GET', '/api/system/types/VersionFilter')).status, 200, 'types of extensions are there')
  const inner = `${ROUTES}/outer/objects/inner/routes`
  assert.equal((await ask('PUT', `${inner}/deep`, { body: pathRoute('/deep', 'deep') })).status, 201)
  assert.equal((await gateway.ask('/deep')).text, 'deep')
  assert.deepEqual(idsOf((await ask('GET', `${inner}?_queryFilter=true`)).json), ['deep'])
  const other = `${ROUTES}/outer/objects/with%20space/routes`
  assert.equal((await ask('PUT', `${other}/x`, { body: pathRoute('/x', 'x') })).status, 201)
  assert.equal((await ask('POST', `${other}?_action=explain`, { body: { uri: '/x' } })).json['route'], 'x')
  assert.deepEqual(idsOf((await ask('GET', `${ROUTES}?_queryFilter=true`)).json), ['outer'])
  for (const collection of [ROUTES, inner]) {
    const { json } = await ask('POST', `${collection}?_action=explain`, { body: { uri: '/deep' } })
    assert.equal(json['route'], 'deep')
    assert.equal((json['chain'] as JsonObject[]).at(-1)?.['type'], 'StaticResponseHandler')
  }
  const proxied = { condition: "${request.uri.path == '/proxied'}", handler: 'ReverseProxyHandler' }
  assert.equal((await ask('PUT', `${inner}/proxied`, { body: proxied })).status, 201)
  for (const collection of [ROUTES, inner]) {
    const { json } = await ask('POST', `${collection}?_action=explain`, { body: { uri: '/proxied' } })
    assert.equal((json['chain'] as JsonObject[]).at(-1)?.['baseURI'], 'http://outer.example')
  }
})

describe('B77: transform of a patch', () => {
  const transform = (type: string, file: string) => [
    { operation: 'transform', field: '/handler/config/entity', value: { script: { type, file } } },
  ]
  const parts = {
    files: {
      'secrets/gateway.admin.password': PASSWORD,
      'scripts/javascript/shout.js': 'return value.toUpperCase() + resource.handler.config.status',
      'scripts/javascript/named.js':
        'return [resource._id, resource._rev.length > 10, Object.keys(resource).length].join()',
      'scripts/loops.js': 'for (;;) {}',
      'scripts/fails.js': 'throw new Error("no")',
      'scripts/nothing.js': 'return undefined',
      'outside.js': 'return "outside"',
    },
    routes: { shouted: pathRoute('/shouted', 'quiet') },
  }

  test('runs a script of the scripts folder where it is enabled, and none of another', async () => {
    await using gateway = await RunningGateway.start({
      ...parts,
      admin: { patchTransform: true, scriptTimeout: '100 ms' },
    })
    symlinkSync(join(gateway.instance.directory, 'outside.js'), join(gateway.instance.directory, 'scripts/link.js'))
    const ask = manager(gateway)
    const patch = async (type: string, file: string) =>
      (await ask('PATCH', `${ROUTES}/shouted`, { body: transform(type, file) })).status
    assert.equal(await patch('application/javascript', 'shout.js'), 200)
    assert.equal((await gateway.ask('/shouted')).text, 'QUIET200')
    assert.equal(await patch('application/javascript', 'named.js'), 200)
    const named = (await gateway.ask('/shouted')).text
    assert.match(named, /^shouted,true,\d$/)
    for (const file of [
      '../outside.js',
      'link.js',
      join(gateway.instance.directory, 'outside.js'),
      'none.js',
      '',
      '.',
      'a\0b',
      'loops.js',
      'fails.js',
      'nothing.js',
    ]) {
      assert.equal(await patch('application/javascript', file), 400, file)
    }
    assert.equal(await patch('application/x-groovy', 'shout.js'), 400)
    assert.equal((await gateway.ask('/shouted')).text, named)
  })

  test('is 403 in PRODUCTION mode unless it is enabled, and on in DEVELOPMENT mode unless it is not', async () => {
    const status = async (admin: object) => {
      await using gateway = await RunningGateway.start({ ...parts, admin: admin as Record<string, unknown> })
      return (await manager(gateway)('PATCH', `${ROUTES}/shouted`, { body: transform('text/javascript', 'shout.js') }))
        .status
    }
    assert.deepEqual(
      [
        await status({}),
        await status({ mode: 'DEVELOPMENT' }),
        await status({ mode: 'DEVELOPMENT', patchTransform: false }),
      ],
      [403, 200, 403],
    )
  })
})
