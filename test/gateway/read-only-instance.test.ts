// An instance that is mounted read-only: all written files are in the state directory.
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gateway as command } from '#test/command-line'
import { Folder } from '#test/folder'
import { pathRoute, RunningGateway } from '#test/gateway'
import { managing, ROUTES } from '#test/management'
import { waitUntil } from '#test/waiting'

/** Paths below a folder with their times of change. */
function snapshot(directory: string): Record<string, number> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(paths.map((path) => [path, statSync(join(directory, path)).mtimeMs]))
}

const jsonHandler = (logDirectory: string, name: string) => ({
  class: 'org.forgerock.audit.handlers.json.JsonAuditEventHandler',
  config: { name, topics: ['access'], logDirectory },
})

const CONFIG = {
  heap: [
    {
      name: 'AuditService',
      type: 'AuditService',
      config: {
        eventHandlers: [
          jsonHandler('logs/relative', 'relative'),
          jsonHandler('&{gateway.instance.dir}/logs/named', 'named'),
        ],
      },
    },
    // Every body spills to a file.
    {
      name: 'TemporaryStorage',
      type: 'TemporaryStorage',
      config: { initialLength: 1, memoryLimit: 1, directory: 'spill' },
    },
  ],
  handler: { type: 'Router', name: '_router' },
}

const SPILLED = { ...pathRoute('/echo', '${request.entity.string}') }

test('with a state directory nothing is written to the instance, and changes of routes are rejected with 403', async () => {
  using state = new Folder()
  await using running = await RunningGateway.start({
    state: state.path,
    files: { 'config/config.json': CONFIG },
    routes: { echo: SPILLED },
    env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' },
  })
  const { directory } = running.instance
  const ask = managing(running.adminUrl)

  // A changed file, as by a new version of a ConfigMap: the replaced version is in the history of the state directory.
  await running.deploy('echo', pathRoute('/echo', 'new: ${request.entity.string}'))
  const before = snapshot(directory)
  const response = await running.ask('/echo', { method: 'POST', body: 'a body that spills' })
  assert.equal(response.text, 'new: a body that spills')
  const rejected = [
    await ask('PUT', `${ROUTES}/added`, { body: pathRoute('/added', 'x') }),
    await ask('PUT', `${ROUTES}/echo`, { body: pathRoute('/echo', 'x') }),
    await ask('DELETE', `${ROUTES}/echo`),
  ]
  for (const { status, json } of rejected) {
    assert.equal(status, 403)
    assert.match(String(json['message']), /^the instance is read-only; change the route file/)
  }
  const checked = await ask('POST', `${ROUTES}?_action=validate`, { body: pathRoute('/x', 'x') })
  assert.equal(checked.status, 200, 'dry runs write nothing')
  assert.equal((await running.ask('/echo', { method: 'POST', body: 'b' })).text, 'new: b')
  assert.equal(await running.gateway.drain(), 0)

  assert.deepEqual(snapshot(directory), before)
  const written = readdirSync(state.path).sort()
  assert.deepEqual(written, ['history', 'logs', 'spill', 'tmp'])
  assert.equal(readdirSync(state.in('history')).length, 1)
  for (const name of ['relative', 'named']) {
    assert.match(readFileSync(state.in(`logs/${name}/access.audit.json`), 'utf8'), /"\/echo|\/echo"/)
  }
  assert.ok(existsSync(state.in('logs/audit')), 'changes of the configuration are audited')

  const words = ['audit', 'tail', '--instance', directory, '--state', state.path, '--handler', 'named', '-n', '1']
  const tail = await command(words)
  assert.equal(tail.code, 0, tail.stderr)
  assert.match(tail.stdout, /\/echo/)
})

/** Replaces the content of a folder as the kubelet does with a ConfigMap: links to files in `..data`, itself a link. */
function updateConfigMap(directory: string, version: string, files: Readonly<Record<string, unknown>>): void {
  mkdirSync(join(directory, version))
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(directory, version, name), JSON.stringify(content))
    if (!existsSync(join(directory, name))) symlinkSync(join('..data', name), join(directory, name))
  }
  symlinkSync(version, join(directory, '..data_tmp'))
  renameSync(join(directory, '..data_tmp'), join(directory, '..data'))
}

test('routes of a ConfigMap are deployed when the kubelet replaces its links', async () => {
  using state = new Folder()
  await using running = await RunningGateway.start({ state: state.path })
  const routes = join(running.instance.directory, 'config/routes')
  const text = async () => (await running.ask('/mounted')).text
  updateConfigMap(routes, '..2026_01', { 'mounted.json': pathRoute('/mounted', 'first') })
  await waitUntil('the first version is served', async () => (await text()) === 'first')
  updateConfigMap(routes, '..2026_02', { 'mounted.json': pathRoute('/mounted', 'second') })
  rmSync(join(routes, '..2026_01'), { recursive: true })
  await waitUntil('the second version is served', async () => (await text()) === 'second')
})

test('an instance or state directory that can not be written is reported with the remedy', async () => {
  using folder = new Folder({ 'instance/tmp': 'a file', 'instance/config/admin.json': '{}', state: 'a file' })
  writeFileSync(folder.in('blocked'), '')
  const alone = await command(['run', '--instance', folder.in('instance')])
  assert.equal(alone.code, 1)
  assert.match(
    alone.stderr,
    /^gateway: run: the instance \S+ can not be written: \S+tmp is a file, not a directory; name a directory for .* --state DIR or GATEWAY_STATE_DIR\n$/,
  )
  const words = ['run', '--instance', folder.in('instance')]
  const blocked = await command(words, { env: { GATEWAY_STATE_DIR: folder.in('blocked') } })
  assert.equal(blocked.code, 1)
  assert.match(blocked.stderr, /^gateway: run: the state directory \S+blocked can not be written: /)
})

test('validate and explain write nothing to the instance', async () => {
  using folder = new Folder({
    'config/admin.json': '{}',
    'config/routes/a.json': JSON.stringify(pathRoute('/a', 'a')),
  })
  assert.equal((await command(['validate', '--instance', folder.path])).code, 0)
  assert.equal((await command(['explain', '--instance', folder.path, 'GET http://localhost/a'])).code, 0)
  assert.deepEqual(readdirSync(folder.path), ['config'])
})

test('the token of the instance directory is that of the command, also where the environment names another', async () => {
  const config = {
    handler: { type: 'Router' },
    heap: [
      {
        name: 's',
        type: 'FileSystemSecretStore',
        config: { directory: '&{gateway.instance.dir}/secrets', format: 'PLAIN' },
      },
      {
        name: 'am',
        type: 'AmService',
        config: { url: 'http://127.0.0.1:1', agent: { username: 'a', passwordSecretId: 'a' }, secretsProvider: 's' },
      },
    ],
  }
  using folder = new Folder({ 'config/config.json': JSON.stringify(config), 'secrets/a': 'x' })
  const env = { GATEWAY_INSTANCE_DIR: folder.in('other') }
  const { code, stdout } = await command(['validate', '--instance', folder.path], { env })
  assert.equal(code, 0, stdout)
})
