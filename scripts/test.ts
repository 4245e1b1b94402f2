// npm test: all checks of a change. Words after `--` select test files: `npm test -- router`. Tests that take long
// (`*.long.test.ts`) run only when they are selected. `--slowest` lists the test processes that take the most CPU time,
// `--slowest=N` that many; `--bundled` runs the selected files as a run of all does. `--changed` runs those that reach, by imports, what
// differs from `main`, `--changed=REVISION` from another revision.
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, delimiter, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { changedFiles, testsOf } from './changed-tests.ts'
import { bin, root, runSteps, type Step, staticSteps } from './steps.ts'
import { bundle, bundleInstallation } from './test-bundle.ts'

/** Time limit of a test in milliseconds. Waits of tests end earlier and say what is missing (test/support/waiting.ts). */
const testTimeout = 60_000

/** Modules that each test process, and each thread, loads first. */
const PRELOADED = ['fixed-seed', 'bounded-exit', 'cpu-times', 'thread-positions'].map((name) =>
  join(root, `test/support/${name}.ts`),
)

/** Entry points of threads that tests start: the units of gateways, and threads that share memory. */
const THREADS = ['unit', 'circuit', 'throttling', 'proof', 'waiting-calls'].map((name) =>
  join(root, `test/support/${name}-thread.ts`),
)

/** Files with tests of whole gateways that share a process. */
const FILES_PER_PROCESS = 8

const WITHOUT_VALUE: Readonly<Record<string, string>> = { '--slowest': '--slowest=20', '--changed': '--changed=main' }

const { values: options, positionals: words } = parseArgs({
  // Without a value, an option has its default.
  args: process.argv.slice(2).map((arg) => WITHOUT_VALUE[arg] ?? arg),
  options: { slowest: { type: 'string' }, changed: { type: 'string' }, bundled: { type: 'boolean' } },
  allowPositionals: true,
})
const files =
  options.changed === undefined ? testFiles(words) : testsOf(changedFiles(options.changed), testFiles(words))
if (files.length === 0 && options.changed !== undefined) {
  console.log(`no test reaches what differs from ${options.changed}`)
  process.exit(0)
}
if (files.length === 0) {
  console.error(
    `no test file matches ${words.map((word) => JSON.stringify(word)).join(' or ')}; see src/, packages/, dev/, test/ and studio/`,
  )
  process.exit(64)
}

const isSelection = words.length > 0 || options.changed !== undefined
const bundled = options.bundled === true || !isSelection
const scratch = mkdtempSync(join(tmpdir(), 'gateway-test-'))
const record = join(scratch, 'tests.tap')
// Tests run in many processes, which would spend half of their time compiling the same modules. Modules that are not bundled are
// many: to store all of them takes a thread so long on a busy disk that it seems to be stuck, so their cache is kept.
process.env['NODE_COMPILE_CACHE'] ??= bundled
  ? join(scratch, 'compiled')
  : join(root, 'node_modules', '.cache', 'compiled-tests')
const cpuTimes = join(scratch, 'cpu-times')
if (options.slowest !== undefined) process.env['TEST_CPU_TIMES'] = cpuTimes
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
    'etcd-server:etcd',
    'etcd-client:etcdctl',
    'chromium',
    'default-jre-headless:keytool',
    'prometheus:promtool',
    'systemd:systemd-notify',
    'zsh',
    'fish',
    'groff-base:groff',
    'p11-kit',
    'softhsm2:softhsm2-util',
    'opensc:pkcs11-tool',
  ],
}
const tests: Step = {
  title: `tests (${files.length} files)`,
  command: testCommand(bundled ? await bundles(files, scratch) : { preloaded: PRELOADED, chosen: files }, record),
}

// The Studio draws every route that the gateways of all tests had.
const routes = join(scratch, 'routes')
const drawn: Step = {
  title: 'routes of the tests in the Studio',
  command: [
    bin('node'),
    '--disable-warning=ExperimentalWarning',
    '--test',
    'studio/src/model/routes-of-tests.long.test.ts',
  ],
}
if (!isSelection) {
  mkdirSync(routes)
  process.env['TEST_ROUTES'] = routes
}

// With words on the command line only the selected tests run, without the static checks.
const passed = runSteps(isSelection ? [tests] : [...staticSteps, packages, tests, drawn])
if (!isSelection)
  console.log(
    '\nNOTICE: without *.long.test.ts; `npm run studio:test` runs those of the Studio, `npm run package:test` those of the package, `npm run docs:test` those of the documents',
  )
if (options.slowest !== undefined) console.log(`\n${slowest(cpuTimes, Number(options.slowest))}`)
// The spec reporter prints details of failures after the counts, so the counts are repeated at the end.
console.log(`\n${closingCounts(record)}`)
rmSync(scratch, { recursive: true, force: true })
process.exitCode = passed ? 0 : 1

/** What Node runs, each in a process, and what it loads before. */
interface TestModules {
  readonly preloaded: readonly string[]
  readonly chosen: readonly string[]
}

function testCommand({ preloaded, chosen }: TestModules, recordFile: string): readonly [string, ...string[]] {
  return [
    bin('node'),
    '--enable-source-maps',
    // Flags of the gateway (bin/gateway).
    '--enable-experimental-regexp-engine-on-excessive-backtracks',
    '--no-allocation-site-pretenuring',
    '--disable-warning=ExperimentalWarning',
    ...preloaded.map((file) => `--import=${pathToFileURL(file).href}`),
    '--test',
    `--test-timeout=${testTimeout}`,
    // Many tests wait, for time-outs and other processes.
    `--test-concurrency=${availableParallelism() + 2}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${recordFile}`,
    ...chosen,
  ]
}

function testFiles(filter: readonly string[]): string[] {
  return globSync(['{src,packages,dev,test,studio/src}/**/*.test.ts'], { cwd: root })
    .filter((file) => (filter.length === 0 ? !isLong(file) : filter.some((word) => file.includes(word))))
    .sort()
}

function isLong(file: string): boolean {
  return file.endsWith('.long.test.ts')
}

/** Bundles of tests, and tests of the repository itself, which import modules by path. */
async function bundles(all: readonly string[], folder: string): Promise<TestModules> {
  const [unbundled, members] = [all.filter(isOfRepository), all.filter((file) => !isOfRepository(file))]
  const entries = Array.from(sharedProcesses(members), ([name, files]) => {
    const entry = join(folder, `${name.replaceAll('/', '-')}.ts`)
    writeFileSync(entry, files.map((file) => `import ${JSON.stringify(join(root, file))}`).join('\n'))
    return entry
  })
  // Where bundles find packages.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const threads = join(folder, 'threads')
  process.env['TEST_THREADS'] = threads
  const installation = join(folder, 'installation')
  process.env['TEST_INSTALLATION'] = installation
  // The launcher of an installation runs the first Node of the path.
  process.env['PATH'] = [dirname(bin('node')), process.env['PATH']].join(delimiter)
  const [tests, preloaded] = await Promise.all([
    bundle(entries, join(folder, 'bundled')),
    bundle(PRELOADED, join(folder, 'preloaded')),
    // Each has a bundle of its own: chunks shared with tests would be many small modules.
    ...THREADS.map((file) => bundle([file], threads)),
    bundleInstallation(installation),
  ])
  return { preloaded, chosen: [...tests, ...unbundled] }
}

function isOfRepository(file: string): boolean {
  return /^test\/[^/]+$/.test(file)
}

/**
 * Tests share a process with others, since starting one and compiling the gateway take longer than most tests: those beside the
 * code, and those of the specification, with all of their folder, tests of whole gateways with those around them. Other tests
 * in `test`, and tests that change or measure their process (`*.alone.test.ts`), run in their own.
 */
function sharedProcesses(all: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const folder = /^(?:studio|(?:src\/(?:objects\/)?|packages\/)[^/]+|dev|test\/conformance)(?=\/)/
  const ofGateways: string[] = []
  return Map.groupBy(all, (file) => {
    if (file.endsWith('.alone.test.ts')) return file.replace(/\.ts$/, '')
    const shared = folder.exec(file)?.[0]
    if (shared !== undefined) return shared
    if (!file.startsWith('test/gateway/')) return file.replace(/\.ts$/, '')
    ofGateways.push(file)
    return `test/gateway/${Math.ceil(ofGateways.length / FILES_PER_PROCESS)}`
  })
}

/** The last lines of Node's output: `# tests 12`, `# pass 12`, and so on. */
function closingCounts(recordFile: string): string {
  const lines = existsSync(recordFile) ? readFileSync(recordFile, 'utf8').trimEnd().split('\n') : []
  const counts = lines.slice(lines.findLastIndex((line) => !line.startsWith('# ')) + 1)
  return counts.length > 0 ? counts.join('\n') : 'the tests did not run to their end: there are no counts'
}

/** The test processes that took the most CPU time, with that of their child processes, and the sum of all. */
function slowest(timesFile: string, count: number): string {
  const lines = existsSync(timesFile) ? readFileSync(timesFile, 'utf8').trimEnd().split('\n') : []
  const processes = lines.map((line) => {
    const [own, children, file] = line.split(' ') as [string, string, string]
    const name = file.startsWith(scratch) ? basename(file, '.mjs') : relative(root, file)
    return { own: Number(own), children: Number(children), name }
  })
  const seconds = (own: number, children: number) =>
    `${(own + children).toFixed(1).padStart(7)} s (${children.toFixed(1)} s in child processes)`
  const sum = (of: 'own' | 'children') => processes.reduce((total, entry) => total + entry[of], 0)
  return [
    `CPU time of ${processes.length} test processes: ${seconds(sum('own'), sum('children')).trimStart()}`,
    ...processes
      .sort((a, b) => b.own + b.children - a.own - a.children)
      .slice(0, count)
      .map(({ own, children, name }) => `${seconds(own, children)}  ${name}`),
  ].join('\n')
}
