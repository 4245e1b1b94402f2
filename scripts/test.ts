// npm test: all checks of a change. Words after `--` select test files: `npm test -- router`. Tests that take long
// (`*.long.test.ts`) run only when they are selected.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bin, root, runSteps, type Step, staticSteps } from './steps.ts'
import { bundle } from './test-bundle.ts'

/** Time limit of a test in milliseconds. Waits of tests end earlier and say what is missing (test/support/waiting.ts). */
const testTimeout = 60_000

/** Modules that each test process loads first. */
const preloaded = ['fixed-seed.ts', 'bounded-exit.ts']

/** Entry point of the units of gateways under test. */
const UNIT_THREAD = 'test/support/unit-thread.ts'

const words = process.argv.slice(2)
const files = testFiles(words)
if (files.length === 0) {
  console.error(
    `no test file matches ${words.map((word) => JSON.stringify(word)).join(' or ')}; see src/, dev/, test/ and studio/`,
  )
  process.exit(64)
}

const scratch = mkdtempSync(join(tmpdir(), 'gateway-test-'))
const record = join(scratch, 'tests.tap')
// Tests run in many processes, which would spend half of their time compiling the same modules.
process.env['NODE_COMPILE_CACHE'] ??= join(scratch, 'compiled')
const packages: Step = {
  title: 'system packages',
  command: [
    join(root, 'scripts', 'debian-packages.sh'),
    'nginx',
    'nghttp2-server:nghttpd',
    'nghttp2-client:h2load',
    'curl',
    'tinyproxy',
    'openssl',
    'redis-server',
    'chromium',
    'default-jre-headless:keytool',
    'prometheus:promtool',
  ],
}
const tests: Step = {
  title: `tests (${files.length} files)`,
  command: testCommand(words.length > 0 ? files : await testProcesses(files, scratch), record),
}

// With words on the command line only the selected tests run, without the static checks.
const passed = runSteps(words.length > 0 ? [tests] : [...staticSteps, packages, tests])
if (words.length === 0) console.log('\nNOTICE: without *.long.test.ts; `npm run studio:test` runs those of the Studio')
// The spec reporter prints details of failures after the counts, so the counts are repeated at the end.
console.log(`\n${closingCounts(record)}`)
rmSync(scratch, { recursive: true, force: true })
process.exitCode = passed ? 0 : 1

function testCommand(chosen: readonly string[], recordFile: string): readonly [string, ...string[]] {
  return [
    bin('node'),
    '--enable-source-maps',
    // Flags of the gateway (bin/gateway).
    '--enable-experimental-regexp-engine-on-excessive-backtracks',
    '--no-allocation-site-pretenuring',
    '--disable-warning=ExperimentalWarning',
    ...preloaded.map((file) => `--import=${pathToFileURL(join(root, 'test', 'support', file)).href}`),
    '--test',
    `--test-timeout=${testTimeout}`,
    `--test-concurrency=${availableParallelism() + 1}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${recordFile}`,
    ...chosen,
  ]
}

function testFiles(filter: readonly string[]): string[] {
  return globSync(['{src,dev,test,studio/src}/**/*.test.ts'], { cwd: root })
    .filter((file) => (filter.length === 0 ? !isLong(file) : filter.some((word) => file.includes(word))))
    .sort()
}

function isLong(file: string): boolean {
  return file.endsWith('.long.test.ts')
}

/** What Node runs, each in a process: bundles of tests, and tests of the repository itself, which import modules by path. */
async function testProcesses(all: readonly string[], folder: string): Promise<string[]> {
  const [unbundled, bundled] = [all.filter(isOfRepository), all.filter((file) => !isOfRepository(file))]
  const entries = Array.from(sharedProcesses(bundled), ([name, members]) => {
    const entry = join(folder, `${name.replaceAll('/', '-')}.ts`)
    writeFileSync(entry, members.map((file) => `import ${JSON.stringify(join(root, file))}`).join('\n'))
    return entry
  })
  const outputs = await bundle([...entries, join(root, UNIT_THREAD)], folder)
  process.env['TEST_UNIT_ENTRY'] = outputs.pop()
  return [...outputs, ...unbundled]
}

function isOfRepository(file: string): boolean {
  return /^test\/[^/]+$/.test(file)
}

/**
 * Tests beside the code share a process with those of their folder, since starting one takes longer than most tests. Tests
 * of whole gateways, in `test`, and tests that change their process (`*.alone.test.ts`) run in their own.
 */
function sharedProcesses(all: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const place = /^(?:studio(?=\/)|src\/(?:objects\/)?[^/]+(?=\/)|dev(?=\/))(?!.*\.alone\.test\.ts$)/
  return Map.groupBy(all, (file) => place.exec(file)?.[0] ?? file.replace(/\.ts$/, ''))
}

/** The last lines of Node's output: `# tests 12`, `# pass 12`, and so on. */
function closingCounts(recordFile: string): string {
  const lines = existsSync(recordFile) ? readFileSync(recordFile, 'utf8').trimEnd().split('\n') : []
  const counts = lines.slice(lines.findLastIndex((line) => !line.startsWith('# ')) + 1)
  return counts.length > 0 ? counts.join('\n') : 'the tests did not run to their end: there are no counts'
}
