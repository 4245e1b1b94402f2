import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isPlainObject, type JsonObject } from '#json'
import { pathRoute, RunningGateway } from '#test/gateway'
import { managing, ROUTES } from '#test/management'

describe('actions for editors', () => {
  let gateway: RunningGateway
  let ask: ReturnType<typeof managing>

  before(async () => {
    const router = { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } }
    const hidden = { name: 'Secrets', type: 'FileSystemSecretStore', config: { directory: '/tmp', format: 'PLAIN' } }
    const nested = { name: 'inner', type: 'Router', config: { directory: '&{ig.instance.dir}/config/inner' } }
    gateway = await RunningGateway.start({
      env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' },
      files: {
        'config/config.json': { properties: { shop: { city: 'Bern' } }, heap: [router, hidden], handler: '_router' },
        'config/inner/leaf.json': pathRoute('/outer', 'leaf'),
      },
      routes: {
        one: pathRoute('/one', 'one', { properties: { own: 1 } }),
        outer: { heap: [nested, { name: 'Secrets', type: 'SystemAndEnvSecretStore' }], handler: 'inner' },
      },
    })
    ask = managing(gateway.adminUrl)
  })

  after(() => gateway[Symbol.asyncDispose]())

  const complete = async (marked: string, more: JsonObject = {}) => {
    const body = { expression: marked.replace('|', ''), offset: marked.indexOf('|'), ...more }
    const { status, json } = await ask('POST', `${ROUTES}?_action=complete`, { body })
    const options = (json['options'] ?? []) as JsonObject[]
    return { status, from: json['from'], names: options.map(({ name }) => String(name)), options }
  }

  test('names of an expression are those of the scope, and members those of the value for the sample', async () => {
    const names = await complete('a ${re|', { route: 'one' })
    assert.equal(names.from, 4)
    for (const name of ['request', 'contexts', 'shop', 'own', 'env', 'find'])
      assert.ok(names.names.includes(name), name)
    const find = { name: 'find', kind: 'function', detail: '(text, regex)' }
    assert.deepEqual(
      names.options.find(({ name }) => name === 'find'),
      find,
    )
    assert.ok(!(await complete('${|')).names.includes('own'), 'a property of another route')
    assert.deepEqual((await complete('${shop.|}')).names.slice(0, 1), ['city'])
    assert.ok((await complete('${request.uri.|}')).names.includes('rawPath'))
    assert.ok((await complete('${request.uri.path.|}')).names.includes('startsWith'))
    assert.ok((await complete('${contexts.client.|}')).names.includes('remoteAddress'))
    assert.deepEqual((await complete('${response.|')).names, [])
    assert.ok((await complete('${response.|', { response: { status: 200 } })).names.includes('status'))
    const request = { uri: '/', headers: { 'X-One': 'a' } }
    assert.ok((await complete('${request.headers.|', { request })).names.includes('X-One'))
  })

  test('where nothing fits, or the value before the dot fails, there are no options', async () => {
    for (const marked of ['plain|', "${'te|", '${missing.|', "${('a' * 2).|", '${(1 + ).|', '${nothing().|']) {
      assert.deepEqual(await complete(marked).then(({ status, names }) => [status, names]), [200, []], marked)
    }
    for (const offset of [-1, 3, 0.5, '1', undefined]) {
      const body = { expression: '${', ...(offset === undefined ? {} : { offset }) }
      assert.equal((await ask('POST', `${ROUTES}?_action=complete`, { body })).status, 400)
    }
    assert.equal((await complete('${|', { route: 'missing' })).status, 404)
  })

  test('inherited objects have name, type, kind and origin but no configuration; the nearest of a name is listed', async () => {
    const objectsOf = async (path: string) => {
      const { json } = await ask('POST', `${path}?_action=scope`, { body: {} })
      return new Map((json['objects'] as JsonObject[]).map(({ name, ...rest }) => [name, rest]))
    }
    const outer = await objectsOf(ROUTES)
    assert.deepEqual(outer.get('Secrets'), { type: 'FileSystemSecretStore', kind: 'SecretStore', from: 'config.json' })
    assert.deepEqual(outer.get('ReverseProxyHandler'), { type: 'ReverseProxyHandler', kind: 'Handler', from: null })
    const inner = await objectsOf(`${ROUTES}/outer/objects/inner/routes`)
    assert.deepEqual(inner.get('Secrets'), { type: 'SystemAndEnvSecretStore', kind: 'SecretStore', from: 'outer' })
    assert.deepEqual(inner.get('_router')?.['from'], 'config.json')
  })

  test('the schema of a route has its keys, decorators and the fitting types of nested objects', async () => {
    const { json } = await ask('POST', `${ROUTES}?_action=scope`, { body: {} })
    const schema = json['schema'] as JsonObject
    const properties = schema['properties'] as JsonObject
    for (const key of ['handler', 'condition', 'heap', 'session', 'capture', 'timer', 'baseURI'])
      assert.ok(isPlainObject(properties[key]), key)
    const handler = (schema['$defs'] as JsonObject)['Handler'] as { properties: { type: { enum: string[] } } }
    assert.ok(handler.properties.type.enum.includes('StaticResponseHandler'))
    assert.ok(!handler.properties.type.enum.includes('HeaderFilter'))
    assert.ok(JSON.stringify(schema).length < 60_000, `${JSON.stringify(schema).length} characters`)
  })
})
