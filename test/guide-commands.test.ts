// Commands and codes that README and guides name exist; guides with a gateway of their own are run.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { gateway } from '#test/command-line'
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
  'docs/guide/audit.md': 'guide-audit',
  'docs/guide/editors.md': 'guide-editors.long',
  'docs/guide/extending.md': 'guide-commands',
  'docs/guide/getting-started.md': 'guide-demo',
  'docs/guide/http2.md': 'guide-commands',
  'docs/guide/keycloak.md': 'guide-keycloak',
  'docs/guide/login.md': 'guide-demo',
  'docs/guide/management-api.md': 'guide-management-api',
  'docs/guide/monitoring.md': 'guide-monitoring',
  'docs/guide/oauth2.md': 'guide-demo',
  'docs/guide/observability.md': 'guide-commands',
  'docs/guide/openam.md': 'guide-openam',
  'docs/guide/rate-limiting.md': 'guide-commands',
  'docs/guide/tls.md': 'guide-tls',
  'docs/guide/troubleshooting.md': 'guide-commands',
}

/** Documents whose commands are only checked, since they need root, a network, long times or files of the reader. */
const NOT_RUN: readonly string[] = [
  'docs/guide/coming-from-pinggateway.md',
  'docs/guide/deployment.md',
  'docs/guide/install.md',
  'docs/guide/performance.md',
  'docs/guide/upgrading.md',
]

test('a test runs the commands of each guide, unless they can not be run everywhere', () => {
  const withCommands = documents.filter(
    (path) => !path.startsWith('examples/') && /^```sh$/m.test(readFileSync(join(root, path), 'utf8')),
  )
  assert.deepEqual(withCommands.toSorted(), [...Object.keys(RUN_BY), ...NOT_RUN].toSorted())
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
