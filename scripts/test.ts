// npm test: everything a change has to pass. Words after `--` choose test files: `npm test -- router`.
// The tests come last, so that the closing lines of the run are the counts that Node prints.
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { bin, root, runSteps, type Step, staticSteps } from './steps.ts'

/** No test may hang a run: each has a minute, far beyond what any of them needs. */
const testTimeout = 60_000

const words = process.argv.slice(2)
const files = testFiles(words)
if (files.length === 0) {
  console.error(`no test file matches ${words.map((word) => JSON.stringify(word)).join(' or ')}; see src/ and test/`)
  process.exit(64)
}

const tests: Step = {
  title:
    words.length > 0 ? `tests (${files.length} files matching ${words.join(', ')})` : `tests (${files.length} files)`,
  command: [
    bin('node'),
    // The gateway runs with these two flags (bin/gateway), so its tests do too.
    '--enable-experimental-regexp-engine-on-excessive-backtracks',
    '--disable-warning=ExperimentalWarning',
    '--test',
    `--test-timeout=${testTimeout}`,
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    '--test-reporter=spec',
    ...files,
  ],
}
const packages: Step = { title: 'system packages', command: [`${root}/scripts/debian-packages.sh`, 'nginx'] }

// Somebody who names a test wants that test: the rest of the run would only stand in the way.
process.exitCode = runSteps(words.length > 0 ? [tests] : [...staticSteps, packages, tests]) ? 0 : 1

function testFiles(filter: readonly string[]): string[] {
  return globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
    .filter((file) => filter.length === 0 || filter.some((word) => file.includes(word)))
    .sort()
}
