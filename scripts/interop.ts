// npm run interop -- NAME [words]: runs the suite of test/interop/NAME against its real peer.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './steps.ts'

/** Exports of `test/interop/NAME/main.ts`. `run` terminates its processes, and resolves to whether all tests passed. */
interface InteropSuite {
  readonly run: (words: readonly string[]) => Promise<boolean>
}

/** Debian packages of suites, in the form of scripts/debian-packages.sh. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  activemq: ['activemq', 'libactivemq-java:activemq'],
  amqp: ['rabbitmq-server'],
  fleet: ['etcd-server:etcd', 'etcd-client:etcdctl', 'haproxy', 'redis-server', 'faketime'],
  rsyslog: ['rsyslog:rsyslogd', 'rsyslog-gnutls:rsyslogd'],
}

const folder = join(root, 'test', 'interop')
const suites = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'main.ts')))
const [name, ...words] = process.argv.slice(2)
if (name === undefined || !suites.includes(name)) {
  console.error(`usage: npm run interop -- NAME [words]; suites: ${suites.join(', ')}`)
  process.exit(64)
}

// Before the suite is loaded, which finds out then what is missing.
const packages = PACKAGES[name]
if (packages !== undefined) spawnSync(join(root, 'scripts', 'debian-packages.sh'), packages, { stdio: 'inherit' })
const started = performance.now()
const { run } = (await import(pathToFileURL(join(folder, name, 'main.ts')).href)) as InteropSuite
let passed = false
try {
  passed = await run(words)
} finally {
  console.log(`${name}: ${passed ? 'passed' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
process.exitCode = passed ? 0 : 1
