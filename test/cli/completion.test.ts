// The completion scripts in the real shells.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { before, test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { COMMANDS } from '../../src/cli/commands.ts'

const folder = new Folder({ 'files/route.json': '{}', 'files/sub/x': '' })
process.on('exit', () => folder[Symbol.dispose]())

/** Whether a shell is missing, for `skip`. */
function missing(shell: string): string | false {
  return spawnSync(shell, ['--version']).status !== 0 && `${shell} is not installed`
}

const scripts: Record<string, string> = {}

before(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await gateway(['completion', shell])
    assert.equal(code, 0)
    scripts[shell] = folder.in(`gateway.${shell}`)
    folder.write(`gateway.${shell}`, stdout)
  }
})

/** Command lines before the cursor, with words that are offered and words that are not. */
const LINES: readonly { line: string; offers: readonly string[]; not?: readonly string[] }[] = [
  { line: 'gateway ', offers: COMMANDS.map(({ name }) => name) },
  { line: 'gateway va', offers: ['validate'], not: ['run'] },
  { line: 'gateway run --', offers: ['--instance', '--state', '--define', '--json', '--help'], not: ['--once'] },
  { line: 'gateway top --on', offers: ['--once'] },
  { line: 'gateway audit ', offers: ['verify', 'tail', 'query'], not: ['access'] },
  { line: 'gateway audit --instance x ', offers: ['verify', 'tail', 'query'] },
  { line: 'gateway keys generate --type ', offers: ['rsa', 'ec', 'ed25519'], not: ['generate'] },
  { line: 'gateway schema StaticR', offers: ['StaticRequestFilter', 'StaticResponseHandler'] },
  { line: 'gateway health ', offers: ['ready', 'live', 'startup'] },
  { line: 'gateway completion ', offers: ['bash', 'zsh', 'fish'] },
  { line: 'gateway validate files/', offers: ['files/route.json', 'files/sub'] },
  { line: 'gateway script check files/r', offers: ['files/route.json'] },
  { line: 'gateway run --instance files/', offers: ['files/sub'], not: ['files/route.json'] },
  { line: 'gateway help exp', offers: ['explain'] },
]

function check(offered: readonly string[], { line, offers, not = [] }: (typeof LINES)[number]): void {
  for (const word of offers) assert.ok(offered.includes(word), `${line}: no ${word} in: ${offered.join(' ')}`)
  for (const word of not) assert.ok(!offered.includes(word), `${line}: offers ${word}`)
}

test('bash completes commands, options, values and files', { skip: missing('bash') }, () => {
  for (const expected of LINES) {
    const words = expected.line.split(' ')
    const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gateway; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', program, '-', scripts['bash'] as string, ...words], {
      cwd: folder.path,
      encoding: 'utf8',
    })
    // compopt is for an interactive shell.
    assert.equal(stderr.replaceAll(/.*compopt: not currently executing.*\n/g, ''), '')
    check(stdout.split('\n'), expected)
  }
})

test('bash completes a value after =', { skip: missing('bash') }, () => {
  const program = `source "$1"; COMP_WORDS=(gateway keys generate --type = r); COMP_CWORD=5; _gateway; echo "\${COMPREPLY[@]}"`
  const { stdout } = spawnSync('bash', ['-c', program, '-', scripts['bash'] as string], { encoding: 'utf8' })
  assert.equal(stdout, 'rsa\n')
})

test('fish completes commands, options, values and files', { skip: missing('fish') }, () => {
  const lines = LINES.map(({ line }) => `echo "== "; complete --do-complete '${line}'`).join('; ')
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', `source ${scripts['fish']}; ${lines}`], {
    cwd: folder.path,
    encoding: 'utf8',
    env: { ...process.env, HOME: folder.path },
  })
  assert.equal(stderr, '')
  const sections = stdout.split('== \n').slice(1)
  for (const [at, expected] of LINES.entries()) {
    const offered = (sections[at] as string).split('\n').map((line) => line.split('\t')[0]?.replace(/\/$/, '') ?? '')
    check(offered, expected)
  }
})

test('zsh reads its script without an error', { skip: missing('zsh') }, () => {
  const { status, stderr } = spawnSync('zsh', ['-f', '-n', scripts['zsh'] as string], { encoding: 'utf8' })
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
})

test('every option of every command is completed', async () => {
  const { stdout } = await gateway(['completion', 'bash', '--json'])
  const completed = JSON.parse(stdout) as { name: string; options: { name: string }[] }[]
  for (const entry of COMMANDS) {
    const { options } = await entry.load()
    const names = completed.find(({ name }) => name === entry.name)?.options.map(({ name }) => name)
    assert.deepEqual(names, [...options.map(({ name }) => name), 'json', 'help'])
  }
})

test('an unknown shell is a usage error', async () => {
  const { code, stderr } = await gateway(['completion', 'fsh'])
  assert.equal(code, 64)
  assert.match(stderr, /expected bash, zsh, fish, got "fsh".*did you mean/)
})
