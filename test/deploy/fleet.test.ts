// The files of deploy/fleet: the settings of its gateways, its release, and the configurations of HAProxy. The manifest is validated
// by kubernetes.long.test.ts, the commands of its guide by guide-fleet.long.test.ts.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { RunningGateway } from '#test/gateway'
import { freePort } from '#test/nginx'

const FLEET = join(import.meta.dirname, '..', '..', 'deploy', 'fleet')
const read = (path: string): string => readFileSync(join(FLEET, path), 'utf8')
const MANIFEST = read('kubernetes.yaml')
const COMPOSE = read('compose.yaml')

/** A text of a ConfigMap. */
function mapped(name: string): string {
  const found = new RegExp(`^ {2}${name.replace('.', '\\.')}: \\|\\n((?: {4}.*\\n|\\n)+)`, 'm').exec(MANIFEST)
  assert.ok(found, `${name} in kubernetes.yaml`)
  return (found[1] as string).replaceAll(/^ {4}/gm, '')
}

const SETTINGS = { compose: read('instance/config/admin.json'), kubernetes: mapped('admin.json') }
const BALANCERS = { compose: read('haproxy.cfg'), kubernetes: mapped('haproxy.cfg') }

for (const [name, admin] of Object.entries(SETTINGS)) {
  test(`admin.json of ${name} is valid, with a label from the environment`, async () => {
    using folder = new Folder({ 'config/admin.json': admin })
    const words = ['validate', '--instance', folder.path]
    const { code, stdout, stderr } = await gateway(words, { env: { GATEWAY_STAGE: 'production' } })
    assert.equal(code, 0, `${stdout}${stderr}`)
  })
}

test('the variable of the label is set for every gateway', () => {
  assert.match(COMPOSE, /^ {4}GATEWAY_STAGE: production$/m)
  assert.match(MANIFEST, /- name: GATEWAY_STAGE\n\s+value: production\n/)
})

test('endpoints of the store are members of the cluster', () => {
  const endpoints = (text: string) => [...text.matchAll(/"http:\/\/([\w.-]+):2379"/g)].map(([, host]) => host as string)
  const members = [...COMPOSE.matchAll(/ETCD_NAME: (\S+)/g)].map(([, host]) => host as string)
  assert.deepEqual(endpoints(SETTINGS.compose), members)
  const [cluster = ''] = /--initial-cluster=\S+/.exec(MANIFEST) ?? []
  assert.equal(endpoints(SETTINGS.kubernetes).length, 3)
  for (const host of endpoints(SETTINGS.kubernetes)) assert.ok(cluster.includes(`http://${host}:2380`), host)
})

test('connections in their handshake are given to the units that take over a port', () => {
  assert.match(COMPOSE, /^ {2}sysctls:\n {4}net\.ipv4\.tcp_migrate_req: 1$/m)
  const host = readFileSync(join(FLEET, '..', 'systemd', 'identity-gateway.sysctl.conf'), 'utf8')
  assert.match(host, /^-net\.ipv4\.tcp_migrate_req = 1$/m)
})

test('a gateway is not killed before its drain can end', () => {
  const [, delay] = /"shutdownDelay": "(\d+) seconds"/.exec(SETTINGS.compose) ?? []
  const [, stop] = /stop_grace_period: (\d+)s/.exec(COMPOSE) ?? []
  const [, end] = /terminationGracePeriodSeconds: (\d+)/.exec(MANIFEST) ?? []
  for (const time of [stop, end]) assert.ok(Number(time) >= Number(delay) + 30, `${time} s`)
})

test('the route of the release loads, and limits requests while Redis is not there', async () => {
  const route = read('release/config/routes/limited.json').replace('redis:6379', `127.0.0.1:${await freePort()}`)
  await using running = await RunningGateway.start({ files: { 'config/routes/limited.json': route } })
  const { status, text } = await running.ask('/hello')
  assert.deepEqual([status, text], [200, 'Hello from the fleet\n'])
})

const haproxyMissing =
  spawnSync('haproxy', ['-v']).status === 0 ? false : 'NOTICE: haproxy is not on the PATH; nothing was checked with it'

for (const [name, text] of Object.entries(BALANCERS)) {
  test(`haproxy accepts its configuration of ${name}`, { skip: haproxyMissing }, () => {
    using folder = new Folder({ 'haproxy.cfg': text })
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', folder.in('haproxy.cfg')], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  })
}
