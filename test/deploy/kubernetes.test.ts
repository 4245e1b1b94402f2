// The manifests of deploy/kubernetes, read as text; kubernetes.long.test.ts renders and validates them.
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { RunningGateway } from '#test/gateway'
import { isHealthPath } from '../../src/control/admin/health.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const MANIFEST = read('deploy/kubernetes/identity-gateway.yaml')
const { version } = JSON.parse(read('package.json')) as { version: string }

const all = (pattern: RegExp, text = MANIFEST): string[] =>
  [...text.matchAll(pattern)].map(([, value]) => value as string)

test('manifests have every kind of a production deployment', () => {
  const kinds = [
    'ConfigMap',
    'Deployment',
    'HorizontalPodAutoscaler',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'Service',
  ]
  const found = all(/^kind: (\w+)$/gm)
  for (const kind of [...kinds, 'ServiceAccount']) assert.ok(found.includes(kind), kind)
  assert.deepEqual(all(/^kind: (\w+)$/gm, read('deploy/kubernetes/service-monitor.yaml')), ['ServiceMonitor'])
})

test('probes request health endpoints of the gateway', () => {
  const paths = all(/path: (\/\S+)$/gm)
  assert.deepEqual(paths, ['/health/startup', '/health/ready', '/health/live'])
  for (const path of paths) assert.ok(isHealthPath(path))
})

test('the pod fits the restricted pod security standard, with a read-only root file system', () => {
  const settings = [
    'runAsNonRoot: true',
    'allowPrivilegeEscalation: false',
    'readOnlyRootFilesystem: true',
    'drop: [ALL]',
  ]
  for (const setting of [...settings, 'type: RuntimeDefault', 'automountServiceAccountToken: false'])
    assert.ok(MANIFEST.includes(setting), setting)
})

test('mounts are in the directories of the image', () => {
  const image = read('Dockerfile')
  const instance = /GATEWAY_INSTANCE_DIR=(\S+)/.exec(image)?.[1] as string
  const state = /GATEWAY_STATE_DIR=(\S+)/.exec(image)?.[1] as string
  for (const path of all(/mountPath: (\S+)$/gm))
    assert.ok(path === state || path === '/tmp' || path.startsWith(`${instance}/`), path)
  const uid = /^USER (\d+):/m.exec(image)?.[1]
  assert.deepEqual(all(/runAsUser: (\d+)/g), [uid])
})

test('the pod is not killed before its drain can end', () => {
  const [total] = all(/terminationGracePeriodSeconds: (\d+)/g).map(Number)
  const [delay] = all(/"shutdownDelay": "(\d+) seconds"/g).map(Number)
  const gracePeriod = /gracePeriod: config\(.*\n\s*\.default\('(\d+) seconds'\)/.exec(
    read('src/schema/connector-limits.ts'),
  )
  assert.ok(Number(total) >= Number(delay) + Number(gracePeriod?.[1]) + 10, `${total} s`)
})

test('the credential of scrapes opens the metrics and nothing else', async () => {
  const [text = ''] = all(/^ {2}admin\.json: \|\n((?: {4}.*\n)+)/gm)
  const { connectors: _, adminConnector: _host, gatewayUnits: _units, ...admin } = JSON.parse(text)
  using secrets = new Folder({ 'gateway.metrics.password': 'scrape\n' })
  const inFolder = JSON.stringify(admin).replaceAll('/etc/identity-gateway/secrets', secrets.path)
  await using gateway = await RunningGateway.start({
    admin: JSON.parse(inFolder),
    files: { 'secrets/gateway.admin.password': 'word' },
  })
  const statusOf = async (path: string, word: string) =>
    (await gateway.askAdmin(path, { headers: word === '' ? {} : { Authorization: `Bearer ${word}` } })).status
  const metrics = '/metrics/prometheus/0.0.4'
  assert.equal(await statusOf(metrics, 'scrape'), 200)
  for (const word of ['word', 'scrap', 'null', '']) assert.equal(await statusOf(metrics, word), 403, word)
  assert.deepEqual([await statusOf('/api/info', 'scrape'), await statusOf('/api/info', 'word')], [401, 200])
  secrets.write('gateway.metrics.password', 'renewed')
  assert.deepEqual([await statusOf(metrics, 'scrape'), await statusOf(metrics, 'renewed')], [403, 200])
  rmSync(secrets.in('gateway.metrics.password'))
  for (const word of ['renewed', 'null', '']) assert.equal(await statusOf(metrics, word), 403, word)
})

test('a scrape uses the credential of the metrics, not that of the management API', () => {
  const monitor = read('deploy/kubernetes/service-monitor.yaml')
  assert.deepEqual(all(/^ +key: (\S+)$/gm, monitor), ['gateway.metrics.password'])
})

test('chart, manifests and package have the same version', () => {
  const chart = read('deploy/helm/identity-gateway/Chart.yaml')
  assert.deepEqual(all(/^(?:app)?[vV]ersion: (\d\S*)$/gm, chart), [version, version])
  assert.deepEqual(all(/image: "?identity-gateway:([^"\s]+)/g), [version])
})
