import assert from 'node:assert/strict'
import { test } from 'node:test'
import { baseScope, scopeOf } from '#expression'
import { condition, config, decode, type Field, leftValue, runtime, settle, string } from './index.ts'

const base = baseScope({
  env: {},
  system: {},
  now: () => 0,
  gateway: { instanceDirectory: '/', configDirectory: '/', temporaryDirectory: '/' },
})

async function found(field: Field, value: unknown, isLenient = false) {
  const warnings: string[] = []
  const { value: decoded, problems } = decode(field, value, '/x')
  assert.deepEqual(problems, [])
  const context = {
    scope: scopeOf({ amUrl: 'https://am.example' }, base),
    isLenient,
    resolve: () => assert.fail('no references'),
    inheritedSecrets: () => assert.fail('no secrets'),
    warn: (_: string, message: string) => void warnings.push(message),
  }
  try {
    await settle(decoded, context, '/x')
    return { problems: [], warnings }
  } catch (error) {
    return { problems: [(error as Error).message], warnings }
  }
}

test('misspelled names and members that requests never have are errors with a suggestion', async () => {
  for (const [expression, message] of [
    ["${find(requst.uri.path, '^/a')}", /\/x: .*nothing has the name "requst", .*did you mean "request"\?/],
    ["${request.uri.pth == '/a'}", /\/x: .*request\.uri has no "pth", .*did you mean "path"\?/],
    ['${response.stauts == 200}', /response has no "stauts", .*did you mean "status"\?/],
    ['${sesion.user == null}', /did you mean "session"\?/],
  ] as const) {
    const { problems, warnings } = await found(condition(), expression)
    assert.match(problems.join(), message)
    assert.deepEqual(warnings, [])
    const lenient = await found(condition(), expression, true)
    assert.deepEqual(lenient.problems, [])
    assert.match(lenient.warnings.join(), /is always null; did you mean/)
  }
  assert.match((await found(config(string()), '${amUrll}')).problems.join(), /did you mean "amUrl"\?/)
})

test('a required value that is null is refused with the names that have none, and where an environment variable is', async () => {
  const { problems } = await found(config(string()), '${BASE_DIR}')
  const advice = '; nothing has the name "BASE_DIR": the environment variable is ${env[\'BASE_DIR\']}, or &{BASE_DIR}'
  assert.deepEqual(problems, [`/x: \${BASE_DIR} gave a bad value: expected a string; this field is required${advice}`])
})

test('targets of assignments with misspelled names are errors with a suggestion', async () => {
  const target = async (expression: string) => (await found(leftValue(), expression)).problems.join()
  assert.match(await target('${atributes.user}'), /nothing has the name "atributes", .*did you mean "attributes"\?/)
  assert.match(await target('${request.uri.pth}'), /request\.uri has no "pth", .*did you mean "path"\?/)
  for (const known of [
    '${attributes.any.thing}',
    "${request.headers['X-A']}",
    '${session.user}',
    '${request.entity}',
    '${response.status}',
  ]) {
    assert.equal(await target(known), '')
  }
})

test('names of properties, contexts and attributes are known, and other unbound names give a warning', async () => {
  for (const expression of [
    '${amUrl} ${request.headers.anything[0]} ${request.uri.path.length()} ${request.entity.json.any.thing}',
    '${contexts.any.thing} ${attributes.any.thing} ${session.any} ${exchange.any} ${env.ANY} ${system.any}',
    '${response.status.code} ${response.status.isClientError()} ${request.cookies.a[0].value} ${request.form.x}',
  ])
    assert.deepEqual(await found(runtime('any'), expression), { problems: [], warnings: [] })
  const { problems, warnings } = await found(runtime('any'), '${zzz}')
  assert.deepEqual([problems, warnings.length], [[], 1])
})
