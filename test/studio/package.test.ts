import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..', '..')

test('a packed package has the built pages of the Studio, the launcher and the sources, and no tests', async () => {
  // The build is there already; `npm pack` makes it by `prepack`.
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 16 * 1024 * 1024 })
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[]
  const paths = new Set(packed?.files.map(({ path }) => path))
  const built = readdirSync(join(root, 'studio', 'dist', 'assets')).map((name) => `studio/dist/assets/${name}`)
  assert.ok(built.length > 0)
  for (const path of ['bin/gateway', 'src/main.ts', 'schemas', 'studio/dist/index.html', ...built]) {
    assert.ok(paths.has(path) || [...paths].some((each) => each.startsWith(`${path}/`)), path)
  }
  assert.deepEqual(
    [...paths].filter((path) => path.endsWith('.test.ts') || path.startsWith('test/')),
    [],
  )
})
