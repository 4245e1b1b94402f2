// Every object type follows CONTRIBUTING.md: listed, described, tested, documented, generated.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, sep } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { CATALOGUE } from '#catalogue'
import { providerOf, Secret } from '#contracts'
import { RETIRED_TYPES, UNSUPPORTED_TYPES } from '#heap'
import { CONFIGURATION_FILES } from '#instance'
import {
  decode,
  type Field,
  loadTypes,
  type SecretQuery,
  type SecretsProvider,
  settle,
  type TypeDefinition,
  typeSchema,
} from '#schema'
import { generatedFiles, presentFiles } from '../scripts/generated-files.ts'
import { declaredMetrics } from '../scripts/metrics-page.ts'
import { pageName } from '../scripts/reference/page-name.ts'

const root = join(import.meta.dirname, '..')
const definitions = await loadTypes(CATALOGUE)

interface DefinitionFile {
  /** Path from the root of the repository. */
  readonly path: string
  /** The exported constant, which is also the type's name. */
  readonly name: string
}

const definitionFiles: readonly DefinitionFile[] = globSync('src/objects/**/*.ts', { cwd: root })
  .map((path) => path.split(sep).join('/'))
  .filter((path) => !path.endsWith('.test.ts'))
  .flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const calls = text.matchAll(/^export const (\w+)(?::[^=]+)? = define(?:Type|TypeOfAnyKind|Decorator)\b/gm)
    return [...calls].map((match) => ({ path, name: match[1]! }))
  })

test('a definition names the metrics and the log events of the files in its folder', () => {
  const missing: string[] = []
  for (const { path, name } of definitionFiles) {
    const definition = definitions.find((each) => each.name === name)
    const folder = dirname(path)
    // Several types in one folder share its files: each names what it uses.
    const together = definitionFiles.filter((other) => dirname(other.path) === folder)
    const known = together.flatMap((other) => definitions.find((each) => each.name === other.name) ?? [])
    const events = new Set(known.flatMap((each) => each.events.map(({ code }) => code)))
    const metrics = new Set(known.flatMap((each) => each.metrics))
    assert.ok(definition, name)
    for (const file of globSync(`${folder}/*.ts`, { cwd: root })) {
      if (file.endsWith('.test.ts')) continue
      const text = readFileSync(join(root, file), 'utf8')
      for (const [, event = ''] of text.matchAll(/(?<![A-Z_])EVENTS\.([A-Z_]+)/g))
        if (![...events].some((code) => code.endsWith(`_${event}`))) missing.push(`${name}: event ${event} of ${file}`)
      for (const [, metric = ''] of text.matchAll(/'(gw_[a-z0-9_]+)'/g))
        if (!metrics.has(metric)) missing.push(`${name}: metric ${metric} of ${file}`)
    }
  }
  assert.deepEqual(missing, [])
})

test('the help of a metric is a sentence', () => {
  const notes = declaredMetrics()
  assert.ok(notes.length > 50)
  assert.deepEqual(
    notes.filter(({ help }) => !help.includes(' ')),
    [],
  )
})

test('every name and alias belongs to one type', () => {
  const names = CATALOGUE.flatMap(({ name, aliases }) => [name, ...aliases])
  const repeated = names.filter((name, at) => names.indexOf(name) !== at)
  assert.deepEqual(repeated, [])
})

test('names and aliases of the catalogue, by which types are loaded, are those of their definitions', () => {
  const named = (types: readonly { name: string; aliases: readonly string[] }[]) =>
    types.map(({ name, aliases }) => ({ name, aliases }))
  assert.deepEqual(named(CATALOGUE), named(definitions))
})

test('every definition is exported under the name of its type and is in the catalogue', async () => {
  assert.ok(definitionFiles.length > 0)
  for (const { path, name } of definitionFiles) {
    const module = (await import(pathToFileURL(join(root, path)).href)) as Record<string, TypeDefinition>
    assert.equal(module[name]?.name, name, `${path}: the constant and the type have different names`)
    assert.ok(definitions.includes(module[name]!), `${path}: ${name} is missing in src/objects/catalogue.ts`)
  }
})

test('every definition is found by these tests', () => {
  const hidden = globSync('src/objects/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const calls = [...readFileSync(join(root, path), 'utf8').matchAll(/\bdefine(?:Type|TypeOfAnyKind|Decorator)\(/g)]
      const exported = definitionFiles.filter((file) => file.path === path.split(sep).join('/'))
      return calls.length === exported.length ? [] : [path]
    })
  assert.deepEqual(hidden, [], 'write: export const TheType = defineType({ ... })')
})

test('the catalogue is sorted by name', () => {
  const names = CATALOGUE.map(({ name }) => name)
  assert.deepEqual(names, names.toSorted())
})

test('a type, its file, its page and its test have the same name', () => {
  for (const { path, name } of definitionFiles) {
    assert.equal(basename(path, '.ts'), pageName(name), `${path}: expected ${pageName(name)}.ts`)
    const beside = (ending: string) => join(root, dirname(path), `${pageName(name)}${ending}`)
    assert.ok(existsSync(beside('.test.ts')), `${path}: ${pageName(name)}.test.ts is missing`)
    assert.ok(existsSync(beside('.md')), `${path}: ${pageName(name)}.md is missing`)
    assert.match(readFileSync(beside('.md'), 'utf8'), /^```json$/m, `${path}: the page has no JSON example`)
  }
})

test('every field has a description, also nested ones', () => {
  const ofFiles = CONFIGURATION_FILES.flatMap(({ title, document }) => undescribed(document.fields, title))
  assert.deepEqual(ofFiles, [])
  const missing = definitions.flatMap(({ name, config, settings }) => [
    ...undescribed(config, name),
    ...(settings === null ? [] : undescribed(settings, `${name} settings`)),
  ])
  assert.deepEqual(missing, [])
})

test('a field for the name of a header accepts tokens alone', () => {
  const loose: string[] = []
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { type, pattern } = value as { type?: unknown; pattern?: unknown }
    if (/header(?:name)?$/i.test(path) && type === 'string' && pattern === undefined) loose.push(path)
    for (const [name, inner] of Object.entries(value)) walk(inner, `${path}/${name}`)
  }
  for (const definition of definitions) walk(typeSchema(definition, definitions), definition.name)
  assert.deepEqual(loose, [])
})

test('summaries and descriptions are sentences', () => {
  const broken = definitions.filter(({ summary }) => !/^[A-Z].*[.]$/s.test(summary)).map(({ name }) => name)
  assert.deepEqual(broken, [])
})

test('generated files are up to date: run npm run generate', () => {
  const files = generatedFiles(definitions)
  const stale = [...files].filter(([path, content]) => {
    return !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== content
  })
  assert.deepEqual(
    stale.map(([path]) => path),
    [],
    'not up to date',
  )
  assert.deepEqual(
    presentFiles().filter((path) => !files.has(path)),
    [],
    'left over',
  )
})

const undescribed = (field: Field, path: string): string[] =>
  membersBelow(field, path).flatMap(([at, { info }]) => (info.notes.description ? [] : [at]))

/** All members of objects below a field, by their paths. */
function membersBelow(field: Field, path: string): (readonly [string, Field])[] {
  const { inner, item, entries, members = {}, branches } = field.info.shape
  const own = Object.entries(members).flatMap(([name, member]) => {
    const at = `${path}.${name}`
    return [[at, member] as const, ...membersBelow(member, at)]
  })
  const below = [inner, item, entries, ...(branches?.values() ?? [])].filter((each) => each !== undefined)
  return [...own, ...below.flatMap((each) => membersBelow(each, path))]
}

test('every secretsProvider looks up a secret in the provider of the object, then in the inherited stores', async () => {
  const storeOf = (...ids: string[]): SecretsProvider => {
    const find = async ({ secretId }: SecretQuery) =>
      ids.includes(secretId) ? [new Secret({ secretId, bytes: Buffer.from(ids.join()) })] : null
    return providerOf([{ find, onChange: () => () => {} }])
  }
  const context = {
    scope: { lookup: () => undefined },
    warn: () => assert.fail('no warnings'),
    resolve: async () => storeOf('own'),
    inheritedSecrets: () => storeOf('own', 'inherited'),
  }
  const fields = definitions
    .flatMap(({ name, config }) => membersBelow(config, name))
    .filter(([path, field]) => path.endsWith('.secretsProvider') && field.info.shape.kinds !== undefined)
  assert.ok(fields.length > 40, `${fields.length} fields`)
  for (const [path, member] of fields) {
    for (const given of ['name', ...(member.info.required ? [] : [undefined])]) {
      const provider = (await settle(decode(member, given, '').value, context, '')) as SecretsProvider | undefined
      const textOf = async (secretId: string) =>
        (await provider?.active({ secretId, purpose: 'GENERIC' }))?.revealText()
      // Scripts without a provider have no secrets.
      if (provider === undefined) assert.match(path, /Script/)
      else {
        assert.equal(await textOf('inherited'), 'own,inherited', path)
        assert.equal(await textOf('own'), given === undefined ? 'own,inherited' : 'own', path)
      }
    }
  }
})

test('the clients of Redis and WebSocket are loaded with the first object that uses them, not with the types', () => {
  const require = createRequire(import.meta.url)
  const loaded = () => Object.keys(require.cache).filter((path) => /\/(?:ioredis|ws)\//.test(path))
  assert.deepEqual(loaded(), [])
  require('ws')
  assert.notDeepEqual(loaded(), [], 'the list has what is loaded')
})

test('types that are retired or not supported are not in the catalogue', () => {
  const absent = [...RETIRED_TYPES.keys(), ...UNSUPPORTED_TYPES.keys()]
  const present = new Set(CATALOGUE.flatMap(({ name, aliases }) => [name, ...aliases]))
  assert.deepEqual(
    absent.filter((name) => present.has(name)),
    [],
  )
})
