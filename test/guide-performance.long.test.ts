// The commands of the guide performance.md, with the shortest measurements: `npm run docs:test`.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { guideBlocks } from '#test/guide'

const root = join(import.meta.dirname, '..')
const TIMEOUT = 900_000

/** Benchmarks of a command, without its options and comment. */
const commands = guideBlocks('performance', 'sh')
  .join('')
  .split('\n')
  .filter((line) => line.startsWith('npm run bench'))
  .map((line) => line.replace(/\s+#.*$/, '').replace(/^npm run bench( -- )?/, ''))

async function bench(words: readonly string[]): Promise<string> {
  const node = join(root, 'node_modules/.bin/node')
  const options = { cwd: root, timeout: TIMEOUT, maxBuffer: 64 * 1_024 * 1_024 }
  return (await promisify(execFile)(node, ['bench/main.ts', ...words], options)).stdout
}

test('every benchmark of the guide runs, and prints a table', { timeout: 8 * TIMEOUT }, async (t) => {
  assert.ok(commands.length > 8, commands.join())
  for (const command of new Set(commands)) {
    const words = command
      .replace(/--rounds \d+/, '--rounds 1')
      .replace(/--seconds \d+/, '--seconds 1')
      .split(' ')
      .filter((word) => word !== '')
    await t.test(`bench ${words.join(' ')}`, { timeout: TIMEOUT }, async () => {
      const isMeasured = words.length > 0 && !words.includes('--help')
      const shortest = isMeasured && !words.includes('--rounds') ? ['--rounds', '1', '--seconds', '1'] : []
      const output = await bench([...(words.length === 0 ? ['--help'] : words), ...shortest])
      assert.ok(output.split('\n').length > 3, output)
    })
  }
})
