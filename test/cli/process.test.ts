// Behaviour of the process: exit codes, streams, signals.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { GATEWAY_COMMAND } from '#test/installation'
import { PROBE_EXTENSION } from '#test/probe-extension'
import { SpawnedCommand } from '#test/spawned-command'
import { once } from '#test/waiting'

async function ended(words: readonly string[], env: Record<string, string> = {}) {
  await using command = new SpawnedCommand(words, env)
  const { code } = await command.exit
  return { code, stdout: command.stdout, stderr: command.stderr }
}

test('a usage error exits with 64', async () => {
  const { code, stdout, stderr } = await ended(['rnu'])
  assert.equal(code, 64)
  assert.equal(stdout, '')
  assert.equal(stderr, 'gateway: unknown command "rnu"; did you mean "run"?\nTry: gateway help\n')
})

test('validate exits with 78 and prints the location of the problem', async () => {
  using folder = new Folder({ 'config/routes/a.json': '{\n  "handler": "Missing"\n}' })
  const { code, stdout } = await ended(['validate', '--instance', folder.path])
  assert.equal(code, 78)
  const file = folder.in('config/routes/a.json')
  assert.equal(stdout, `${file}:2:3: /handler: no Handler named "Missing" in this heap or its parents\n`)
})

test('no command makes files that every user can write, whatever the umask', async () => {
  using folder = new Folder()
  const made = async (umask: string, name: string) => {
    const words = ['-c', `umask ${umask}; exec "$@"`, 'sh', GATEWAY_COMMAND, 'init', folder.in(name)]
    await using command = new SpawnedCommand(words, {}, '/bin/sh')
    assert.equal((await command.exit).code, 0, command.stderr)
    return ['', 'config/admin.json', 'config/routes', 'secrets'].map(
      (each) => statSync(folder.in(`${name}/${each}`)).mode & 0o777,
    )
  }
  assert.deepEqual(await made('000', 'a'), [0o775, 0o664, 0o775, 0o700])
  assert.deepEqual(await made('027', 'b'), [0o750, 0o640, 0o750, 0o700])
})

test('script run waits for a script that sleeps', async () => {
  using folder = new Folder({ 'a.groovy': 'Thread.sleep(20)\nnew Response(Status.ACCEPTED)' })
  const { code, stdout, stderr } = await ended(['script', 'run', folder.in('a.groovy')])
  assert.deepEqual([code, stdout.split('\n')[0], stderr], [0, '202 Accepted', ''])
})

test('run rejects a missing named instance, with the remedy', async () => {
  using folder = new Folder()
  const { code, stderr } = await ended(['run'], { GATEWAY_INSTANCE_DIR: folder.in('gone') })
  assert.equal(code, 78)
  assert.match(stderr, /gone: no such directory; create one with: gateway init .*gone\n$/)
})

test('run and validate accept no link to nothing in the place of admin.json, config.json or the password', async () => {
  const admin = { connectors: [{ port: 0 }], adminConnector: { port: 0 }, gatewayUnits: 1 }
  for (const [name, code] of [
    ['config/admin.json', 78],
    ['config/config.json', 1],
    ['secrets/gateway.admin.password', 1],
  ] as const) {
    using folder = new Folder({ 'config/admin.json': JSON.stringify(admin), 'secrets/other': '' })
    rmSync(folder.in(name), { force: true })
    symlinkSync(folder.in('unmounted'), folder.in(name))
    const run = await ended(['run', '--instance', folder.path])
    const message = `${folder.in(name)} is a symbolic link to ${folder.in('unmounted')}, which does not exist`
    assert.deepEqual([run.code, run.stderr.includes(message)], [code, true], run.stderr)
    if (name.startsWith('secrets')) continue
    const validate = await ended(['validate', '--instance', folder.path])
    assert.deepEqual([validate.code, validate.stdout.includes(message)], [78, true], validate.stdout)
  }
})

test('run accepts no link to nothing in the place of the folder of its configuration', async () => {
  using folder = new Folder()
  symlinkSync(folder.in('unmounted'), folder.in('config'))
  const { code, stderr } = await ended(['run', '--instance', folder.path])
  assert.equal(code, 78)
  assert.match(stderr, /config is a symbolic link to .*unmounted, which does not exist\n$/)
})

test('run exits with 1 if a port is in use, with the remedy', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => holder.once('listening', resolve))
  const { port } = holder.address() as AddressInfo
  const admin = { connectors: [{ port, host: '127.0.0.1' }], adminConnector: { port: 0 }, gatewayUnits: 1 }
  using folder = new Folder({ 'config/admin.json': JSON.stringify(admin) })
  const { code, stderr } = await ended(['run', '--instance', folder.path])
  holder.close()
  assert.equal(code, 1)
  assert.equal(
    stderr,
    `gateway: could not start: port ${port} on 127.0.0.1 is in use by another process; stop that, or change connectors[].port in config/admin.json (0 takes a free port)\n`,
  )
})

test('SIGTERM ends a gateway with a thread that can not be ended', async () => {
  const admin = {
    connectors: [{ port: 0, host: '127.0.0.1', gracePeriod: '100 ms' }],
    adminConnector: { port: 0 },
    gatewayUnits: 1,
  }
  const handler = { type: 'Chain', config: { filters: [{ type: 'FifoFilter' }], handler: 'ReverseProxyHandler' } }
  using folder = new Folder({
    'config/admin.json': JSON.stringify(admin),
    'config/config.json': JSON.stringify({ handler }),
    'extra/probe.js': PROBE_EXTENSION,
  })
  spawnSync('mkfifo', [folder.in('fifo')])
  await using command = new SpawnedCommand(['run', '--instance', folder.path])
  const [line] = await command.writes(/^.*"message":"the gateway is ready".*$/m)
  const { traffic } = JSON.parse(line) as { traffic: string[] }
  // Ends with the gateway.
  fetch(`${traffic[0]}/`, { headers: { 'X-File': folder.in('fifo') } }).catch(() => {})
  await command.writes(/a unit does not answer/)
  command.kill('SIGTERM')
  await command.writes(/the thread of a unit can not be ended/)
  assert.deepEqual(await command.exit, { code: null, signal: 'SIGKILL' })
  assert.match(command.stdout, /"message":"stopped"/)
})

test('run prints its addresses, and exits with 0 on SIGTERM', async () => {
  const admin = { connectors: [{ port: 0 }], adminConnector: { port: 0 }, gatewayUnits: 1 }
  using folder = new Folder({ 'config/admin.json': JSON.stringify(admin) })
  await using command = new SpawnedCommand(['run', '--instance', folder.path])
  const [line] = await command.writes(/^.*"message":"the gateway is ready".*$/m)
  const ready = JSON.parse(line) as { traffic: string[]; admin: string }
  assert.equal((await fetch(`${ready.traffic[0]}/`)).status, 200)
  assert.equal((await fetch(`${ready.admin}/ping`)).status, 200)
  command.kill('SIGUSR2')
  command.kill('SIGTERM')
  assert.deepEqual(await command.exit, { code: 0, signal: null })
})

test('system properties come from the command line, then JAVA_OPTS, then admin.json', async () => {
  const admin = {
    connectors: [{ port: 0 }],
    adminConnector: { port: 0 },
    gatewayUnits: 1,
    systemProperties: { one: 'admin', two: 'admin', three: "${system['one']}" },
  }
  const entity = "${system['one']} ${system['two']} ${system['three']} ${system['four']} &{five.token}"
  const route = { handler: { type: 'StaticResponseHandler', config: { status: 200, entity } } }
  using folder = new Folder({
    'config/admin.json': JSON.stringify(admin),
    'config/routes/a.json': JSON.stringify(route),
  })
  await using command = new SpawnedCommand(['run', '--instance', folder.path, '-Done=line', '-D', 'four=a=b'], {
    JAVA_OPTS: `-Xmx1g -Done=options "-Dtwo=with blanks" -Dfive.token='five'`,
  })
  const [line] = await command.writes(/^.*"message":"the gateway is ready".*$/m)
  const ready = JSON.parse(line) as { traffic: string[] }
  assert.equal(await (await fetch(`${ready.traffic[0]}/`)).text(), 'line with blanks line a=b five')
  command.kill('SIGTERM')
  assert.equal((await command.exit).code, 0)
})

test('missing folders of the default instance are created; a bad admin.json exits with 78', async () => {
  using home = new Folder({ '.gateway/config/admin.json': '{ "prefix": 1 }' })
  const { code, stderr } = await ended(['run'], { HOME: home.path })
  assert.equal(code, 78)
  assert.match(stderr, /admin\.json:1:3: \/prefix: expected /)
  for (const folder of ['config/routes', 'secrets', 'extra']) assert.ok(existsSync(home.in(`.gateway/${folder}`)))
})

test('variables by which other gateways name the instance are mentioned where the default instance runs', async () => {
  using home = new Folder({ '.gateway/config/admin.json': '{ "prefix": 1 }' })
  const other = { HOME: home.path, OPENIG_BASE: '/opt/openig' }
  const mention = `gateway: run: OPENIG_BASE is not read, and ${home.in('.gateway')} is served; name the instance with`
  assert.ok((await ended(['run'], other)).stderr.startsWith(mention))
  assert.doesNotMatch((await ended(['run'], { ...other, GATEWAY_INSTANCE_DIR: home.in('.gateway') })).stderr, /OPENIG/)
})

test('a missing home directory is named, with the remedy', { timeout: 60_000 }, async () => {
  const advice = /name (?:the|another) instance with --instance DIR or GATEWAY_INSTANCE_DIR\n/
  const unmakable = await ended(['run'], { HOME: '/proc/nonexistent' })
  assert.equal(unmakable.code, 1)
  assert.match(unmakable.stderr, /^gateway: run: \/proc\/nonexistent\/\.gateway can not be made: ENOENT/)
  assert.match(unmakable.stderr, advice)
  const none = await ended(['run'], { HOME: '' })
  assert.equal(none.code, 64)
  assert.match(none.stderr, /no home directory for ~\/\.gateway/)
  assert.match(none.stderr, advice)
  assert.deepEqual(await ended(['eval', '1 + 1'], { HOME: '' }), { code: 0, stdout: '2\n', stderr: '' })
})

test('errors of the system are one sentence with the remedy, and exit with 1', { timeout: 60_000 }, async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  using folder = new Folder({ 'route.json': '{ "handler": { "type": "WelcomeHandler" } }' })
  try {
    const taken = await ended(['demo', '--tls-port', '0', '--admin-port', '0', '--am-port', `${port}`])
    assert.deepEqual(taken, {
      code: 1,
      stdout: '',
      stderr: `gateway: demo: port ${port} is in use by another process; choose another one with --am-port, or 0 for a free one\n`,
    })
  } finally {
    holder.close()
  }
  const unwritable =
    /^gateway: \w+: the temporary directory \/proc\/nope can not be written: \w+; name another one with TMPDIR\n$/
  for (const words of [
    ['demo', '--port', '0', '--tls-port', '0', '--admin-port', '0', '--am-port', '0'],
    ['validate', folder.in('route.json')],
  ]) {
    const { code, stderr } = await ended(words, { TMPDIR: '/proc/nope' })
    assert.equal(code, 1)
    assert.match(stderr, unwritable)
  }
  const gone = await ended(['routes', '--gateway', `http://127.0.0.1:${port}`], { HOME: '' })
  assert.equal(gone.code, 69)
  assert.match(gone.stderr, /^gateway: routes: .*ECONNREFUSED.*\n$/)
})

test('an installation without optional dependencies ends with the command that installs Node', async () => {
  const root = join(import.meta.dirname, '..', '..')
  using folder = new Folder({
    'package-lock.json': '{}',
    'scripts/install-missing.mjs': readFileSync(join(root, 'scripts', 'install-missing.mjs'), 'utf8'),
    'npm-without-optional.js': '',
  })
  const env = { ...process.env, npm_execpath: folder.in('npm-without-optional.js') }
  const { status, stderr } = spawnSync(process.execPath, [folder.in('scripts/install-missing.mjs')], {
    env,
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.match(stderr, /optional dependency.*npm ci --include=optional/)
})
