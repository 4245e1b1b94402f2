// JSON examples of documents are valid: routes build with the real object types, the rest can be parsed.
import assert from 'node:assert/strict'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { after, test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { CATALOGUE } from '#catalogue'
import { ConfigDocument, type UnitContext } from '#heap'
import { respond } from '#http'
import { AdminDocument, buildAdmin, DEFAULT_OBJECTS, RootDocument, RouteDocument, rootProperties } from '#instance'
import { isPlainObject, type JsonObject, type JsonValue, readDocument } from '#json'
import { memoryLog } from '#logging'
import { DOCUMENT_STRUCTURE, isIgnoredKey, loadTypes } from '#schema'
import { TestMetrics, testUnitContext } from '#test/build'
import { keyStoreWith, testIdentity } from '#test/test-identity'
import { GENERATED_MARK, generatedFiles } from '../scripts/generated-files.ts'
import { pageName } from '../scripts/reference/page-name.ts'

const root = join(import.meta.dirname, '..')

interface Example {
  /** File and line, for messages. */
  readonly place: string
  readonly json: JsonValue
}

/** Fenced JSON of the documents; generated pages only repeat pages beside the code. */
const examples: readonly Example[] = globSync(
  ['README.md', 'docs/**/*.md', 'examples/**/*.md', '{src,packages}/**/*.md'],
  {
    cwd: root,
  },
)
  .map((path) => path.split(sep).join('/'))
  .sort()
  .flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    if (text.startsWith(GENERATED_MARK)) return []
    return [...text.matchAll(/^```json\n([\s\S]*?)^```/gm)].map((match) => {
      const place = `${path}:${text.slice(0, match.index).split('\n').length}`
      return { place, json: read(match[1]!, place) }
    })
  })

function read(text: string, place: string): JsonValue {
  try {
    return readDocument(text).value
  } catch (error) {
    return assert.fail(`${place}: ${(error as Error).message}`)
  }
}

const isDocument = (json: JsonValue): json is JsonObject => isPlainObject(json) && json['handler'] !== undefined
const documents = examples.flatMap(({ place, json }) => (isDocument(json) ? [{ place, json }] : []))

const STRUCTURE = Object.keys(DOCUMENT_STRUCTURE)

/** Whether an example is an admin.json, or some of its fields. */
const isAdmin = (json: JsonValue): json is JsonObject => {
  const keys = isPlainObject(json) && !isDocument(json) ? Object.keys(json).filter((key) => !isIgnoredKey(key)) : []
  const own = keys.filter((key) => Object.hasOwn(AdminDocument.members, key))
  return own.length > 0 && keys.every((key) => own.includes(key) || STRUCTURE.includes(key))
}
const adminFiles = examples.flatMap(({ place, json }) => (isAdmin(json) ? [{ place, json }] : []))

const directory = mkdtempSync(join(tmpdir(), 'gateway-docs-'))
after(() => rmSync(directory, { recursive: true, force: true }))
// Files of the instance that examples refer to.
mkdirSync(join(directory, 'public'))
writeFileSync(join(directory, 'people.csv'), 'username,fullname,password\nann,Ann Smith,changeit\n')
writeFileSync(join(directory, 'api-keys.csv'), 'key,consumer\nhash,billing\n')
mkdirSync(join(directory, 'secrets'))
const tlsIdentity = testIdentity('localhost')
writeFileSync(join(directory, 'secrets', 'keystore.p12'), keyStoreWith('signing', 'server'))
const pemKey = tlsIdentity.key.export({ format: 'pem', type: 'pkcs8' })
writeFileSync(join(directory, 'secrets', 'tls.key'), `${pemKey}${tlsIdentity.certificate}`)
for (const name of ['shop', 'api']) {
  const { key, certificate } = testIdentity(`${name}.example.com`)
  writeFileSync(join(directory, 'secrets', `${name}.key`), key.export({ format: 'pem', type: 'pkcs8' }))
  writeFileSync(join(directory, 'secrets', `${name}.crt`), certificate.toString())
}
writeFileSync(
  join(directory, 'secrets', 'clients'),
  testIdentity('clients', { authority: true }).certificate.toString(),
)
// Files outside of the instance, in a folder that stands for /etc.
mkdirSync(join(directory, 'etc', 'tls'), { recursive: true })
writeFileSync(join(directory, 'etc', 'tls', 'tls.key'), pemKey)
writeFileSync(join(directory, 'etc', 'tls', 'tls.crt'), tlsIdentity.certificate.toString())
const atTestFiles = (json: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(json).replaceAll('"/etc/', `"${directory}/etc/`)) as JsonObject
writeFileSync(join(directory, 'secrets', 'keystore.password'), 'changeit')
writeFileSync(join(directory, 'secrets', 'keystore.pass'), 'changeit')
writeFileSync(join(directory, 'secrets', 'agent.password'), 'changeit')
writeFileSync(join(directory, 'secrets', 'redis.password'), 'changeit')
writeFileSync(join(directory, 'secrets', 'jms.password'), 'changeit')
writeFileSync(join(directory, 'secrets', 'kafka.password'), 'changeit')
writeFileSync(join(directory, 'secrets', 'otlp.authorization'), 'Bearer changeit')
writeFileSync(join(directory, 'secrets', 'keycloak.authority'), testIdentity('authority').certificate.toString())
writeFileSync(join(directory, 'secrets', 'session.key'), Buffer.alloc(32, 7).toString('base64'))

const definitions = await loadTypes(CATALOGUE)
const log = memoryLog()
const unitContext: UnitContext = {
  ...testUnitContext(
    directory,
    definitions,
    { router: { openRouter: async () => async () => respond(404) } },
    log,
    new TestMetrics(),
  ),
  // The servers of examples do not exist.
  serving: false,
}
const properties = rootProperties({ ...unitContext, mode: 'PRODUCTION', env: {} })

/** The parent configuration of example routes: only default objects. */
async function openRoot(): Promise<ConfigDocument<typeof RootDocument.members>> {
  const document = new ConfigDocument(
    RootDocument,
    { handler: { type: 'StaticResponseHandler', config: { status: 404 } } },
    { unitContext, parent: null, properties, segments: ['gateway'], revision: '1', defaults: DEFAULT_OBJECTS },
  )
  await document.build()
  return document
}

/** Whether a document is a config.json. */
const isRoot = (json: JsonObject): boolean => Object.hasOwn(json, 'temporaryStorage')

test('tables have a row on each line', () => {
  const joined = globSync(['docs/**/*.md', '{src,packages}/**/*.md', 'README.md'], { cwd: root }).filter((path) =>
    readFileSync(join(root, path), 'utf8').includes('| |---|'),
  )
  assert.deepEqual(joined, [])
})

test('there are examples', () => {
  assert.ok(documents.length >= CATALOGUE.length, `${documents.length} examples for ${CATALOGUE.length} types`)
})

test('every default object can be built', async () => {
  const parent = await openRoot()
  const used = DEFAULT_OBJECTS.map((json, at) => ({ ...(json as JsonObject), name: `default-${at}` }))
  const document = new ConfigDocument(
    RouteDocument,
    { heap: used, handler: 'ForgeRockClientHandler' },
    { unitContext, parent: parent.heap, properties, segments: ['gateway', 'defaults'], revision: '1' },
  )
  await document.build()
  await document.heap.dispose()
  await parent.heap.dispose()
})

/** Access tokens of Cognito have no audience, so that the warning about their routes is expected. */
function isOfCognito(json: JsonValue): boolean {
  return JSON.stringify(json).includes('https://cognito-idp.')
}

/** The page of a deprecated type uses the type. */
function isOwnDeprecation(message: string, place: string): boolean {
  const type = /^(\w+) is deprecated;/.exec(message)?.[1]
  return type !== undefined && place.includes(`/${pageName(type)}.md`)
}

test('every route in the documents builds', async (context) => {
  assert.ok(documents.length > 100, `${documents.length} routes were found`)
  const parent = await openRoot()
  for (const { place, json } of documents) {
    await context.test(place, async () => {
      // The names of config.json: objects such as audit services may do more there than in a route.
      const input = { unitContext, properties, segments: ['gateway'], revision: '1' }
      const document = isRoot(json)
        ? new ConfigDocument(RootDocument, json, { ...input, parent: null, defaults: DEFAULT_OBJECTS })
        : new ConfigDocument(RouteDocument, json, { ...input, parent: parent.heap })
      const { handler } = await document.build()
      await document.decorateMain(handler)
      await document.heap.dispose()
      const warnings = document.warnings.filter(
        ({ message }) => !isOwnDeprecation(message, place) && !(isOfCognito(json) && message.includes('no audience')),
      )
      assert.deepEqual(warnings, [], 'an example is not to be warned about')
    })
  }
  await parent.heap.dispose()
})

test('every admin.json in the documents can be used', async (context) => {
  assert.ok(adminFiles.length > 5, `${adminFiles.length} were found`)
  for (const { place, json } of adminFiles) {
    await context.test(place, async () => {
      const { logger } = unitContext
      const admin = await buildAdmin(atTestFiles(json), {
        instance: directory,
        types: definitions,
        env: {},
        logger,
        serving: false,
      })
      await admin.dispose()
      assert.deepEqual(admin.warnings, [], 'an example is not to be warned about')
    })
  }
})

const schemas = generatedFiles(definitions)
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
// The others refer to the definitions of the first.
const [routeSchema, configSchema, adminSchema] = ['route', 'config', 'admin'].map((name) =>
  ajv.compile(JSON.parse(schemas.get(`schemas/${name}.json`)!)),
) as [ValidateFunction, ValidateFunction, ValidateFunction]
const schemaOf = (json: JsonObject): ValidateFunction =>
  isAdmin(json) ? adminSchema : isRoot(json) ? configSchema : routeSchema
const allFiles = [...documents, ...adminFiles]

test('every file in the documents is valid by the JSON Schema', () => {
  for (const { place, json } of allFiles) {
    const validate = schemaOf(json)
    const found = validate(json) ? [] : (validate.errors ?? []).map((each) => `${each.instancePath}: ${each.message}`)
    assert.deepEqual(found, [], place)
  }
})

test('the JSON Schema rejects an unknown field in any object, and an unknown type', () => {
  for (const { place, json } of allFiles) {
    const validate = schemaOf(json)
    for (const declared of declarations(json)) {
      const { type, config } = declared
      const misspelled = `${type as string}x`
      declared['type'] = misspelled
      assert.equal(validate(json), false, `${place}: ${misspelled} passes`)
      declared['type'] = type as string
      declared['config'] = { ...(config as JsonObject | undefined), noSuchField: 1 }
      assert.equal(validate(json), false, `${place}: an unknown field in ${type as string} passes`)
      if (config === undefined) delete declared['config']
      else declared['config'] = config
    }
    assert.equal(validate(json), true, place)
  }
})

test('examples that validate access tokens set the audience, except for tokens of an access manager', () => {
  for (const { place, json } of documents) {
    for (const { type, config } of declarations(json)) {
      if (type !== 'StatelessAccessTokenResolver') continue
      const { issuer = '', audience } = config as { issuer?: string; audience?: string }
      assert.ok(
        audience !== undefined || /\/(?:am|openam)\/oauth2/.test(issuer) || isOfCognito(json),
        `${place}: tokens of RFC 9068 would be refused`,
      )
    }
  }
})

/** Objects that a document declares, at any depth. */
function declarations(json: JsonValue): JsonObject[] {
  if (Array.isArray(json)) return json.flatMap(declarations)
  if (!isPlainObject(json)) return []
  const below = Object.values(json).flatMap((each) => declarations(each as JsonValue))
  return typeof json['type'] === 'string' ? [json as JsonObject, ...below] : below
}
