// npm run fuzz -- --seconds N [words]: property tests with new seeds until the time has passed. Words select files.
// A failure prints its seed; FUZZ_SEED=<seed> npm test -- <file> reproduces it.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { bin, root } from './steps.ts'

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, help: { type: 'boolean' } },
  allowPositionals: true,
})
const USAGE = 'usage: npm run fuzz -- [--seconds N] [part of a file name ...]'
if (values.help === true) {
  console.log(USAGE)
  process.exit(0)
}
const seconds = Number(values.seconds)
const files = randomTests(positionals)
if (!(seconds > 0) || files.length === 0) {
  console.error(USAGE)
  process.exit(64)
}

console.log(`${files.length} files with random tests, for ${seconds} s`)
const end = performance.now() + seconds * 1000
let [rounds, failures] = [0, 0]
do {
  const seed = randomInt(2 ** 31)
  rounds++
  if (!passes(seed)) failures++
} while (performance.now() < end && failures === 0)
console.log(`${rounds} rounds, ${failures} failed`)
process.exitCode = failures === 0 ? 0 : 1

/** Test files with random values. */
function randomTests(words: readonly string[]): string[] {
  return globSync(['{src,packages,dev,test}/**/*.test.ts'], { cwd: root })
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .filter((file) => /from 'fast-check'|FUZZ_(SEED|RUNS)/.test(readFileSync(join(root, file), 'utf8')))
    .sort()
}

function passes(seed: number): boolean {
  const args = [
    '--enable-experimental-regexp-engine-on-excessive-backtracks',
    '--disable-warning=ExperimentalWarning',
    `--import=${pathToFileURL(join(root, 'test', 'support', 'fixed-seed.ts')).href}`,
    '--test',
    // A random value that makes a test this slow is a failure too.
    '--test-timeout=600000',
    '--test-reporter=dot',
    ...files,
  ]
  const env = { FUZZ_RUNS: '2000', ...process.env, FUZZ_SEED: String(seed) }
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync(bin('node'), args, { cwd: root, env, encoding: 'utf8' })
  console.log(
    `seed ${seed}: ${status === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  )
  if (status !== 0) console.log(stdout + stderr)
  return status === 0
}
