// The examples of the scripts guide run as described, and the editor types match the bindings.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { providerOf } from '#contracts'
import { isPlainObject } from '#json'
import { scriptOf } from '#test/evaluate-script'
import { RunningGateway } from '#test/gateway'
import { keySecret, storeOfKeys, symmetricKey } from '#test/token-secrets'

const root = join(import.meta.dirname, '..')
const guide = readFileSync(join(root, 'docs/guide/scripts.md'), 'utf8')

const shown = [...guide.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(
  (match) => JSON.parse(match[1]!) as { name?: string },
)
const routes = Object.fromEntries(shown.flatMap((json) => (json.name === undefined ? [] : [[json.name, json]])))

test('the routes of the scripts guide respond as described', async () => {
  await using gateway = await RunningGateway.start({ routes, env: { JWT_KEY: Buffer.alloc(32, 7).toString('base64') } })
  const hello = await gateway.ask('/hello?name=Ada')
  assert.deepEqual([hello.status, hello.text], [200, '{"hello":"Ada"}'])
  assert.equal((await gateway.ask('/hello')).text, '{"hello":"world"}')
  const profile = await gateway.ask('/profile', { headers: { 'X-User': 'ada' } })
  assert.deepEqual([profile.status, profile.text], [200, 'ada@example.com'])
  assert.equal((await gateway.ask('/choice/tea')).status, 418)
  assert.equal((await gateway.ask('/choice/coffee')).status, 410)
  const { text: token } = await gateway.ask('/tokens')
  const read = await gateway.ask('/tokens', { headers: { Authorization: `Bearer ${token}` } })
  assert.deepEqual([read.status, read.text], [200, '{"sub":"ada"}'])
  assert.equal((await gateway.ask('/tokens', { headers: { Authorization: `Bearer ${token}x` } })).status, 401)
})

/** Every source in a document, as text. */
function sourcesIn(json: unknown): string[] {
  if (Array.isArray(json)) return json.flatMap(sourcesIn)
  if (!isPlainObject(json)) return []
  const { source } = json
  const own = typeof source === 'string' ? [source] : Array.isArray(source) ? [source.join('\n')] : []
  return [...own, ...Object.values(json).flatMap(sourcesIn)]
}

/** A script that uses most bindings and runs. */
const everything = `
const first: string | null = request.headers.get('Host')
request.headers.set('X-A', ['1', 2]); request.headers.put('X-B', true); request.headers.add('X-C', 'c'); request.headers.remove('X-C')
const names: string[] = [...request.headers].map(([name]) => name)
request.method = 'PUT'
request.uri = '/other'
request.uri.path = '/x y'; request.uri.query = 'a=b'; request.uri.port = 8080
const host: string = request.uri.host
request.entity = { a: [1] }
const text: string = await request.entity.string()
const json: { a: number[] } = await request.entity.json()
const made = new Request({ method: 'POST', uri: request.uri, headers: { A: 'b' }, entity: 'x' })
const form = new Form({ a: 'b c' }).add('d', 1)
form.toRequestEntity(made)
const answer: Response = await http.send(context, made)
answer.status = Status.NOT_FOUND
answer.statusCode = 201
const same: boolean = answer.status === Status.valueOf(201)
attributes.x = [1]
session.y = { z: null }
globals.count = (globals.count ?? 0) + 1
logger.debug('{} and {}', first, names)
const rate = new ThrottlingRate(1, '1 second')
const client: string = contexts.client.remoteAddress
const sub: unknown = contexts.oauth2?.accessToken.info['sub']
contexts.requestAudit.setUserId('ada'); contexts.accessAuditExtension.extendWith('cart', { items: 2 })
await audit.send('payment', { account: 'ada' })
const key: Secret = await secrets.get('jwt.key')
const jwt: string = await key.signJwt({ sub: 'ada' }, { algorithm: 'HS256', header: { typ: 'at+jwt' } })
const signed: string = (await key.verifyJwt(jwt))?.claims['sub']
const matches: boolean = await key.matches(token)
const passed: Response = await next.handle(request)
return { host, text, a: json.a, same, form: String(form), client, sub: sub ?? null, rate: rate.duration, passed: passed.status.code, token, family: Status.OK.family, response, signed, shown: String(key) }
`

function problemsOf(scripts: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-types-'))
  try {
    const files = scripts.map((script, at) => {
      const path = join(directory, `script-${at}.ts`)
      writeFileSync(path, `export async function script(): Promise<unknown> {\n${script}\n}\n`)
      return path
    })
    const config = JSON.parse(
      [...guide.matchAll(/^```json\n([\s\S]*?)^```/gm)]
        .map(([, json]) => json!)
        .find((json) => json.includes('compilerOptions'))!,
    ) as { compilerOptions: object }
    const bindings = join(root, 'schemas/script-bindings.d.ts')
    const arguments_ = join(directory, 'arguments.d.ts')
    writeFileSync(
      arguments_,
      'declare const endpoint: string\ndeclare const handlers: { tea: Handler; other: Handler }\n',
    )
    const tsconfig = join(directory, 'tsconfig.json')
    writeFileSync(tsconfig, JSON.stringify({ ...config, include: undefined, files: [...files, bindings, arguments_] }))
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', tsconfig], { encoding: 'utf8' })
    return ''
  } catch (error) {
    return (error as { stdout: string }).stdout
  } finally {
    rmSync(directory, { recursive: true })
  }
}

test('scripts of the guide, and one that uses all bindings, match the published types', () => {
  assert.equal(problemsOf([...shown.flatMap(sourcesIn), everything]), '')
})

test('the published types reject invalid scripts', () => {
  const problems = problemsOf([
    'return new Response({ state: 200 })',
    "const x: number = request.headers.get('A')",
    'contexts.client.remoteAddress = "x"',
    'return next.handle(context)',
  ])
  for (const at of [0, 1, 2, 3]) assert.match(problems, new RegExp(`script-${at}\\.ts\\(2,`))
})

test('every member of the published types exists', async () => {
  const script = scriptOf(everything, {
    language: 'typescript',
    token: 'abc',
    secrets: providerOf([storeOfKeys({ 'jwt.key': [keySecret(symmetricKey(32))] })]),
    next: async ({ request }) => {
      assert.equal(String(request.uri), 'http://app.example.com:8080/x%20y?a=b')
      return new (await import('#http')).Response(204)
    },
  })
  assert.deepEqual(JSON.parse(JSON.stringify(await script.evaluate())), {
    host: 'app.example.com',
    text: '{"a":[1]}',
    a: [1],
    same: true,
    form: 'a=b+c&d=1',
    client: '127.0.0.1',
    sub: null,
    rate: 1_000,
    passed: 204,
    token: 'abc',
    family: 'SUCCESSFUL',
    response: null,
    signed: 'ada',
    shown: '[redacted]',
  })
})

test('every status named in the published types has its code', async () => {
  const names = [
    ...readFileSync(join(root, 'schemas/script-bindings.d.ts'), 'utf8').matchAll(/static readonly ([A-Z_]+): Status/g),
  ]
  const codes = await scriptOf(
    `return [${names.map(([, name]) => `Status.${name}?.code ?? null`).join(',')}]`,
  ).evaluate()
  assert.equal(names.length, (codes as unknown[]).length)
  assert.ok((codes as unknown[]).every((code) => typeof code === 'number'))
})
