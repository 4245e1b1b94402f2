// JSON Schemas of admin.json, config.json and routes: they accept and refuse the same files as the gateway, as far as JSON Schema can.
// route.json has the definitions, to which the others refer.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { isPlainObject, type JsonObject, type JsonValue, readDocument } from '#json'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'

const root = join(import.meta.dirname, '..')
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
const schemas = new Map<string, ValidateFunction>(
  ['route', 'config', 'admin'].map((name) => [name, ajv.compile(publishedSchema(`${name}.json`))]),
)

function publishedSchema(file: string): JsonObject {
  return JSON.parse(readFileSync(join(root, 'schemas', file), 'utf8')) as JsonObject
}

function problemsBySchema(name: string, json: JsonValue): string[] {
  const validate = schemas.get(name)!
  return validate(json) ? [] : (validate.errors ?? []).map((each) => `${each.instancePath}: ${each.message}`)
}

function schemaOf(path: string): string {
  return /\/(admin|config)\.json$/.exec(path)?.[1] ?? 'route'
}

function checkFile(path: string, text: string): void {
  assert.deepEqual(problemsBySchema(schemaOf(path), readDocument(text).value), [], path)
}

test('the schemas accept a new instance', async () => {
  using folder = new Folder()
  await gateway(['init', folder.in('new')])
  const files = globSync('new/config/**/*.json', { cwd: folder.path })
  assert.equal(files.length, 2)
  for (const path of files) checkFile(path, folder.read(path))
})

test('the schemas accept the files of the demo and of examples', () => {
  const files = globSync(['dev/sample-instance/config/**/*.json', 'examples/*/config/**/*.json'], { cwd: root })
  assert.ok(files.length > 10)
  for (const path of files) checkFile(path, readFileSync(join(root, path), 'utf8'))
})

const ROUTER = { handler: 'ReverseProxyHandler', baseURI: 'http://app.example.com' }
const STATIC = { type: 'StaticResponseHandler', config: { status: 200 } }

/** Files that the gateway and the schema both accept. */
const accepted: Readonly<Record<string, readonly object[]>> = {
  admin: [
    {},
    { $schema: 'https://example.com/admin.json' },
    { $schema: './admin.schema.json', version: 1, comment: 'no effect', _old: 1, '//': 'neither' },
    { connectors: [{ port: 8080 }, { port: [8081, 8082], host: '127.0.0.1' }] },
    { connectors: { port: 8080 } },
    { connectors: [{ port: '&{port|8080}', vertx: { maxHeaderSize: 8192 } }] },
    { adminConnector: { port: 0, allowedHosts: 'gateway.internal' }, mode: 'development' },
    { accessLog: { format: '${access.method} ${access.path}', condition: '${response.status >= 400}' } },
    { accessLog: { format: 'combined', destination: 'logs/access.log', condition: false } },
    { trustedProxies: ['10.0.0.0/8', '::1', 'fe80::/10'], shutdownDelay: '5 s', errors: 'json' },
    { errors: { ...STATIC }, studio: { idleTimeout: '1 hour' }, gatewayUnits: 2, logging: { level: 'debug' } },
    { studio: false, errors: 'page', heap: [{ name: 'page', ...STATIC }], properties: { port: 1 } },
    { adminProtection: { type: 'ScriptableFilter', config: { type: 'application/javascript', source: 'return 1' } } },
    { apiProtectionFilter: { type: 'HeaderFilter', config: { messageType: 'response', remove: 'X-A' } } },
    { vertx: { webSocketSubProtocols: ['chat'] }, scriptTimeout: '1 SECOND and 5 ms', prefix: 'openig' },
  ],
  config: [
    { handler: STATIC, $schema: 'x' },
    { handler: STATIC, heap: [{ name: 'log', type: 'CaptureDecorator' }], log: 'all' },
    { handler: { type: 'Router', $schema: 'x', config: { $schema: 'x' } }, globalDecorators: { timer: true } },
    {
      handler: 'main',
      heap: [{ name: 'main', type: 'org.forgerock.openig.handler.StaticResponseHandler', config: { status: 204 } }],
    },
  ],
  route: [
    { ...ROUTER, $schema: '../route.json' },
    { ...ROUTER, condition: true },
    { ...ROUTER, condition: { expression: '${true}', label: 'all', $schema: 'x' }, name: 'a' },
    { ...ROUTER, capture: ['request', 'response'], timer: true },
    {
      handler: {
        type: 'Chain',
        config: {
          filters: { type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: [null, 'a'] } },
          handler: STATIC,
        },
      },
    },
  ],
}

/** Files that both refuse. */
const refused: Readonly<Record<string, readonly object[]>> = {
  admin: [
    { conectors: [] },
    { connectors: [] },
    { connectors: [{ host: '127.0.0.1' }] },
    { connectors: [{ port: 65_536 }] },
    { connectors: [{ port: 8080, tsl: {} }] },
    { connectors: [{ port: 8080, tls: { type: 'ClientTlsOptions' } }] },
    { connectors: [{ port: 8080, gracePeriod: '10 fortnights' }] },
    { connectors: [{ port: 8080, keepAliveTimeout: 10 }] },
    { version: 2 },
    { version: 0 },
    { version: 'new' },
    { mode: 'TEST' },
    { gatewayUnits: 0 },
    { trustedProxies: ['proxy.example.com'] },
    { accessLog: { format: 'apache' } },
    { accessLog: { destination: 'stdoutt' } },
    { accessLog: { condition: 'sometimes' } },
    { errors: 3 },
    { studio: { idle: '1 s' } },
    { logging: { level: 'loud' } },
    { adminProtection: { type: 'StaticResponseHandler', config: { status: 200 } } },
    { adminProtection: { type: 'HeaderFiltr' } },
    { heap: [{ type: 'HeaderFilter' }] },
  ],
  config: [{}, { handler: 7 }, { handler: STATIC, condition: '${true}' }, { handler: { config: {} } }],
  route: [
    {},
    { handler: [] },
    { ...ROUTER, condition: 'yes' },
    { ...ROUTER, conditon: 7 },
    { ...ROUTER, name: '' },
    { ...ROUTER, capture: 'everything' },
    { handler: { type: 'StaticResponseHandler', config: { status: 200, entty: '' } } },
    { handler: { type: 'StaticResponseHandler' } },
    { handler: { type: 'org.forgerock.Nothing' } },
  ],
}

/** The problems of the gateway with one file in an instance. */
async function problemsByGateway(name: string, json: object): Promise<string> {
  const path = name === 'route' ? 'config/routes/a.json' : `config/${name}.json`
  using folder = new Folder({ [path]: JSON.stringify(json) })
  const { code, stdout } = await gateway(['validate', '--instance', folder.path])
  return code === 0 ? '' : stdout
}

for (const name of ['admin', 'config', 'route']) {
  test(`gateway and schema accept the same files: ${name}`, async () => {
    for (const json of accepted[name] ?? []) {
      assert.equal(await problemsByGateway(name, json), '', JSON.stringify(json))
      assert.deepEqual(problemsBySchema(name, json as JsonValue), [], JSON.stringify(json))
    }
  })

  test(`gateway and schema refuse the same files: ${name}`, async () => {
    for (const json of refused[name] ?? []) {
      assert.notEqual(await problemsByGateway(name, json), '', `${JSON.stringify(json)} passes the gateway`)
      assert.notDeepEqual(problemsBySchema(name, json as JsonValue), [], `${JSON.stringify(json)} passes the schema`)
    }
  })
}

test('every field of the schemas of files has a description', () => {
  for (const name of schemas.keys()) {
    for (const [field, schema] of Object.entries(publishedSchema(`${name}.json`)['properties'] as JsonObject)) {
      assert.ok(isPlainObject(schema) && typeof schema['description'] === 'string', `${name}: ${field}`)
    }
  }
})

test('each definition is in one file, and references are relative to the folder of the schemas', () => {
  const seen = new Map<string, string>()
  for (const file of globSync('*.json', { cwd: join(root, 'schemas') })) {
    const schema = publishedSchema(file)
    for (const name of Object.keys((schema['$defs'] ?? {}) as JsonObject)) {
      assert.equal(seen.get(name), undefined, `${name} is in ${file} too`)
      seen.set(name, file)
    }
    for (const [, target = '', name] of JSON.stringify(schema).matchAll(/"\$ref":"([^#"]*)#\/\$defs\/([^"]+)"/g)) {
      const definitions = (target === '' ? schema : publishedSchema(target))['$defs'] as JsonObject
      assert.ok(name !== undefined && name in definitions, `${file} refers to ${target}#${name}`)
    }
  }
  assert.ok(seen.has('Handler') && seen.has('Chain.config'))
})

test('a schema that the gateway prints needs no other file', async () => {
  using folder = new Folder()
  for (const [name, validate] of schemas) {
    const { stdout } = await gateway(['schema', name, '--instance', folder.path])
    const alone = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(stdout) as JsonObject)
    for (const json of [...(accepted[name] ?? []), ...(refused[name] ?? [])])
      assert.equal(alone(json), validate(json), `${name}: ${JSON.stringify(json)}`)
  }
})
