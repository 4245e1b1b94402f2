import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { ATTACK_NAMES } from '#test/hostile/hostile-clients'

const root = join(import.meta.dirname, '..', '..')

function soak(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(root, 'scripts', 'soak.ts'), ...args], { encoding: 'utf8', timeout: 50_000 })
}

test('npm run soak -- --help lists the options and the kinds of hostile clients, and starts no gateway', () => {
  const { status, stdout, stderr } = soak('--help')
  assert.deepEqual([status, stderr], [0, ''])
  for (const text of ['--minutes', '--hostile', '--attack', ...ATTACK_NAMES]) assert.ok(stdout.includes(text), text)
})

test('an invalid command line of npm run soak exits with 64 and the reason', () => {
  for (const [args, reason] of [
    [['--minutes', 'x'], '--minutes: expected a number above 0, got "x"'],
    [['--hostile', '--attack', 'none'], '--attack: unknown kind "none"'],
    [['--minuets', '1'], "Unknown option '--minuets'"],
  ] as const) {
    const { status, stderr } = soak(...args)
    assert.equal(status, 64, stderr)
    assert.ok(stderr.startsWith(`soak: ${reason}`), stderr)
  }
})
