import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { documentType } from '#heap'
import type { JsonObject, JsonValue } from '#json'
import { ConfigError, config, formatProblem, integer, json, list, string } from '#schema'
import { type DocumentOptions, openDocument } from '#test/document'

const Values = documentType({
  text: config(string()).optional(),
  port: config(integer()).optional(),
  words: config(list(string())).optional(),
  any: json().optional(),
})

const open = (content: JsonObject, options: Partial<DocumentOptions> = {}) =>
  openDocument(Values, content, { types: [], env: { REGION: 'north' }, ...options })

const text = async (content: JsonObject, options: Partial<DocumentOptions> = {}) =>
  (await open(content, options).build()).text

async function refused(content: JsonObject, ...messages: string[]): Promise<void> {
  await assert.rejects(open(content).build(), (error: unknown) => {
    assert.ok(error instanceof ConfigError, String(error))
    assert.deepEqual(error.problems.map(formatProblem), messages)
    return true
  })
}

/** The URL of a file with this content, removed after the test. */
function fileWith(context: TestContext, content: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-test-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'properties.json')
  writeFileSync(path, content)
  return pathToFileURL(path).href
}

test('properties are available to expressions and tokens', async () => {
  const properties = { host: 'a.example', group: { name: 'x', deep: { er: 'y' } } }
  assert.equal(await text({ properties, text: '${host}-${group.name}' }), 'a.example-x')
  assert.equal(await text({ properties, text: '&{host}-&{group.deep.er}' }), 'a.example-y')
})

test('properties may use earlier properties, but not later ones', async () => {
  const properties = { a: 'one', b: '${a}-two', c: '&{b}-three', list: ['${a}', { in: '${b}' }] }
  assert.equal(await text({ properties, text: '${c}-${list[1].in}' }), 'one-two-three-one-two')
  assert.equal(await text({ properties: { a: '${b}', b: 'x' }, text: '[${a}]' }), '[]')
  await refused(
    { properties: { a: '&{b}', b: 'x' } },
    '/properties/a: the token "b" has no value; set it, or give a default: &{b|default}; a property can use only those that are declared before it',
  )
})

test('properties may use the environment, are inherited, and can be overridden by a child', async () => {
  const root = open({ properties: { region: '${env.REGION}', name: 'root', group: { a: 1 } } })
  await root.build()
  const child = { properties: { name: 'child-of-${name}' }, text: '${region} ${name} &{name} ${group.a}' }
  assert.equal(await text(child, { parent: root.heap }), 'north child-of-root child-of-root 1')
  assert.equal(await text({ text: '${name}' }, { parent: root.heap }), 'root')
})

test('a number as a token is text for any field, a list stays a list; properties override those of the gateway', async () => {
  const tokens = { port: '99', words: 'provided' }
  const properties = { port: 8080, words: ['a', 'b'] }
  const built = await open({ properties, port: '&{port}', text: '&{port}', words: '&{words}' }, { tokens }).build()
  assert.equal(built.port, 8080)
  assert.equal(built.text, '8080')
  assert.deepEqual(built.words, ['a', 'b'])
  assert.equal((await open({ port: '&{port}' }, { tokens }).build()).port, 99)
})

test('defaults and transformations of tokens', async () => {
  const built = await open({
    properties: { count: '12' },
    port: { $int: '&{count}' } as JsonValue,
    words: { $list: '&{missing|a,b}' } as JsonValue,
    text: '&{missing|otherwise}',
    any: { enabled: { $bool: '&{missing|true}' } },
  }).build()
  assert.equal(built.port, 12)
  assert.deepEqual(built.words, ['a', 'b'])
  assert.equal(built.text, 'otherwise')
  assert.deepEqual({ ...(built.any as object) }, { enabled: true })
})

test('an unresolved token is an error with its pointer, except in a comment of the document', async () => {
  await refused(
    { text: 'a &{missing} b', any: { list: ['&{gone}'] } },
    '/text: the token "missing" has no value; set it, or give a default: &{missing|default}',
    '/any/list/0: the token "gone" has no value; set it, or give a default: &{gone|default}',
  )
  assert.equal(await text({ comment: '&{missing}', _off: '&{missing}', text: 'x' }), 'x')
})

test('a token whose property is null is reported with the expression of the property, and its names without a value', async () => {
  const missing = (name: string) => `the token "${name}" has no value; set it, or give a default: &{${name}|default}`
  const variable = '; nothing has the name "BASE_DIR": the environment variable is ${env[\'BASE_DIR\']}, or &{BASE_DIR}'
  await refused(
    { properties: { a: '${BASE_DIR}/x', b: '${BASE_DIR}', c: '${env.NONE}' }, text: '&{a}&{b}', other: '&{c}' },
    `/text: ${missing('b')}; the property of this name is null: \${BASE_DIR}${variable}`,
    `/other: ${missing('c')}; the property of this name is null: \${env.NONE}`,
  )
})

test('a property that is used before it has a value is reported with the rule', async () => {
  const missing = (name: string) => `the token "${name}" has no value; set it, or give a default: &{${name}|default}`
  const rule = '; a property can use only those that are declared before it'
  await refused(
    { properties: { a: '&{b}', b: { c: '&{a}' }, d: '&{e.f}', e: { f: '1' } }, text: '&{b.c}' },
    `/properties/a: ${missing('b')}${rule}`,
    `/properties/b/c: ${missing('a')}`,
    `/properties/d: ${missing('e.f')}${rule}`,
    `/text: ${missing('b.c')}; the property of this name is null, or has a problem`,
  )
  await refused({ properties: { a: '&{a}' } }, `/properties/a: ${missing('a')}${rule}`)
})

test('properties may be loaded from a file: all of them, or a group', async (context) => {
  const $location = fileWith(context, '{ "host": "a.example", /* why */ "url": "https://${host}" }')
  assert.equal(await text({ properties: { $location }, text: '${url}' }), 'https://a.example')
  const plain = fileWith(context, '{ "host": "a.example", "deep": { "er": "x" } }')
  assert.equal(
    await text({ properties: { app: { $location: plain } }, text: '${app.host}&{app.deep.er}' }),
    'a.examplex',
  )
  assert.equal(await text({ properties: { '$location:app': plain }, text: '${app.host}' }), 'a.example')
  const composed = { base: plain.slice(0, -5), app: { $location: '${base}.json' } }
  assert.equal(await text({ properties: composed, text: '${app.host}' }), 'a.example')
})

test('an unreadable file of properties is reported', async (context) => {
  const broken = fileWith(context, '{')
  const document = open({ properties: { app: { $location: broken } } })
  assert.match(
    formatProblem(document.problems[0]!),
    /^\/properties\/app\/\$location: the properties at ".*" can not be read: /,
  )
  await refused(
    { properties: { $location: 'https://a.example/p.json' } },
    '/properties/$location: the properties at "https://a.example/p.json" can not be read: expected a file: URL such as "file:///etc/gateway/properties.json", got https:',
  )
  await refused(
    { properties: { $location: '/etc/p.json' } },
    '/properties/$location: the properties at "/etc/p.json" can not be read: expected a file: URL such as "file:///etc/gateway/properties.json"',
  )
})

test('properties must be an object, and their expressions must be valid', async () => {
  await refused({ properties: ['a'] }, '/properties: expected an object: property name to value')
  const document = open({ properties: { a: '${1 +}', b: { c: "${'x' * 2}" } } })
  assert.deepEqual(
    document.problems.map(({ pointer }) => pointer),
    ['/properties/a', '/properties/b/c'],
  )
})

test('names of Object.prototype are ordinary property names', async () => {
  const properties = JSON.parse('{"__proto__": {"x": "1"}, "constructor": "2"}')
  assert.equal(await text({ properties, text: '&{__proto__.x}&{constructor}' }), '12')
  await refused(
    { text: '&{toString}' },
    '/text: the token "toString" has no value; set it, or give a default: &{toString|default}',
  )
})
