// The OpenAPI documents of the management API against a validator, and its responses against the documents.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject } from '#json'
import { pathRoute, RunningGateway } from '#test/gateway'
import { managing, ROUTES } from '#test/management'

const PASSWORD = 'a password of the test'
const credentials = { Authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}` }
const manager = (of: RunningGateway) => managing(of.adminUrl, { headers: credentials })

let gateway: RunningGateway
let ask: ReturnType<typeof manager>

before(async () => {
  gateway = await RunningGateway.start({
    routes: {
      first: pathRoute('/first', 'one'),
      outer: { handler: { type: 'Router', name: 'inner', config: { directory: 'inner' } } },
      // Does not load, and is returned as stored.
      broken: { heap: 'none', condition: 7 },
    },
    files: { 'secrets/gateway.admin.password': PASSWORD },
  })
  ask = manager(gateway)
})

after(() => gateway[Symbol.asyncDispose]())

const document = async (path: string): Promise<JsonObject> => {
  const { status, json } = await ask('GET', `${path}?_api`)
  assert.equal(status, 200, path)
  const { valid, errors } = await new Validator().validate(structuredClone(json))
  assert.equal(valid, true, JSON.stringify(errors))
  return json
}

/** Validates responses against a document. */
class Contract {
  readonly #ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } })
  readonly #document: JsonObject

  constructor(document: JsonObject) {
    this.#document = document
    this.#ajv.addSchema(document, 'api')
  }

  /** Sends a request of an operation and validates its response. */
  async holds(method: string, path: string, query: string, of: string, body?: unknown): Promise<JsonObject> {
    const sent = body === undefined ? {} : { body }
    const { status, json, text } = await ask(method, `${path}${query}`, sent)
    const responses = this.#at('paths', of, method.toLowerCase(), 'responses') as JsonObject
    const part = Object.hasOwn(responses, String(status)) ? String(status) : 'default'
    if (part === 'default') assert.fail(`${method} ${path}${query}: ${status} ${text}`)
    const pointer = ['paths', of, method.toLowerCase(), 'responses', part, 'content', 'application/json', 'schema']
    const escaped = pointer.map((each) => encodeURIComponent(each.replaceAll('~', '~0').replaceAll('/', '~1')))
    const validate = this.#ajv.compile({ $ref: `api#/${escaped.join('/')}` })
    assert.ok(validate(json), `${method} ${path}${query}: ${JSON.stringify(validate.errors)}\n${text}`)
    return json
  }

  #at(...names: string[]): unknown {
    return names.reduce<unknown>((value, name) => (value as JsonObject)[name], this.#document)
  }
}

const FIELDS = [
  '',
  '_fields=_id',
  '_fields=name',
  '_fields=nothing',
  '_fields=handler/config/status,condition',
  '_fields=*',
]

test('responses with _fields are valid by the document of the routes', async () => {
  const contract = new Contract(await document(ROUTES))
  for (const fields of [...FIELDS, '_fields=_status', '_fields=_history,_status/state', '_fields=heap/0/name']) {
    const query = fields === '' ? '' : `?${fields}`
    const more = fields === '' ? '' : `&${fields}`
    for (const id of ['first', 'broken']) await contract.holds('GET', `${ROUTES}/${id}`, query, `${ROUTES}/{id}`)
    await contract.holds('GET', ROUTES, `?_queryFilter=true${more}`, ROUTES)
    await contract.holds('GET', ROUTES, `?_queryFilter=true&_pageSize=1&_totalPagedResultsPolicy=EXACT${more}`, ROUTES)
    await contract.holds('PUT', `${ROUTES}/second`, query, `${ROUTES}/{id}`, pathRoute('/second', fields || 'plain'))
    const patch = [{ operation: 'add', field: '/comment', value: fields }]
    await contract.holds('PATCH', `${ROUTES}/second`, query, `${ROUTES}/{id}`, patch)
    await contract.holds('POST', ROUTES, `?_action=validate${more}`, ROUTES, pathRoute('/third', 'x'))
    await contract.holds('POST', ROUTES, `?_action=create${more}`, ROUTES, {
      _id: 'third',
      ...pathRoute('/third', 'x'),
    })
    for (const id of ['second', 'third']) await contract.holds('DELETE', `${ROUTES}/${id}`, query, `${ROUTES}/{id}`)
  }
  await contract.holds('GET', ROUTES, '?_queryFilter=true&_countOnly=true', ROUTES)
})

for (const [path, id, fields] of [
  ['/api/system/types', 'HeaderFilter', ['kind', 'schema/properties', 'nothing']],
  ['/api/audit/config', null, ['timestamp', 'transactionId,nothing', 'request/headers']],
  ['/metrics/api', 'heap._router.route.first.request', ['count', '_type', 'nothing']],
] as const) {
  test(`responses with _fields are valid by the document of ${path}`, async () => {
    await gateway.ask('/first')
    const contract = new Contract(await document(path))
    for (const each of ['', ...fields.map((name) => `_fields=${name}`)]) {
      const page = await contract.holds('GET', path, `?_queryFilter=true${each === '' ? '' : `&${each}`}`, path)
      const [first] = page['results'] as JsonObject[]
      const one = id ?? (first?.['_id'] as string)
      await contract.holds('GET', `${path}/${one}`, each === '' ? '' : `?${each}`, `${path}/{id}`)
    }
  })
}

test('request bodies still need all required fields', async () => {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } }).addSchema(await document(ROUTES), 'api')
  const validate = ajv.compile({ $ref: 'api#/components/schemas/Resource' })
  assert.equal(validate({ name: 'x' }), false)
  assert.equal(validate({ _id: 'a/b', handler: 'x' }), false)
  assert.equal(validate({ _id: 'a', handler: 'x' }), true)
})

test('documents name the authentication schemes, unless adminProtection decides', async () => {
  for (const path of ['/api', ROUTES, '/api/info', '/api/system/types', '/metrics/api', '/api/audit/config']) {
    const { security, components } = (await document(path)) as { security: unknown; components: JsonObject }
    assert.deepEqual(security, [{ basic: [] }, { bearer: [] }], path)
    assert.deepEqual(Object.keys(components['securitySchemes'] as JsonObject), ['basic', 'bearer'])
  }
  await using guarded = await RunningGateway.start({
    admin: { adminProtection: { type: 'AllowOnlyFilter', config: { rules: [{ from: [{ ip: ['127.0.0.0/8'] }] }] } } },
  })
  const { json } = await manager(guarded)('GET', '/api?_api')
  assert.equal(json['security'], undefined)
})

test('ids and headers have a format', async () => {
  const { paths, components } = (await document(ROUTES)) as { paths: JsonObject; components: JsonObject }
  const [id] = (paths[`${ROUTES}/{id}`] as { parameters: { schema: { pattern: string } }[] }).parameters
  const isId = new RegExp(id!.schema.pattern)
  assert.deepEqual(
    ['a.b-c_1', 'x'.repeat(128)].map((each) => isId.test(each)),
    [true, true],
  )
  assert.deepEqual(
    ['', '.a', 'a/b', 'ä', 'x'.repeat(129)].map((each) => isId.test(each)),
    [false, false, false, false, false],
  )
  const parameters = components['parameters'] as Record<string, { schema: { pattern: string } }>
  const takes = (name: string, value: string) => new RegExp(parameters[name]!.schema.pattern).test(value)
  const cases: [string, string[], string[]][] = [
    ['ifMatch', ['*', '"abc"', 'abc', 'W/"abc"'], ['', '"a","b"', 'a b', '"', '**']],
    ['ifNoneMatch', ['"abc"', '"a", "b"', 'a,b'], ['*', '', 'a b']],
    ['ifNoneMatchAny', ['*'], ['"abc"', '']],
    [
      'acceptApiVersion',
      ['protocol=2.1,resource=1.0', 'resource=1.0, protocol=1', 'protocol=2'],
      ['2.1', 'protocol=3', 'x'],
    ],
  ]
  for (const [name, taken, refused] of cases) {
    for (const value of taken) assert.ok(takes(name, value), `${name}: ${value}`)
    for (const value of refused) assert.ok(!takes(name, value), `${name}: ${value}`)
  }
})

test('paths that only contain endpoints have documents of all of them', async () => {
  const pathsOf = async (path: string) => Object.keys((await document(path))['paths'] as JsonObject)
  const inner = `${ROUTES}/outer/objects/inner/routes`
  const objects = [ROUTES, `${ROUTES}/{id}`, inner, `${inner}/{id}`]
  const types = ['/api/system/configuration', '/api/system/types', '/api/system/types/{id}']
  const audit = ['/api/audit/config', '/api/audit/config/{id}']
  const monitor = ['history', 'metrics', 'requests', 'trace', 'trace/{id}'].map((name) => `/api/monitor/${name}`)
  assert.deepEqual(
    new Set(await pathsOf('/api')),
    new Set(['/api/info', '/api/studio/session', ...types, ...objects, ...monitor, ...audit]),
  )
  assert.deepEqual(new Set(await pathsOf('/api/system')), new Set([...types, ...objects]))
  assert.deepEqual(new Set(await pathsOf('/api/system/objects')), new Set(objects))
  assert.deepEqual(await pathsOf('/api/audit'), audit)
  const contract = new Contract(await document('/api'))
  await contract.holds('GET', '/api/info', '?_fields=version', '/api/info')
  await contract.holds('GET', `${ROUTES}/first`, '?_fields=name', `${ROUTES}/{id}`)
  const compact = (await ask('GET', '/api?_crestapi')).json
  assert.equal(compact['id'], 'frapi:gateway:api')
  assert.ok(Object.keys(compact['paths'] as JsonObject).includes('/system/types'))
  for (const query of ['_api&_crestapi', '_api&_fields=a', '_api&x=1', '_unknown=1']) {
    assert.equal((await ask('GET', `/api?${query}`)).status, 400, query)
  }
  assert.equal((await ask('GET', '/api')).status, 204)
  assert.equal((await ask('HEAD', '/api?_api')).status, 200)
})
