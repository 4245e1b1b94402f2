// `npm start` as users run it: npm, a shell, the launcher and the gateway in one process tree.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { once, within } from '#test/waiting'

const root = join(import.meta.dirname, '..', '..')

function hasNpm(): boolean {
  try {
    return execFileSync('npm', ['--version'], { stdio: 'pipe' }).length > 0
  } catch {
    return false
  }
}

test('SIGTERM to npm start ends the demo', {
  skip: !hasNpm() && 'npm is not installed',
  timeout: 120_000,
}, async () => {
  const ports = ['--port', '0', '--tls-port', '0', '--admin-port', '0', '--am-port', '0']
  const npm = spawn('npm', ['start', '--silent', '--', ...ports, '--json'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A separate process group, so that remaining processes can be killed in any case.
    detached: true,
  })
  try {
    const { promise: ready, resolve } = Promise.withResolvers<{ readonly instance: string }>()
    let output = ''
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const [facts] = /^\{\n[\s\S]*?^\}$/m.exec(output) ?? []
      if (facts !== undefined) resolve(JSON.parse(facts))
    })
    const { instance } = await within('npm start wrote its facts', ready)
    assert.ok(existsSync(instance))
    npm.kill('SIGTERM')
    // The pipe closes with the last process that writes to it, which is the demo.
    await once(npm, 'close', { signal: AbortSignal.timeout(30_000) })
    assert.equal(existsSync(instance), false)
  } finally {
    try {
      process.kill(-(npm.pid as number), 'SIGKILL')
    } catch {
      // No process of the group is left.
    }
  }
})
