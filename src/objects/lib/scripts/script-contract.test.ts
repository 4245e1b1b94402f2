import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Handler } from '#http'
import type { JsonValue } from '#json'
import { ConfigError } from '#schema'
import { type BuildOptions, build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { ScriptableHandler } from '../../handlers/scriptable/scriptable-handler.ts'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { NoOpAuditService } from '../../services/no-op-audit/no-op-audit-service.ts'
import { ScheduledExecutorService } from '../../services/scheduled-executor/scheduled-executor-service.ts'
import { TemporaryStorage } from '../../services/temporary-storage/temporary-storage.ts'
import { Base64EncodedSecretStore } from '../../stores/base64-encoded/base64-encoded-secret-store.ts'
import { SecretsProvider } from '../../stores/secrets-provider/secrets-provider.ts'
import { ScriptFile } from './script-file.ts'

const CLIENT = { name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 202 } }
const JAVASCRIPT = { type: 'application/javascript' }

function scripted(config: JsonValue, surroundings: BuildOptions = {}) {
  return build<Handler>(ScriptableHandler, config, {
    ...surroundings,
    types: [
      StaticResponseHandler,
      TemporaryStorage,
      NoOpAuditService,
      Base64EncodedSecretStore,
      SecretsProvider,
      ScheduledExecutorService,
    ],
    heap: [CLIENT, ...(surroundings.heap ?? [])],
  })
}

async function problemsOf(config: JsonValue, surroundings: BuildOptions = {}): Promise<string[]> {
  try {
    await using built = await scripted(config, surroundings)
    return built.warnings.map((warning) => `warning ${warning}`)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
    throw error
  }
}

async function entityOf(config: JsonValue, surroundings: BuildOptions = {}): Promise<unknown> {
  await using built = await scripted(config, surroundings)
  const response = await built.object(exchangeFor('GET', 'http://a.example.com/x'))
  await response.body.read(10_000)
  return JSON.parse(response.body.text())
}

test('the languages and their media types', async () => {
  for (const type of ['application/javascript', 'text/javascript', 'application/typescript', 'Text/JavaScript']) {
    assert.equal(await entityOf({ type, source: 'return new Response({ entity: "1" })' }), 1)
  }
  const listed = '"application/javascript", "text/javascript", "application/typescript", "application/x-groovy"'
  assert.equal(await entityOf({ type: 'application/x-groovy', source: 'new Response(Status.OK).setEntity("1")' }), 1)
  assert.deepEqual(await problemsOf({ type: 'text/python', source: 'return 1' }), [
    `/heap/0/config/type: expected one of ${listed}, got "text/python"`,
  ])
  assert.match((await problemsOf({ source: 'return 1' }))[0] ?? '', /^\/heap\/0\/config\/type: /)
})

test('the type may be a configuration expression', async () => {
  const config = { type: '${language}', source: 'return new Response({ entity: "1" })' }
  assert.equal(await entityOf(config, { properties: { language: 'application/typescript' } }), 1)
  assert.match(
    (await problemsOf(config, { properties: { language: 'text/x-perl' } }))[0] ?? '',
    /^\/heap\/0\/config\/type: \$\{language\} gave a bad value: expected one of/,
  )
})

test('a script is in a file or in the source', async () => {
  const both = ['/heap/0/config: give exactly one of file, source']
  assert.deepEqual(await problemsOf({ ...JAVASCRIPT, source: 'return 1', file: 'x.js' }), both)
  assert.deepEqual(await problemsOf(JAVASCRIPT), both)
})

test('the source is a text or an array of lines; expressions in it are not evaluated', async () => {
  const lines = ['const name = "x"', 'return new Response({ entity: JSON.stringify(`${name}`) })']
  assert.equal(await entityOf({ ...JAVASCRIPT, source: lines }), 'x')
  assert.equal(await entityOf({ ...JAVASCRIPT, source: lines.join('\n') }), 'x')
  assert.deepEqual(await problemsOf({ ...JAVASCRIPT, source: [] }), [
    '/heap/0/config/source: expected at least one element',
  ])
})

test('a source that does not compile is reported with its line', async () => {
  assert.deepEqual(await problemsOf({ ...JAVASCRIPT, source: ['const a = 1', 'const b = ;'] }), [
    "/heap/0/config/source/1: the script can not be compiled: line 2, column 11: Unexpected token ';'",
  ])
  assert.deepEqual(await problemsOf({ ...JAVASCRIPT, source: 'const a = 1\nconst b = ;' }), [
    "/heap/0/config/source: the script can not be compiled: line 2, column 11: Unexpected token ';'",
  ])
})

test('arguments are JSON whose texts may be expressions, evaluated at load', async () => {
  const args = {
    number: 5,
    text: 'plain',
    property: '${limits.max}',
    mixed: 'up to ${limits.max}',
    nested: { list: ['${limits}', null, true] },
    escaped: 'a \\${b}',
  }
  const source = 'return new Response({ entity: { number, text, property, mixed, nested, escaped } })'
  const properties = { limits: { max: 7 } }
  assert.deepEqual(await entityOf({ ...JAVASCRIPT, source, args }, { properties }), {
    number: 5,
    text: 'plain',
    property: 7,
    mixed: 'up to 7',
    nested: { list: [{ max: 7 }, null, true] },
    escaped: 'a ${b}',
  })
})

test('an argument that can not be evaluated is reported with its pointer', async () => {
  const source = 'return 1'
  assert.match(
    (await problemsOf({ ...JAVASCRIPT, source, args: { a: ['x', '${1 +}'] } }))[0] ?? '',
    /^\/heap\/0\/config\/args\/a\/1: "\$\{1 \+\}" is not a valid expression: /,
  )
  assert.match(
    (await problemsOf({ ...JAVASCRIPT, source, args: { a: `\${${'x'.repeat(70_000)}}` } }))[0] ?? '',
    /^\/heap\/0\/config\/args\/a: "\$\{x{77}\.\.\. is not a valid expression: the text has 70003 characters, /,
  )
  assert.match(
    (await problemsOf({ ...JAVASCRIPT, source, args: { a: '${heap[env.NAME]}' } }))[0] ?? '',
    /^\/heap\/0\/config\/args\/a: .* can not be evaluated: an object of the heap is the whole value/,
  )
})

test('an argument name is a valid identifier that is not reserved', async () => {
  const taken = 'scripts have something else of this name; call the argument otherwise'
  const unusable = 'expected a name that a script can use: letters, digits, _ and $'
  const args = { request: 1, Response: 2, 'my-arg': 3, class: 4, token: 5 }
  assert.deepEqual(await problemsOf({ ...JAVASCRIPT, source: 'return 1', args }), [
    `/heap/0/config/args/request: ${taken}`,
    `/heap/0/config/args/Response: ${taken}`,
    `/heap/0/config/args/my-arg: ${unusable}`,
    `/heap/0/config/args/class: ${unusable}`,
  ])
  assert.deepEqual(await problemsOf({ ...JAVASCRIPT, source: 'return 1', args: [1] }), [
    '/heap/0/config/args: expected an object: argument name to value, got an array',
  ])
})

test('a heap object that does not exist, or is of a kind that scripts can not use, is reported with its pointer', async () => {
  const source = 'return 1'
  assert.deepEqual(await problemsOf({ ...JAVASCRIPT, source, args: { a: "${heap['ClientHandlr']}" } }), [
    '/heap/0/config/args/a: no Handler or Filter or AccessTokenResolver or ResourceAccess named "ClientHandlr" in this heap or its parents; did you mean "ClientHandler"?',
  ])
  const storage = { name: 'Storage', type: 'TemporaryStorage' }
  assert.deepEqual(
    await problemsOf({ ...JAVASCRIPT, source, args: { a: "${heap['Storage']}" } }, { heap: [storage] }),
    [
      '/heap/0/config/args/a: expected a Handler or Filter or AccessTokenResolver or ResourceAccess, got a TemporaryStorage',
    ],
  )
  const service = { name: 'AuditService', type: 'NoOpAuditService' }
  const args = { auditService: "${heap['AuditService']}" }
  const [problem, ...none] = await problemsOf({ ...JAVASCRIPT, source, args }, { heap: [service] })
  assert.match(
    String(problem),
    /^\/heap\/0\/config\/args\/auditService: scripts have the binding audit .* by audit\.send\('Topic', \[eventName: 'NAME'\]\)/,
  )
  assert.match(
    String(problem),
    /goes to the service that audits the route, .* by an AuditFilter whose auditService names it$/,
  )
  assert.deepEqual(none, [])
  assert.deepEqual(await problemsOf({ ...JAVASCRIPT, source, args: { list: [{ a: '${heap.object}' }] } }), [
    '/heap/0/config/args/list/0/a: these objects need each other, so none can be built: object -> object',
  ])
})

test('a store of secrets or an executor as argument is refused with what scripts have in its place', async () => {
  const heap = [
    { name: 'Store', type: 'Base64EncodedSecretStore', config: { secrets: { id: 'cGFzc3dvcmQ=' } } },
    { name: 'Provider', type: 'SecretsProvider', config: { stores: ['Store'] } },
    { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
  ]
  const args = {
    secretsProvider: "${heap['Store']}",
    provider: '${heap.Provider}',
    executor: "${heap['ScheduledExecutorService']}",
  }
  const problems = await problemsOf({ type: 'application/x-groovy', source: 'null', args }, { heap })
  const secrets =
    /binding secrets .* field secretsProvider of the script's object, .* by secrets\.get\('id'\) in Groovy/
  const expected = [secrets, secrets, /args\/executor: scripts have no threads, .* remove the argument$/]
  assert.equal(problems.length, expected.length, problems.join('\n'))
  for (const [at, message] of expected.entries()) assert.match(problems[at] ?? '', message)
})

test('an argument that uses names of requests gets a warning, since it is evaluated at load', async () => {
  const args = {
    goto: 'goto=${urlEncodeQueryParameterNameOrValue(contexts.router.originalUri)}',
    both: '${request.method}${session.user}',
    fine: "${system['user.home']}",
  }
  const warnings = await problemsOf({ ...JAVASCRIPT, source: 'return null', args })
  assert.equal(warnings.length, 2, warnings.join('\n'))
  assert.match(
    warnings[0] ?? '',
    /args\/goto: .*: contexts does not exist when the route loads, .* compute the value in the script$/,
  )
  assert.match(warnings[1] ?? '', /args\/both: .*: request, session do not exist when the route loads/)
})

test('the problems of all arguments are reported at once', async () => {
  const args = {
    time: "${heap['Clock']}",
    request: 1,
    list: ['${1 +}'],
    auditService: "${heap['AuditService']}",
  }
  const heap = [{ name: 'AuditService', type: 'NoOpAuditService' }]
  const problems = await problemsOf({ type: 'application/x-groovy', source: 'null', args }, { heap })
  const expected = [
    /args\/time: scripts in Groovy have the binding clock, .* remove the argument$/,
    /args\/request: scripts have something else of this name/,
    /args\/list\/0: "\$\{1 \+\}" is not a valid expression/,
    /args\/auditService: scripts have the binding audit/,
  ]
  assert.equal(problems.length, expected.length)
  for (const [at, message] of expected.entries()) assert.match(problems[at] ?? '', message)
})

test('an argument that is the clock of PingGateway has no effect in Groovy, which has a binding of its name', async () => {
  const args = { clock: "${heap['Clock']}", key: 'a' }
  const script = {
    type: 'application/x-groovy',
    source: 'new Response(Status.OK).setEntity(/"${clock.millis() > 0} ${args}"/)',
    args,
  }
  assert.equal(await entityOf(script), 'true [key:a]')
  const warnings = await problemsOf(script)
  assert.equal(warnings.length, 1)
  assert.match(warnings[0]!, /args\/clock: the argument has no effect: scripts in Groovy have .* remove the argument$/)
  const refused = await problemsOf({ ...JAVASCRIPT, source: 'return clock', args })
  assert.equal(refused.length, 1)
  assert.match(refused[0]!, /args\/clock: scripts in Groovy have .* remove the argument$/)
})

test('an object of the heap may have the name Clock', async () => {
  const heap = [{ name: 'Clock', type: 'StaticResponseHandler', config: { status: 200, entity: '12' } }]
  const source = 'return clock.handle(context, request)'
  assert.equal(await entityOf({ ...JAVASCRIPT, source, args: { clock: "${heap['Clock']}" } }, { heap }), 12)
})

test('a file is looked up in the folder of the language, then in the scripts folder', async () => {
  const scripts = realpathSync(mkdtempSync(join(tmpdir(), 'gateway-scripts-')))
  try {
    mkdirSync(join(scripts, 'javascript', 'sub'), { recursive: true })
    writeFileSync(join(scripts, 'a.js'), 'in scripts')
    const read = async (file: string) => new ScriptFile(scripts, 'javascript', file).read()
    assert.deepEqual(await read('a.js'), { name: 'a.js', text: 'in scripts', problem: null })
    writeFileSync(join(scripts, 'javascript', 'a.js'), 'in javascript')
    assert.deepEqual(await read('a.js'), { name: 'javascript/a.js', text: 'in javascript', problem: null })
    assert.equal((await read(join(scripts, 'a.js'))).text, 'in scripts')
    await assert.rejects(read('b.js'), { message: `/file: there is no file "b.js" in ${JSON.stringify(scripts)}` })
    await assert.rejects(read('sub'), { message: '/file: "sub" is not a file' })
  } finally {
    rmSync(scripts, { recursive: true })
  }
})

test('paths and symbolic links out of the scripts folder are rejected', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gateway-scripts-')))
  try {
    const scripts = join(root, 'scripts')
    mkdirSync(join(scripts, 'javascript'), { recursive: true })
    mkdirSync(join(root, 'scripts-other'))
    writeFileSync(join(root, 'secret.js'), 'x')
    writeFileSync(join(root, 'scripts-other', 'x.js'), 'x')
    symlinkSync(join(root, 'secret.js'), join(scripts, 'link.js'))
    writeFileSync(join(scripts, 'inner.js'), 'inner')
    symlinkSync(join(scripts, 'inner.js'), join(scripts, 'javascript', 'inner-link.js'))
    const read = async (file: string) => new ScriptFile(scripts, 'javascript', file).read()
    for (const file of [
      '../secret.js',
      '../../secret.js',
      'link.js',
      join(root, 'secret.js'),
      '../scripts-other/x.js',
    ]) {
      await assert.rejects(read(file), /is outside of .*; scripts have to be in that folder$/)
    }
    assert.equal((await read('inner-link.js')).text, 'inner')
  } finally {
    rmSync(root, { recursive: true })
  }
})
