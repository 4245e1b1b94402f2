// Each part that reports a degraded state: its failure is in health and log, and so is its recovery. The parts are found in the
// sources, so that a new one has to have a line here.
import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { configTrailPlan } from '#audit'
import type { KeyManager, TlsIdentity } from '#contracts'
import { BatchBuilder, JournalGate } from '#durable-queue'
import { respond } from '#http'
import { createLogger, memoryLog } from '#logging'
import { MetricsRegistry } from '#metrics'
import { type AuditPlan, systemClock } from '#schema'
import { build, manualClock, TestMetrics } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { Folder } from '#test/folder'
import { testIdentity } from '#test/test-identity'
import { httpUpstream } from '#test/upstream'
import { waitUntil } from '#test/waiting'
import { AuditWriter } from '../src/control/audit/audit-writer.ts'
import { JournalPause } from '../src/control/audit/journal-pause.ts'
import { SignalExport } from '../src/control/monitoring/telemetry/signal-export.ts'
import { RecentEnds } from '../src/control/units/recent-ends.ts'
import { FileAttributesFilter } from '../src/objects/filters/file-attributes/file-attributes-filter.ts'
import { CachedIdentities, IdentityReports } from '../src/objects/lib/tls/cached-identities.ts'
import { usableKeys } from '../src/objects/lib/tls/usable-keys.ts'
import { AuthorizationServer } from '../src/objects/lib/tokens/authorization-server.ts'
import { ScheduledExecutorService } from '../src/objects/services/scheduled-executor/scheduled-executor-service.ts'
import { OutageReport } from '../src/unit/access-log/outage-report.ts'

const root = join(import.meta.dirname, '..')

/** A part that fails and recovers. */
interface Part {
  readonly log: ReturnType<typeof memoryLog>
  /** What it has reported last; null for nothing. */
  readonly state: () => string | null
  readonly fail: () => unknown
  readonly recover: () => unknown
  /** A metric that is not 0 while it fails, where there is one. */
  readonly metric?: () => number
  readonly close?: () => unknown
}

/** A test that shows failure and recovery of a part that needs a server or a program, by its file. */
type NamedTest = readonly [file: string, title: string]

/** By the file that reports; one entry for each report in it. */
const PARTS: Readonly<Record<string, readonly ((() => Promise<Part>) | NamedTest)[]>> = {
  'src/access-manager/notifications/notification-feed.ts': [
    [
      'src/objects/services/am/notifications.test.ts',
      'a server that is down: built at once, degraded after the attempts',
    ],
    ['src/objects/services/am/notifications.test.ts', 'a lost connection is reported, and restored'],
    ['src/objects/services/am/lost-notifications.test.ts', 'a server without notifications'],
  ],
  'src/control/audit/handler-delivery.ts': [auditHandler],
  'src/control/audit/journal-pause.ts': [journals],
  'src/control/fleet/fleet-health.ts': [
    ['src/control/fleet/fleet-health.test.ts', 'a second gateway with the id of this one is degraded'],
  ],
  'src/control/units/recent-ends.ts': [units],
  'src/control/routes/route-checks.ts': [
    [
      'test/gateway/refused-routes.test.ts',
      'the health of the gateway names the files that are not served as they are',
    ],
  ],
  'src/control/monitoring/telemetry/signal-export.ts': [collector],
  'src/objects/filters/file-attributes/record-file.ts': [recordFile],
  'src/objects/lib/tokens/authorization-server.ts': [authorizationServer],
  'src/objects/lib/tls/cached-identities.ts': [serverCertificate],
  'src/objects/lib/tls/usable-keys.ts': [clientKey],
  'src/objects/services/am/service-state.ts': [
    ['src/objects/services/am/am-service.test.ts', 'a failed login of the agent shows in health until one succeeds'],
  ],
  'src/objects/stores/hsm/hsm-secrets.ts': [
    ['src/objects/stores/hsm/hsm-secret-store.test.ts', 'a module that does not respond is stopped after the timeout'],
  ],
  'src/redis/open-redis.ts': [
    ['src/redis/redis-connection.test.ts', 'a wrong new password ends no connection that works'],
    ['src/redis/redis-connection.test.ts', 'without a server the route loads, commands fail at once'],
  ],
  'src/sql/open-data-source.ts': [
    [
      'src/objects/filters/sql-attributes/sql-attributes-filter.test.ts',
      'a stopped database is 503 until it runs again',
    ],
  ],
  'src/unit/access-log/outage-report.ts': [accessLog],
}

/** Files that name the state in a type, or read it. */
const READERS = [
  'src/cli/routes/routes-command.ts',
  'src/control/admin/routes/route-resources.ts',
  'src/control/admin/routes/routes-description.ts',
  'src/control/monitoring/object-states.ts',
  'src/schema/environment.ts',
]

test('each part that reports a degraded state is here', () => {
  const found: Record<string, number> = {}
  for (const file of globSync('{src,packages}/**/*.ts', { cwd: root }).sort()) {
    if (file.endsWith('.test.ts') || READERS.includes(file)) continue
    const text = readFileSync(join(root, file), 'utf8')
    // Not in a union of types.
    const count = text.match(/(?<!\| )'degraded'/g)?.length ?? 0
    if (count > 0) found[file] = count
  }
  const expected = Object.fromEntries(Object.entries(PARTS).map(([file, reports]) => [file, reports.length]))
  assert.deepEqual(found, expected)
})

describe('failure and recovery of a part reach health and log', () => {
  for (const [file, reports] of Object.entries(PARTS)) {
    for (const report of reports) {
      if (typeof report !== 'function') {
        const [source, title] = report
        test(`${file}, by the test "${title}"`, () => {
          assert.ok(readFileSync(join(root, source), 'utf8').includes(title), `${source} has no such test`)
        })
        continue
      }
      test(`${file}: ${report.name}`, async () => {
        const part = await report()
        try {
          await failsAndRecovers(part)
        } finally {
          await part.close?.()
        }
      })
    }
  }
})

async function failsAndRecovers({ log, state, fail, recover, metric }: Part): Promise<void> {
  const levels = () => log.entries.map(({ level }) => level)
  assert.notEqual(state(), 'degraded')
  if (metric !== undefined) assert.equal(metric(), 0)
  await fail()
  await waitUntil('it is degraded', () => state() === 'degraded')
  await waitUntil('the failure is logged', () => levels().some((level) => level === 'warn' || level === 'error'))
  if (metric !== undefined) assert.ok(metric() > 0)
  const { length } = log.entries
  await recover()
  await waitUntil('it is no longer degraded', () => state() !== 'degraded')
  await waitUntil('the recovery is logged', () => levels().slice(length).includes('info'))
  if (metric !== undefined) assert.equal(metric(), 0)
}

/** Environment of an object, and the last state that it reported. */
function environment() {
  const log = memoryLog()
  const clock = manualClock()
  const metrics = new TestMetrics()
  const releases: (() => unknown)[] = []
  let reported: string | null = null
  const env = {
    ...{ name: 'object', clock, metrics },
    logger: createLogger({ level: 'info', format: 'json', destination: log }),
    reportState: (state: string) => {
      reported = state
    },
    onDispose: (release: () => unknown) => void releases.push(release),
  }
  const close = () => {
    for (const release of releases) release()
  }
  return { env, log, clock, metrics, state: () => reported, close }
}

function identityOf(name: string): TlsIdentity {
  const { key, certificate } = testIdentity(name)
  return { key, chain: [certificate] }
}

async function serverCertificate(): Promise<Part> {
  const { env, log, metrics, state } = environment()
  const identities = [identityOf('app')]
  let failure: Error | null = null
  const reports = new IdentityReports(env)
  const read = async () => {
    if (failure !== null) throw failure
    return identities
  }
  const source = new CachedIdentities('app.key', { read, problem: () => null }, reports)
  reports.measure(source)
  await source.get()
  const set = async (next: Error | null) => {
    failure = next
    source.invalidate()
    await source.refresh().catch(() => {})
  }
  return {
    ...{ log, state },
    metric: () => metrics.readings.get('gw_tls_certificate_stale')?.read() ?? assert.fail('not measured'),
    fail: () => set(new Error('no certificate')),
    recover: () => set(null),
  }
}

async function clientKey(): Promise<Part> {
  const { env, log, state, close } = environment()
  const [good, other] = [identityOf('good'), identityOf('other')]
  let current = good
  let changed = () => {}
  const keys: KeyManager = {
    identities: async () => [current],
    onChange: (listener) => {
      changed = listener
      return () => {}
    },
  }
  await usableKeys(keys, env)
  const set = (next: TlsIdentity) => {
    current = next
    changed()
  }
  return {
    ...{ log, state, close },
    fail: () => set({ key: other.key, chain: good.chain }),
    recover: () => set(good),
  }
}

async function recordFile(): Promise<Part> {
  const folder = new Folder({ 'people.csv': 'username\nann\n' })
  const built = await build(
    FileAttributesFilter,
    { file: folder.in('people.csv'), key: 'username', value: 'ann' },
    {
      types: [ScheduledExecutorService],
      heap: [{ name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' }],
    },
  )
  return {
    log: built.log,
    state: () => built.states.at(-1)?.split(':')[0] ?? null,
    fail: () => folder.write('people.csv', 'username\n"ann\n'),
    recover: () => folder.write('people.csv', 'username\nbob\n'),
    close: async () => {
      await built[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

async function authorizationServer(): Promise<Part> {
  const { env, log, clock, state } = environment()
  let status: 200 | 503 = 200
  const server = new AuthorizationServer(async () => respond(status, {}, '{}'), env)
  const call = async (next: typeof status) => {
    status = next
    clock.advance(2_000)
    const exchange = exchangeFor('POST', 'https://as.example/introspect')
    await server.call(exchange.request, exchange)
  }
  return { log, state, fail: () => call(503), recover: () => call(200) }
}

async function accessLog(): Promise<Part> {
  const { env, log, clock, state } = environment()
  const { logger, reportState } = env
  const states = { report: (report: { state: string }) => reportState(report.state), withdraw: () => {} }
  const report = new OutageReport({ destination: 'access.log', clock, logger, states })
  return {
    ...{ log, state },
    fail: () => report.failed(new Error('no space left on device')),
    recover: () => {
      clock.advance(60_000)
      report.drained()
    },
  }
}

async function journals(): Promise<Part> {
  const { env, log } = environment()
  const folder = new Folder({ spool: 'a file in place of the folder' })
  const directories = () => [folder.in('spool')]
  const pause = new JournalPause({ logger: env.logger, clock: systemClock, directories, pause: 20 })
  return {
    log,
    state: () => pause.check?.state ?? null,
    metric: () => Number(!new JournalGate(pause.memory, 1).isOpen),
    fail: () => pause.begin('service', 'a write failed'),
    recover: () => rmSync(folder.in('spool')),
    close: () => {
      pause.close()
      folder[Symbol.dispose]()
    },
  }
}

async function units(): Promise<Part> {
  const { env, log, clock } = environment()
  const ends = new RecentEnds(env.logger, clock, 50)
  return {
    log,
    state: () => ends.check?.state ?? null,
    metric: () => ends.count,
    fail: () => {
      for (let end = 1; end <= 5; end++) ends.add()
    },
    recover: () => clock.advance(60),
  }
}

async function auditHandler(): Promise<Part> {
  const { env, log } = environment()
  const folder = new Folder({ trail: 'a file in place of the folder' })
  const metrics = new MetricsRegistry()
  const writer = new AuditWriter({ logger: env.logger, clock: systemClock, openMetrics: () => metrics.open() })
  const directory = folder.in('trail')
  const queue = { maxEvents: 8, maxBytes: 1_048_576, onFull: 'drop' as const, maxBlockTime: 0, spool: null }
  const transport = { type: 'file', exclusive: directory, ...configTrailPlan(directory) }
  const handler = { name: 'file', position: 0, topics: ['config'], format: 0, transport, queue, supportsQueries: true }
  const plan: AuditPlan = { service: 'service', handlers: [handler], handlerForQueries: null }
  const opened = writer.open({}, plan)
  assert.ok('id' in opened)
  return {
    log,
    state: () => writer.checks[0]?.state ?? null,
    fail: () => {
      const batch = new BatchBuilder()
      batch.add({ topic: 'config', id: 'a', time: Date.now(), texts: ['{"_id":"a"}'] })
      writer.take(opened.id, batch.build(), 0)
    },
    recover: () => rmSync(directory),
    close: async () => {
      await writer.shutdown(1_000)
      folder[Symbol.dispose]()
    },
  }
}

async function collector(): Promise<Part> {
  const { env, log } = environment()
  let status = 503
  const upstream = await httpUpstream((request, response) => {
    request.resume().on('end', () => response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}'))
  })
  const traces = {
    ...{ endpoint: `${upstream.url}/v1/traces`, isWholeUrl: true, headers: [], timeout: 5_000 },
    ...{ compression: 'none' as const, certificate: null, clientCertificate: null, clientKey: null },
  }
  const metrics = new MetricsRegistry().open()
  const exported = SignalExport.open(
    'traces',
    {
      signals: { traces, metrics: null, logs: null },
      sampler: { isParentBased: true, ratio: 1 },
      resource: {},
      batch: { delay: 10, maxQueue: 8, maxBatch: 8 },
      metricInterval: 60_000,
    },
    { resource: {}, logger: env.logger, clock: systemClock, metrics },
  )
  assert.ok(exported !== null)
  return {
    log,
    state: () => exported.check.state ?? null,
    fail: () => exported.add([{ topic: 'spans', id: 'a', text: '{}', time: Date.now() }]),
    recover: () => {
      status = 200
    },
    close: async () => {
      await exported.close(100)
      await upstream[Symbol.asyncDispose]()
    },
  }
}
