import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { GATEWAY_COMMAND } from '#test/installation'
import { COMMANDS } from './commands.ts'

test('without a command, and with help, the overview lists every command', async () => {
  const overview = await gateway([])
  assert.equal(overview.code, 0)
  for (const { name, summary } of COMMANDS) assert.match(overview.stdout, new RegExp(`^  ${name} +${summary}$`, 'm'))
  assert.equal((await gateway(['help'])).stdout, overview.stdout)
  assert.equal((await gateway(['--help'])).stdout, overview.stdout)
})

test('the help of every command has usage, options, exit codes and an example', async () => {
  for (const { name } of COMMANDS) {
    const { code, stdout } = await gateway([name, '--help'])
    assert.equal(code, 0)
    for (const part of ['Usage:\n  gateway ', 'Options:\n', '--json', '--help', 'Exit codes:\n', 'Examples:\n  # '])
      assert.ok(stdout.includes(part), `${name}: no ${JSON.stringify(part)}`)
    assert.equal((await gateway(['help', name])).stdout, stdout)
  }
})

test('an unknown command or option, or an extra argument, is a usage error with advice', async () => {
  const cases: [string[], string][] = [
    [['vallidate'], 'gateway: unknown command "vallidate"; did you mean "validate"?\nTry: gateway help\n'],
    [['xyz'], 'gateway: unknown command "xyz"\nTry: gateway help\n'],
    [
      ['run', '--instanse', 'x'],
      'gateway: run: unknown option --instanse; did you mean "--instance"?\nTry: gateway run --help\n',
    ],
    [['run', '--instance'], 'gateway: run: --instance needs a value: --instance DIR\nTry: gateway run --help\n'],
    [
      ['run', '--instance', '--json'],
      'gateway: run: --instance needs a value: --instance DIR\nTry: gateway run --help\n',
    ],
    [['version', '--json=yes'], 'gateway: version: --json takes no value\nTry: gateway version --help\n'],
    [
      ['version', 'x'],
      'gateway: version: unexpected argument "x"; usage: gateway version [--json]\nTry: gateway version --help\n',
    ],
    [['init'], 'gateway: init: missing argument; usage: gateway init DIR [--json]\nTry: gateway init --help\n'],
    [
      ['demo', '--port', 'x'],
      'gateway: demo: --port: expected a port from 0 to 65535, got "x"\nTry: gateway demo --help\n',
    ],
    [
      ['run', '--instance', 'a', '--instance', 'b'],
      'gateway: run: --instance is given twice\nTry: gateway run --help\n',
    ],
  ]
  for (const [words, stderr] of cases) assert.deepEqual(await gateway(words), { code: 64, stdout: '', stderr })
})

test('an empty directory is a usage error, not the current folder', async () => {
  for (const [words, message] of [
    [['validate', '--instance', ''], 'gateway: validate: --instance is empty; name a folder, or . for the current one'],
    [['run', '--state='], 'gateway: run: --state is empty; name a folder, or . for the current one'],
    [
      ['init', ''],
      'gateway: init: an argument is empty; name a folder, or . for the current one; usage: gateway init DIR',
    ],
    [['diff', ''], 'gateway: diff: an argument is empty; name a folder, or . for the current one; usage: '],
    [['validate', ''], 'gateway: validate: an argument is empty; name a file or a folder; usage: '],
  ] as const) {
    const { code, stderr } = await gateway(words)
    assert.deepEqual([code, stderr.startsWith(message)], [64, true], stderr)
  }
})

test('an instance that is named and does not exist is an error of every command', async () => {
  for (const words of [
    ['routes'],
    ['routes', '--folder'],
    ['top', '--once'],
    ['diff'],
    ['schema', '--list'],
    ['release', 'list'],
    ['run'],
  ]) {
    const expected = '/nonexist: no such directory; create one with: gateway init /nonexist\n'
    assert.deepEqual(await gateway([...words, '--instance', '/nonexist']), { code: 78, stdout: '', stderr: expected })
  }
  const { code, stderr } = await gateway(['routes'], { env: { GATEWAY_INSTANCE_DIR: '/nonexist' } })
  assert.deepEqual([code, /^\/nonexist: no such directory/.test(stderr)], [78, true])
})

test('a file in the place of an instance is reported as such', async () => {
  using folder = new Folder({ file: '' })
  const { code, stderr } = await gateway(['run', '--instance', folder.in('file')])
  assert.equal(code, 78)
  assert.match(stderr, /\/file: not a directory; name the directory of the instance/)
})

test('errors of a subcommand have one prefix', async () => {
  for (const [words, message] of [
    [['keys', 'x'], 'gateway: keys: expected generate, got "x"\n'],
    [['keys', 'generate', '--days', 'x'], 'gateway: keys: --days: expected '],
    [['script', 'x', 'y'], 'gateway: script: expected check or run or migrate, got "x"\n'],
    [['script', 'run', 'a.js', 'b.js'], 'gateway: script run: expected one file\n'],
    [['release', 'x'], 'gateway: release: expected list, '],
    [['release', 'show', 'x'], 'gateway: release show: expected the number of a release, got "x"\n'],
  ] as const) {
    const { code, stderr } = await gateway(words)
    assert.deepEqual([code, stderr.startsWith(message)], [64, true], stderr)
  }
})

test('output that can not be written is one line, and exit code 74', { skip: !existsSync('/dev/full') }, () => {
  const full = openSync('/dev/full', 'w')
  try {
    const { status, stderr } = spawnSync(GATEWAY_COMMAND, ['--help'], { stdio: ['ignore', full, 'pipe'] })
    assert.deepEqual(
      [status, stderr.toString()],
      [74, 'gateway: standard output can not be written: ENOSPC: no space left on device, write\n'],
    )
    assert.equal(spawnSync(GATEWAY_COMMAND, ['unknown'], { stdio: ['ignore', 'pipe', full] }).status, 74)
  } finally {
    closeSync(full)
  }
})

test('colours are used on terminals only, and not with NO_COLOR', async () => {
  const colour = '\u001b['
  assert.ok((await gateway(['help'], { terminal: true })).stdout.includes(colour))
  assert.ok(!(await gateway(['help'])).stdout.includes(colour))
  assert.ok(!(await gateway(['help'], { terminal: true, env: { NO_COLOR: '1' } })).stdout.includes(colour))
})

test('version prints the versions of gateway and platform', async () => {
  const { code, stdout } = await gateway(['version', '--json'])
  assert.equal(code, 0)
  const versions = JSON.parse(stdout) as Record<string, string>
  assert.deepEqual(Object.keys(versions), ['gateway', 'revision', 'node', 'v8', 'openssl'])
  assert.equal(versions['node'], process.versions.node)
  assert.match((await gateway(['version'])).stdout, /^gateway +\d+\.\d+\.\d+$/m)
})
