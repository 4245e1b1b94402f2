// Commands and codes that README and guides name exist; guides with a gateway of their own are run.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { type CommandResult, gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { RunningGateway, textRoute } from '#test/gateway'
import { guideBlocks } from '#test/guide'
import { OtlpReceiver } from '#test/otlp-receiver'
import { waitUntil } from '#test/waiting'

const root = join(import.meta.dirname, '..')
const documents = ['README.md', ...globSync(['docs/guide/*.md', 'examples/**/*.md'], { cwd: root })]
const curlMissing = spawnSync('curl', ['--version']).status !== 0 && 'there is no curl here'

/** Commands of the gateway in shell blocks: their words, up to the end of the command. */
function gatewayCommands(path: string): string[][] {
  const blocks = [...readFileSync(join(root, path), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  return blocks.flatMap(([, block = '']) => {
    const lines = block.replaceAll('\\\n', ' ').split('\n')
    return lines.flatMap((line) =>
      [...line.matchAll(/(?:^|[|;(]\s*|&&\s*|\$\(|^[A-Z_]+=\S+ )(?:sudo )?(?:bin\/)?gateway ([^|;&>)#]*)/g)].map(
        ([, words = '']) =>
          (words.match(/"(?:\\.|[^"])*"|'[^']*'|[^\s'"]+/g) ?? []).map((word) => word.replaceAll(/^['"]|['"]$/g, '')),
      ),
    )
  })
}

test('every command of the gateway in README, guides and examples has a known name and known options', async () => {
  const commands = documents.flatMap((path) => gatewayCommands(path).map((words) => ({ path, words })))
  assert.ok(commands.length > 40, `${commands.length} commands`)
  for (const { path, words } of commands) {
    const { code, stderr } = await gateway([...words.map((word) => word.replaceAll(/\$\w+|"\$.*/g, 'x')), '--help'])
    assert.equal(code, 0, `${path}: gateway ${words.join(' ')}: ${stderr}`)
  }
})

/** Tests that run the commands of a document. */
const RUN_BY: Readonly<Record<string, string>> = {
  'README.md': 'guide-demo',
  'docs/guide/audit.md': 'guide-audit.long',
  'docs/guide/coming-from-other-gateways.md': 'guide-other-gateways',
  'docs/guide/coming-from-pinggateway.md': 'guide-commands.long',
  'docs/guide/editors.md': 'guide-editors.long',
  'docs/guide/extending.md': 'guide-commands.long',
  'docs/guide/fleet.md': 'guide-fleet.long',
  'docs/guide/getting-started.md': 'guide-demo',
  'docs/guide/http2.md': 'guide-commands.long',
  'docs/guide/install.md': 'guide-install.long',
  'docs/guide/keycloak.md': 'guide-keycloak',
  'docs/guide/login.md': 'guide-demo',
  'docs/guide/management-api.md': 'guide-management-api',
  'docs/guide/monitoring.md': 'guide-monitoring',
  'docs/guide/oauth2.md': 'guide-demo',
  'docs/guide/observability.md': 'guide-commands.long',
  'docs/guide/openam.md': 'guide-openam',
  'docs/guide/performance.md': 'guide-performance.long',
  'docs/guide/rate-limiting.md': 'guide-commands.long',
  'docs/guide/tls.md': 'guide-tls',
  'docs/guide/troubleshooting.md': 'guide-commands.long',
  'docs/guide/upgrading.md': 'guide-commands.long',
}

/**
 * Commands of the first need root, systemd, containers or a cluster, and test/guide-deployment checks them without running them;
 * that of the second names servers of an example, and test/gateway/upstream-servers does the same with its own.
 */
const ONLY_CHECKED = ['docs/guide/deployment.md', 'docs/guide/several-servers.md']

test('a test runs the commands of each guide', () => {
  const withCommands = documents.filter(
    (path) => !path.startsWith('examples/') && /^```sh$/m.test(readFileSync(join(root, path), 'utf8')),
  )
  assert.deepEqual(withCommands.toSorted(), [...Object.keys(RUN_BY), ...ONLY_CHECKED].toSorted())
  for (const [path, name] of Object.entries(RUN_BY)) {
    const [guide = ''] = /[\w-]+(?=\.md$)/.exec(path) ?? []
    assert.ok(
      readFileSync(join(root, 'test', `${name}.test.ts`), 'utf8').includes(guide),
      `${name} does not name ${guide}`,
    )
  }
})

test('every code that guides and examples name is in the reference', () => {
  const reference = ['errors', 'log-events']
    .map((page) => readFileSync(join(root, `docs/reference/${page}.md`), 'utf8'))
    .join()
  for (const path of documents) {
    for (const [code] of readFileSync(join(root, path), 'utf8').matchAll(/\bGW_[A-Z]\w*[A-Z]\b/g)) {
      assert.ok(reference.includes(`\`${code}\``), `${path}: ${code}`)
    }
  }
})

/** Runs the blocks of `curl` of a guide; returns their output. */
async function runCurl(guide: string, url: string): Promise<string> {
  const commands = guideBlocks(guide, 'sh').filter((block) => block.includes('curl'))
  const script = commands.join('').replaceAll('http://localhost:8080', url)
  return (await promisify(execFile)('/bin/sh', ['-c', script], { timeout: 30_000 })).stdout
}

test('the guide to rate limiting shows what its first route does', { skip: curlMissing }, async () => {
  const [route = ''] = guideBlocks('rate-limiting', 'json')
  await using running = await RunningGateway.start({ routes: { shop: JSON.parse(route) as object } })
  const output = await runCurl('rate-limiting', running.url)
  assert.match(output, /^200 200 200 429 HTTP\/1\.1 429 Too Many Requests/)
  assert.match(output, /^Retry-After: [1-4]\r?$/m)
  assert.match(output, /^RateLimit-Policy: "gateway";q=3;w=10\r?$/m)
})

test('the filter of the guide to extending works, and mistakes in its fields are found', {
  skip: curlMissing,
}, async () => {
  const [module = ''] = guideBlocks('extending', 'js')
  const [route = ''] = guideBlocks('extending', 'jsonc')
  await using running = await RunningGateway.start({
    files: { 'extra/tenant.js': module },
    routes: { tenants: JSON.parse(route) as object },
  })
  assert.equal(await runCurl('extending', running.url), 'red 404\n')
  const { directory } = running.instance
  const schema = await gateway(['schema', 'TenantFilter', '--instance', directory])
  assert.equal((JSON.parse(schema.stdout) as { title: string }).title, 'TenantFilter')
  running.instance.write(
    'config/routes/wrong.json',
    route.replace('"tenants": [', '"tenant": [').replace('"tenants",', '"b",'),
  )
  const { stdout } = await gateway(['validate', '--instance', directory])
  assert.match(stdout, /\/handler\/config\/filters\/0\/config\/tenant: unknown field; did you mean "tenants"\?/)
})

test('the guide to HTTP/2 shows a request by prior knowledge', { skip: curlMissing }, async () => {
  await using running = await RunningGateway.start({ routes: { page: textRoute('${request.version}') } })
  assert.equal(await runCurl('http2', running.url), 'HTTP/2')
})

test('the variables of the guide to observability name the service and its sampler to a collector', async () => {
  await using receiver = await OtlpReceiver.start()
  const [exports = ''] = guideBlocks('observability', 'sh')
  const variables = [...exports.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value])
  const env = {
    ...Object.fromEntries(variables),
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_METRIC_EXPORT_INTERVAL: '200',
  }
  assert.equal(env.OTEL_TRACES_SAMPLER_ARG, '0.01')
  await using running = await RunningGateway.start({ routes: { page: textRoute('page') }, env })
  await running.ask('/page')
  await waitUntil('metrics arrived', () => receiver.bodies.some(({ path }) => path === '/v1/metrics'))
  assert.match(JSON.stringify(receiver.bodies), /"service.name","value":\{"stringValue":"edge-gateway"/)
  assert.deepEqual(running.log.with(/GW_TELEMETRY_SETTING_IGNORED/), [])
})

test('the commands of the guide to troubleshooting find an access line, a route and no mistakes', async () => {
  await using running = await RunningGateway.start({
    admin: { accessLog: { destination: 'logs/access.log' } },
    routes: { hello: textRoute('hello', { condition: "${request.uri.path == '/hello'}" }) },
  })
  const { directory } = running.instance
  const { headers } = await running.ask('/hello')
  const [block = ''] = guideBlocks('troubleshooting', 'sh')
  const script = block
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/, String(headers['x-vendor-transactionid']))
    .replaceAll('my-gateway', directory)
    .replaceAll(/^gateway/gm, join(root, 'bin/gateway'))
  await waitUntil(
    'the access line is written',
    () =>
      existsSync(join(directory, 'logs/access.log')) && readFileSync(join(directory, 'logs/access.log'), 'utf8') !== '',
  )
  const { stdout } = await promisify(execFile)('/bin/sh', ['-ec', script], { timeout: 60_000 })
  assert.match(stdout, /^\{.*"path":"\/hello","status":200/)
  assert.match(stdout, /^Route: hello /m)
  assert.match(stdout, /^valid: 1 route file/m)
})

/** Runs the commands of the gateway in a guide, in their order; a folder of the reader is the given one. */
async function runGateway(path: string, folder: string, at: string): Promise<CommandResult[]> {
  const results: CommandResult[] = []
  for (const words of gatewayCommands(path)) {
    const result = await gateway(words.map((word) => (word === folder ? at : word)))
    results.push(result)
  }
  return results
}

test('the commands of the guide for files of OpenIG find their work, migrate them and explain a request', async () => {
  using folder = new Folder({
    'config/config.json': JSON.stringify({
      heap: { objects: [{ name: 'LogSink', type: 'ConsoleLogSink', config: { level: 'DEBUG' } }] },
      handlerObject: { type: 'Router', config: {} },
    }),
    'config/routes/01-home.json': JSON.stringify({
      condition: "${matches(request.uri.path, '^/home')}",
      handler: {
        type: 'Chain',
        config: {
          filters: [{ type: 'CaptureFilter', config: { file: '/tmp/gateway.log' } }],
          handler: { type: 'StaticResponseHandler', config: { status: 200, reason: 'OK', entity: 'home' } },
        },
      },
    }),
  })
  const [first, shown, written, checked, explained, schema] = await runGateway(
    'docs/guide/coming-from-pinggateway.md',
    'my-copy',
    folder.path,
  )
  assert.deepEqual([first?.code, shown?.code, written?.code], [0, 0, 0], written?.stderr ?? '')
  assert.match(first?.stderr ?? '', /handlerObject is deprecated; use handler instead/)
  assert.match(shown?.stdout ?? '', /^-.*"handlerObject"/m)
  assert.match(written?.stderr ?? '', /^2 files /)
  const { warnings = [], valid } = JSON.parse(checked?.stdout ?? '') as {
    valid: boolean
    warnings: { message: string }[]
  }
  assert.deepEqual([valid, warnings.filter(({ message }) => message.includes('deprecated'))], [true, []])
  assert.match(explained?.stdout ?? '', /^Route: 01-home /m)
  assert.ok('properties' in (JSON.parse(schema?.stdout ?? '{}') as object))
})

test('the commands of the guide to upgrading check an instance, and restart the unit of deploy/systemd', async () => {
  using folder = new Folder({})
  assert.equal((await gateway(['init', folder.in('my-gateway')])).code, 0)
  const [version, checked] = await runGateway('docs/guide/upgrading.md', 'my-gateway', folder.in('my-gateway'))
  assert.match(version?.stdout ?? '', /^gateway +\d+\.\d+\.\d+$/m)
  assert.match(checked?.stdout ?? '', /^valid: /m)
  const restart = guideBlocks('upgrading', 'sh')
    .join('')
    .match(/^systemctl restart (\S+)$/m)?.[1]
  assert.ok(existsSync(join(root, `deploy/systemd/${restart}.service`)), restart ?? 'no unit')
})
