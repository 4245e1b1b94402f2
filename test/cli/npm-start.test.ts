// `npm start` as it is typed: npm, a shell, the launcher and the gateway are one after the other in the same process tree.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

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
  const ports = ['--port', '0', '--admin-port', '0', '--am-port', '0']
  const npm = spawn('npm', ['start', '--silent', '--', ...ports, '--json'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own: what is left of it can be ended whatever the test finds.
    detached: true,
  })
  try {
    let output = ''
    const ready = /^\{\n[\s\S]*?^\}$/m
    for await (const text of npm.stdout.setEncoding('utf8')) {
      output += text
      if (ready.test(output)) break
    }
    const told = JSON.parse(ready.exec(output)?.[0] ?? assert.fail(`no demo:\n${output}`)) as { instance: string }
    assert.ok(existsSync(told.instance))
    const closed = once(npm, 'exit')
    npm.kill('SIGTERM')
    await closed
    // The demo removes its folder as the last thing it does.
    const deadline = performance.now() + 30_000
    while (existsSync(told.instance) && performance.now() < deadline) await new Promise((done) => setTimeout(done, 20))
    assert.equal(existsSync(told.instance), false, 'the demo goes on without npm')
  } finally {
    try {
      process.kill(-(npm.pid as number), 'SIGKILL')
    } catch {
      // Nothing of it is left.
    }
  }
})
