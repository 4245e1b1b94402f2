import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { baseScope, scopeOf } from '#expression'
import { Body, Response, respond } from '#http'
import { exchangeFor } from '#test/exchange'
import {
  atLeastOneOf,
  atMostOneOf,
  ConfigError,
  condition,
  config,
  type Decoded,
  decode,
  duration,
  type Field,
  formatProblem,
  integer,
  leftValue,
  list,
  map,
  needs,
  object,
  renames,
  requiredUnless,
  runtime,
  type Settled,
  settle,
  string,
  template,
} from './index.ts'

const GATEWAY = { instanceDirectory: '/i', configDirectory: '/i/config', temporaryDirectory: '/i/tmp' }

const SCOPE = scopeOf(
  { size: 7, words: ['a', 'b'], limit: '3 s', nothing: null },
  baseScope({ env: { BAD: 'x', PORT: '8080' }, system: {}, now: () => 0, gateway: GATEWAY }),
)

const UNRESOLVED = {
  resolve: () => assert.fail('nothing to resolve'),
  inheritedSecrets: () => assert.fail('no secrets'),
}

/** Decodes and settles a value at /config. */
async function settled<F extends Field>(field: F, value: unknown): Promise<Settled<Decoded<F>>> {
  const { value: decoded, problems } = decode(field, value, '/config')
  if (problems.length > 0) throw new ConfigError(problems)
  const context = { ...UNRESOLVED, scope: SCOPE, warn: () => {} }
  return (await settle(decoded, context, '/config')) as Settled<Decoded<F>>
}

const refused = (field: Field, value: unknown, ...messages: string[]) =>
  assert.rejects(settled(field, value), (error: ConfigError) => {
    assert.deepEqual(error.problems.map(formatProblem), messages)
    return true
  })

const exchange = (body?: Body) =>
  exchangeFor('POST', 'http://app.example/home?x=1', { headers: { 'X-User': 'ann' }, ...(body && { body }) })

/** A body that is not buffered. */
const unread = (text: string): Body => Body.fromStream(Readable.from([Buffer.from(text)]))

test('a configuration expression is evaluated once and decoded by its field', async () => {
  const fields = object({
    port: config(integer({ min: 1 })),
    wait: config(duration()),
    words: config(list(string())),
    plain: config(integer()),
  })
  const json = { port: '${env.PORT}', wait: '${limit}', words: '${words}', plain: 4 }
  assert.deepEqual({ ...(await settled(fields, json)) }, { port: 8080, wait: 3000, words: ['a', 'b'], plain: 4 })
})

test('the error for an expression with an invalid result names the expression and its field', async () => {
  const fields = object({ port: config(integer({ min: 1 })), wait: config(duration()) })
  await refused(
    fields,
    { port: '${env.BAD}', wait: '${size}' },
    '/config/port: ${env.BAD} gave a bad value: expected an integer of at least 1, got "x"',
    '/config/wait: ${size} gave a bad value: expected a duration such as "10 seconds", got 7',
  )
})

test('the error for an expression that can not be parsed or evaluated names it', async () => {
  const fields = object({ a: config(string()) })
  await assert.rejects(settled(fields, { a: "${'x' * 2}" }), /^ConfigError: \/config\/a: .* can not be evaluated: /)
  await assert.rejects(
    settled(fields, { a: '${1 +}' }),
    /^ConfigError: \/config\/a: "\$\{1 \+\}" is not a valid expression: /,
  )
})

test('the error for a long expression quotes its begin, and shows the reason', async () => {
  const text = `\${${'x'.repeat(70_000)}}`
  await assert.rejects(
    settled(object({ a: config(string()) }), { a: text }),
    /^ConfigError: \/config\/a: "\$\{x{77}\.\.\. is not a valid expression: the text has 70003 characters, at most \d+ are allowed$/,
  )
})

test('null selects the default of an optional field and fails a required one', async () => {
  const fields = object({
    wait: config(duration()).default('5 seconds'),
    note: config(string()).optional(),
  })
  assert.deepEqual(
    { ...(await settled(fields, { wait: '${env.MISSING}', note: '${nothing}' })) },
    {
      wait: 5000,
      note: undefined,
    },
  )
  const required = object({ wait: config(duration()) })
  const missing = 'expected a duration; this field is required'
  await refused(required, { wait: '${nothing}' }, `/config/wait: \${nothing} gave a bad value: ${missing}`)
  await refused(list(config(duration())), ['${nothing}'], `/config/0: \${nothing} gave a bad value: ${missing}`)
})

test('for the presence rules, an expression that is null is as if the field were not given', async () => {
  const text = config(string()).optional()
  const some = object({ a: text, b: text }, { rules: [atLeastOneOf('a', 'b')] })
  await refused(some, { a: '${nothing}' }, '/config: give at least one of a, b; the expression of a is null')
  assert.equal((await settled(some, { a: '${nothing}', b: 'x' })).b, 'x')
  assert.equal((await settled(some, { a: '${limit}' })).a, '3 s')

  const few = object({ a: text, b: text }, { rules: [atMostOneOf('a', 'b')] })
  assert.equal((await settled(few, { a: 'x', b: '${nothing}' })).a, 'x')
  await refused(few, { a: 'x', b: '${limit}' }, '/config: give at most one of a, b')

  const one = object({ a: text, b: text }, { older: renames({ old: 'a' }), rules: [requiredUnless('a', 'b')] })
  const missing = 'this field is required, unless b is given; the expression of a is null'
  await refused(list(one), [{ old: '${nothing}' }], `/config/0/old: ${missing}`)
})

test('a default is no value that is given, also where an expression is null', async () => {
  const fields = { a: config(string()).default('x'), b: config(string()).optional() }
  const both = object(fields, { rules: [needs('a', 'b')] })
  assert.equal((await settled(both, { a: '${nothing}' })).a, 'x')
})

test('an expression that can not be evaluated is the only problem of its rules', async () => {
  const some = object({ a: config(string()).optional() }, { rules: [atLeastOneOf('a')] })
  await assert.rejects(settled(some, { a: "${'x' * 2}" }), (error: ConfigError) => error.problems.length === 1)
})

test('a default may be an expression', async () => {
  const fields = object({ port: config(integer()).default('${env.PORT}') })
  assert.equal((await settled(fields, {})).port, 8080)
  assert.equal((await settled(fields, { port: '${nothing}' })).port, 8080)
})

test('an escaped expression is text', async () => {
  assert.equal(await settled(config(string()), '\\${size}'), '${size}')
})

test('under an old name, the pointer is that of the old name', async () => {
  const fields = object({ port: config(integer()) }, { older: renames({ p: 'port' }) })
  await refused(fields, { p: '${env.BAD}' }, '/config/p: ${env.BAD} gave a bad value: expected an integer, got "x"')
})

test('settled maps have no prototype, so that any key is data', async () => {
  const value = await settled(map(config(string())), JSON.parse('{"__proto__": "${env.PORT}"}'))
  assert.deepEqual(Object.entries(value), [['__proto__', '8080']])
})

test('a runtime expression is evaluated for each request and reads properties, request and response', async () => {
  const ask = await settled(runtime('string'), '${request.headers["X-User"][0]}-${size}')
  assert.equal(ask(exchange()), 'ann-7')
  const status = await settled(runtime('number'), '${response.status.code}')
  assert.equal(status(exchange(), respond(204)), 204)
  assert.equal(status.expression.source, '${response.status.code}')
})

test('a runtime expression returns null for null and throws for another type', async () => {
  const ask = await settled(runtime('number'), '${request.headers["X-User"][0]}')
  assert.throws(() => ask(exchange()), {
    message: '${request.headers["X-User"][0]}: expected a result of type number, got "ann"',
  })
  assert.equal((await settled(runtime('map'), '${nothing}'))(exchange()), null)
  assert.deepEqual((await settled(runtime('list'), '${words}'))(exchange()), ['a', 'b'])
})

test('numbers and booleans are converted to text for a string field', async () => {
  assert.equal((await settled(runtime('string'), '${size}'))(exchange()), '7')
  assert.equal((await settled(runtime('string'), '${true}'))(exchange()), 'true')
})

test('literals of a runtime expression are checked when they are decoded', async () => {
  assert.equal((await settled(runtime('string'), 'plain'))(exchange()), 'plain')
  assert.equal((await settled(runtime('boolean'), false))(exchange()), false)
  assert.deepEqual((await settled(runtime('any'), { a: [1] }))(exchange()), { a: [1] })
  await refused(runtime('string'), 5, '/config: expected an expression (string) such as "${...}", got 5')
  await refused(runtime('boolean'), 'yes', '/config: expected an expression (boolean) such as "${...}", got "yes"')
  await refused(runtime('map'), [], '/config: expected an expression (map) such as "${...}", got an empty array')
  await refused(
    runtime('number'),
    '\\${size}',
    '/config: expected an expression (number) such as "${...}", got "\\\\${size}"',
  )
})

test('numbers and booleans may be text, as tokens are', async () => {
  assert.equal((await settled(runtime('boolean'), 'True'))(exchange()), true)
  assert.equal((await settled(runtime('number'), '2.5'))(exchange()), 2.5)
  assert.equal((await settled(runtime('string'), '2.5'))(exchange()), '2.5')
})

test('an expression that reads a body waits for it; others return no promise', async () => {
  const ask = await settled(runtime('string'), '${request.entity.string}')
  const read = exchange(unread('hello'))
  const pending = ask(read)
  assert.ok(pending instanceof Promise)
  assert.equal(await pending, 'hello')
  assert.equal(ask(read), 'hello')
  const answer = await settled(runtime('string'), '${response.entity.string}')
  const late = new Response(200, { body: unread('bye') })
  assert.equal(await answer(exchange(), late), 'bye')
  assert.equal(answer(exchange(), null), null)
  assert.equal((await settled(runtime('string'), '${request.method}'))(read), 'POST')
})

test('a condition passes only for the boolean true', async () => {
  const passes = async (value: unknown) => (await settled(condition(), value))(exchange())
  assert.equal(await passes(true), true)
  assert.equal(await passes(false), false)
  assert.equal(await passes("${find(request.uri.path, '^/home')}"), true)
  for (const almost of ["${'true'}", '${1}', '${nothing}', '${words}', '${request}']) {
    assert.equal(await passes(almost), false, almost)
  }
})

test('a condition may have a label and comments', async () => {
  const labelled = await settled(condition(), { expression: '${true}', label: 'all', comment: 'x', _off: 1 })
  assert.equal(labelled(exchange()), true)
  assert.equal(labelled.expression.source, '${true}')
})

test('an invalid condition is an error', async () => {
  const wanted = 'expected true, false or an expression such as "${find(request.uri.path, \'^/home\')}"'
  await refused(condition(), 'true', `/config: ${wanted}, got "true"`)
  await refused(condition(), 1, `/config: ${wanted}, got 1`)
  await refused(
    condition(),
    { expresion: '${true}' },
    '/config/expresion: unknown field; did you mean "expression"?',
    `/config/expression: ${wanted}, got nothing`,
  )
})

test('a condition that reads a body waits for the body', async () => {
  const ask = await settled(condition(), "${request.entity.string == 'hello'}")
  assert.equal(await ask(exchange(unread('hello'))), true)
  assert.equal(await ask(exchange(unread('other'))), false)
})

test('a condition that fails throws: its filter decides the outcome', async () => {
  const ask = await settled(condition(), "${'x' * 2}")
  assert.throws(() => ask(exchange()))
})

test('a left value assigns to its target', async () => {
  const assign = await settled(leftValue(), '${attributes.user}')
  const target = exchange()
  await assign(target, null, 'ann')
  assert.equal((await settled(runtime('string'), '${attributes.user}'))(target), 'ann')
})

test('a left value must be assignable', async () => {
  await refused(leftValue(), 5, '/config: expected an expression such as "${attributes.name}", got 5')
  await refused(leftValue(), 'plain', '/config: expected a place to assign to, such as ${attributes.name}')
  await refused(leftValue(), '${a + b}', '/config: expected a place to assign to, such as ${attributes.name}')
})

test('a template returns its JSON with the values of its expressions', async () => {
  const fill = await settled(template(), {
    user: '${request.headers["X-User"][0]}',
    nested: [{ size: '${size}' }, 'plain', 4, true],
    body: '${request.entity.string}',
  })
  assert.deepEqual(await fill(exchange(unread('hello'))), {
    user: 'ann',
    nested: [{ size: 7 }, 'plain', 4, true],
    body: 'hello',
  })
})

test('every key of a template is data', async () => {
  const fill = await settled(template(), JSON.parse('{"__proto__": "${size}", "comment": "x"}'))
  const filled = (await fill(exchange())) as object
  assert.deepEqual(Object.entries(filled), [
    ['__proto__', 7],
    ['comment', 'x'],
  ])
})

test('the errors of a template name each invalid expression', async () => {
  await assert.rejects(settled(template(), { a: ['${'], b: '${1 +}' }), (error: ConfigError) => {
    assert.deepEqual(
      error.problems.map(({ pointer }) => pointer),
      ['/config/a/0', '/config/b'],
    )
    return true
  })
})

test('objects of the gateway are converted: a URI to its text, a status to its code', async () => {
  const uri = await settled(runtime('string'), '${request.uri}')
  assert.equal(uri(exchange()), 'http://app.example/home?x=1')
  const code = await settled(runtime('number'), '${response.status}')
  assert.equal(code(exchange(), respond(418)), 418)
  const text = await settled(runtime('string'), '${response.status}')
  assert.equal(text(exchange(), respond(418)), '418')
})

test('B7: a condition that matches a host name without an anchor gets a warning', async () => {
  const warnings: string[] = []
  const context = {
    ...UNRESOLVED,
    scope: SCOPE,
    warn: (pointer: string, message: string) => void warnings.push(`${pointer}: ${message}`),
  }
  const { value } = decode(condition(), "${find(request.uri.host, 'example.com')}", '/condition')
  await settle(value, context, '/condition')
  assert.match(warnings.join('\n'), /^\/condition: find\(request\.uri\.host, "example\.com"\) searches anywhere/)
})
