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
import { DEFAULT_OBJECTS, RootDocument, RouteDocument, rootProperties } from '#instance'
import { isPlainObject, type JsonObject, type JsonValue, readDocument } from '#json'
import { memoryLog } from '#logging'
import { loadTypes, pageName } from '#schema'
import { TestMetrics, testUnitContext } from '#test/build'
import { keyStoreWith, testIdentity } from '#test/test-identity'
import { GENERATED_MARK, generatedFiles } from '../scripts/generated-files.ts'

const root = join(import.meta.dirname, '..')

interface Example {
  /** File and line, for messages. */
  readonly place: string
  readonly json: JsonValue
}

/** Fenced JSON of the documents; generated pages only repeat pages beside the code. */
const examples: readonly Example[] = globSync(['README.md', 'docs/**/*.md', 'src/objects/**/*.md'], { cwd: root })
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

const directory = mkdtempSync(join(tmpdir(), 'gateway-docs-'))
after(() => rmSync(directory, { recursive: true, force: true }))
// Files of the instance that examples refer to.
mkdirSync(join(directory, 'public'))
mkdirSync(join(directory, 'secrets'))
writeFileSync(join(directory, 'secrets', 'keystore.p12'), keyStoreWith('signing'))
writeFileSync(join(directory, 'secrets', 'keystore.password'), 'changeit')
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
      const input = { unitContext, properties, segments: ['gateway', 'example'], revision: '1' }
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

const schemas = generatedFiles(definitions)
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
const [routeSchema, configSchema] = ['route', 'config'].map((name) =>
  ajv.compile(JSON.parse(schemas.get(`schemas/${name}.json`)!)),
) as [ValidateFunction, ValidateFunction]
const schemaOf = (json: JsonObject): ValidateFunction => (isRoot(json) ? configSchema : routeSchema)

test('every route in the documents is valid by the JSON Schema', () => {
  for (const { place, json } of documents) {
    const validate = schemaOf(json)
    const found = validate(json) ? [] : (validate.errors ?? []).map((each) => `${each.instancePath}: ${each.message}`)
    assert.deepEqual(found, [], place)
  }
})

test('the JSON Schema rejects an unknown field in any object, and an unknown type', () => {
  for (const { place, json } of documents) {
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
