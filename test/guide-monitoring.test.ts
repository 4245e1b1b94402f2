// The files of the guide to monitoring are valid for Prometheus, and its metrics exist.
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promtool, promtoolMissing } from '#test/promtool'

const root = join(import.meta.dirname, '..')
const guide = readFileSync(join(root, 'docs/guide/monitoring.md'), 'utf8')

test('promtool accepts the configuration and the rules', { skip: promtoolMissing }, () => {
  const [configuration, rules] = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, yaml]) => yaml as string)
  const directory = mkdtempSync(join(tmpdir(), 'gateway-prometheus-'))
  try {
    writeFileSync(join(directory, 'prometheus.yml'), configuration as string)
    writeFileSync(join(directory, 'gateway-rules.yml'), rules as string)
    writeFileSync(join(directory, 'gateway.password'), 'secret')
    const { status, output } = promtool(['check', 'config', join(directory, 'prometheus.yml')])
    assert.equal(status, 0, output)
    assert.match(output, /is valid prometheus config file syntax/)
    assert.match(output, /SUCCESS: 7 rules found/)
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test('every metric of the guide exists in the gateway', () => {
  const sources = globSync('{src,packages}/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  const named = new Set(guide.match(/\b(?:gw|process)_[a-z0-9_]+/g))
  assert.ok(named.size > 40)
  assert.deepEqual(
    [...named].filter((name) => !sources.includes(`'${name}'`)),
    [],
  )
})
