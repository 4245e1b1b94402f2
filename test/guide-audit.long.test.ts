// The files and commands of the guide to audit: a gateway with all of them, and its trail.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Validator } from '@cfworker/json-schema'
import type { JsonObject } from '#json'
import { textRoute } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { guideBlocks, guideScript } from '#test/guide'
import { TestInstance } from '#test/instance'
import { waitUntil } from '#test/waiting'

const root = join(import.meta.dirname, '..')
const toolsMissing =
  ['curl', 'openssl'].some((tool) => spawnSync(tool, ['version']).error !== undefined) && 'curl or openssl is missing'

const shown = guideBlocks('audit', 'json').map((text) => JSON.parse(text) as JsonObject)
const showing = (member: string): JsonObject => shown.find((json) => Object.hasOwn(json, member)) ?? assert.fail(member)

interface Handler extends JsonObject {
  readonly class: string
  readonly config: JsonObject & { readonly name: string; readonly topics: string[] }
}
interface Service extends JsonObject {
  readonly config: JsonObject & { readonly eventHandlers: Handler[] }
}

const handlers = shown.filter((json): json is Handler => typeof json['class'] === 'string')
const SECRETS = {
  'secrets/gateway.admin.password': 'of-the-guide',
  'secrets/audit.hash': 'h'.repeat(32),
  'secrets/audit.key': 'k'.repeat(32),
}

/** `config.json` of the guide with the settings and handlers of its other sections. */
function configuration(more: readonly Handler[], settings: JsonObject = {}): JsonObject {
  const json = structuredClone(showing('heap')) as JsonObject & { heap: Service[] }
  const heap = json.heap.map((object) => {
    if (object['name'] !== 'AuditService') return object
    const [file, ...rest] = object.config.eventHandlers as [Handler, ...Handler[]]
    const withPayments = { ...file, config: { ...file.config, topics: [...file.config.topics, 'payment'] } }
    return { ...object, config: { ...object.config, ...settings, eventHandlers: [withPayments, ...rest, ...more] } }
  })
  return { ...json, heap }
}

const files = (config: JsonObject) => ({
  ...SECRETS,
  'config/config.json': config,
  'config/routes/pay.json': shown.find(({ name }) => name === 'pay') as JsonObject,
  'audit-schemas/payment.json': showing('schema'),
})

test('the commands of the guide to audit have the described results', {
  skip: toolsMissing,
  timeout: 120_000,
}, async () => {
  const local = handlers.filter(({ config }) => 'logDirectory' in config)
  const assigned = { target: "${contexts.accessAuditExtension.extensions['channel']}", value: 'phone' }
  await using gateway = await GatewayProcess.start({
    files: files(configuration(local, showing('config'))),
    routes: {
      hello: textRoute('hello', { condition: "${request.uri.path == '/hello'}" }),
      phone: {
        condition: "${find(request.uri.path, '^/phone')}",
        handler: {
          type: 'Chain',
          config: {
            filters: [{ type: 'AssignmentFilter', config: { onRequest: [assigned] } }],
            handler: textRoute('phone')['handler'],
          },
        },
      },
    },
  })
  const { directory } = gateway.instance
  const trail = (folder: string, topic = 'access'): JsonObject[] => {
    const [path] = globSync(join(directory, 'logs', folder, `${topic}.audit.json`))
    if (path === undefined) return []
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line) as JsonObject).filter((event) => event['_id'] !== undefined)
  }
  const written = (count: number) =>
    waitUntil(`${count} events are in the files`, () =>
      ['audit-access', 'audit-json', 'audit-evidence'].every((folder) => trail(folder).length >= count),
    )
  const run = async (commands: string): Promise<string> => {
    const script = `gateway() { '${join(root, 'bin', 'gateway')}' "$@"; }\n${commands}`
    return (await promisify(execFile)('sh', ['-e', '-c', script])).stdout
  }
  const blocks = guideScript('audit', {
    'http://localhost:8080': `http://127.0.0.1:${gateway.ports[0]}`,
    'http://localhost:8085': `http://127.0.0.1:${gateway.adminPort}`,
    'my-gateway': directory,
  })
    .split(
      /^(?=curl .*\/hello|tail |openssl |curl .*X-Account: ada|gateway audit tail .*payment|gateway audit verify)/m,
    )
    .filter((block) => !block.startsWith('openssl '))
  assert.equal(blocks.length, 5, blocks.join('---\n'))
  const [hello, tail, pay, queries, verification] = blocks as [string, string, string, string, string]

  await run(hello)
  await written(1)
  const printed = (await run(tail)).trimEnd().split('\n')
  assert.equal(printed.length, 2)
  const [first, second] = printed.map((line) => JSON.parse(line) as JsonObject)
  assert.deepEqual(first, second)
  const example = shown.find((json) => json['eventName'] === 'GATEWAY-HTTP-ACCESS') as JsonObject
  assert.deepEqual(Object.keys(first as JsonObject), Object.keys(example))
  assert.equal((await gateway.log.until(/"source":"audit"/))['topic'], 'access')

  await run(pay)
  assert.equal((await gateway.ask('/phone')).status, 200)
  await written(4)
  await waitUntil('the events of payments are in the file', () => trail('audit-access', 'payment').length === 4)
  const answers = (await run(queries)).trimEnd().split('\n')
  assert.equal(answers.pop(), '2')
  const events = answers.map((line) => JSON.parse(line) as JsonObject)
  assert.deepEqual(
    events.slice(0, 4).map(({ eventName, account, status }) => [eventName, account, status]),
    [
      ['PAYMENT-BEGUN', 'ada', undefined],
      ['payment', 'ada', 200],
      ['PAYMENT-BEGUN', 'mallory', undefined],
      ['payment', 'mallory', 403],
    ],
  )
  const denied = events.slice(4)
  assert.equal(denied.length, 1)
  const described = shown.find(({ gateway }) => (gateway as JsonObject)?.['decision'] !== undefined) as JsonObject
  const decisionOf = (event: JsonObject) => (event['gateway'] as JsonObject)['decision']
  assert.deepEqual(decisionOf(denied[0] as JsonObject), decisionOf(described))

  const paid = trail('audit-access').find(({ http }) => JSON.stringify(http).includes('x-tenant')) as JsonObject
  const { headers, queryParameters } = (paid['http'] as { request: JsonObject }).request as Record<string, JsonObject>
  assert.match(String(paid['userId']), /^hmac-sha256:[0-9a-f]{64}$/)
  assert.deepEqual([queryParameters, headers?.['x-tenant'], headers?.['accept']], [{ page: ['2'] }, ['blue'], []])
  assert.equal((paid['client'] as JsonObject)['port'], undefined)
  const extensions = trail('audit-access').map((event) => (event['gateway'] as JsonObject)['ext'])
  assert.deepEqual(extensions, [undefined, { channel: 'web' }, { channel: 'web' }, { channel: 'phone' }])

  const verified = await run(verification)
  assert.match(verified, /intact/)
  assert.match(verified, /"resultCount":1,/)
  for (const { config } of local) assert.match(verified, new RegExp(`"audit.${config.name}"`))
  const metrics = (
    readFileSync(join(root, 'docs/guide/audit.md'), 'utf8').match(/\bgw_audit_[a-z_]*[a-z]\b/g) ?? []
  ).sort()
  for (const name of new Set(metrics)) assert.match(verified, new RegExp(`^${name}\\b`, 'm'))
})

test('gateway validate accepts every handler of the guide to audit', async () => {
  using instance = new TestInstance({ files: files(configuration(handlers)) })
  assert.deepEqual(
    handlers.map((handler) => handler.class.split('.').at(-1)),
    ['Json', 'JsonStdout', 'Csv', 'Syslog', 'Jms', 'Otlp', 'Kafka', 'Json'].map((name) => `${name}AuditEventHandler`),
  )
  const command = [join(root, 'bin', 'gateway'), 'validate', '--instance', instance.directory, '--json'] as const
  const { stdout } = await promisify(execFile)(command[0], command.slice(1))
  const { problems, warnings } = JSON.parse(stdout) as { problems?: unknown[]; warnings?: unknown[] }
  assert.deepEqual([problems ?? [], warnings ?? []], [[], []], stdout)
})

test('the events that the guide to audit shows fit the published schema', () => {
  const schema = JSON.parse(readFileSync(join(root, 'schemas/audit-access.json'), 'utf8')) as JsonObject
  const events = shown.filter((json) => json['eventName'] !== undefined)
  assert.equal(events.length, 1)
  for (const event of events) assert.deepEqual(new Validator(schema, '2020-12').validate(event).errors, [])
})
