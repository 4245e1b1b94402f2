import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdminSettings, Gateway } from '#control'
import type { Logger } from '#logging'
import type { ProcessContext } from '../process-context.ts'
import { announce, trafficUrls } from './announcement.ts'
import { startFailure } from './start-failure.ts'

type Connectors = AdminSettings['unit']['connectors']

test('URLs can be opened: localhost for all interfaces, IPv6 addresses in brackets', () => {
  const connectors = [
    { host: '0.0.0.0', ports: [0, 8081] },
    { host: '::1', ports: [8082] },
    { host: 'gateway.example.com', ports: [8083] },
  ] as unknown as Connectors
  assert.deepEqual(trafficUrls({ unit: { connectors } }, [40_000, 8081, 8082, 8083]), [
    'http://localhost:40000',
    'http://localhost:8081',
    'http://[::1]:8082',
    'http://gateway.example.com:8083',
  ])
})

test('the ready message counts routes that are loaded, and those that failed', () => {
  const entries: object[] = []
  const logger = { info: (fields: object) => entries.push(fields) } as unknown as Logger
  const states = ['loaded', 'failed', 'loaded'].map((state) => ({ state }))
  const gateway = {
    stores: { all: [{ deployment: { status: () => states } }] },
    ports: [1],
    adminPort: 2,
  } as unknown as Gateway
  const settings = { unit: { units: 1, mode: 'PRODUCTION', logging: { format: 'json' } } } as unknown as AdminSettings
  const context = { stdout: {} } as unknown as ProcessContext
  announce({ traffic: [], admin: '' }, gateway, settings, logger, context)
  states.splice(1, 1)
  announce({ traffic: [], admin: '' }, gateway, settings, logger, context)
  const common = { traffic: [], admin: '', ports: [1], adminPort: 2, units: 1, mode: 'PRODUCTION', routes: 2 }
  assert.deepEqual(entries, [{ ...common, failed: 1 }, common])
})

const settings = {
  admin: { ports: [8085], host: 'management' },
  directories: { temporary: '/srv/gateway/tmp' },
} as unknown as AdminSettings

test('a host without an address and an unusable directory are reported with the field to change', () => {
  const reason = (message: string): string | null => startFailure(new Error(message), settings, false)
  assert.equal(
    reason('getaddrinfo ENOTFOUND not a host'),
    'the host "not a host" has no address (ENOTFOUND); change connectors[].host in config/admin.json',
  )
  assert.match(reason('getaddrinfo EAI_AGAIN management') ?? '', /change adminConnector\.host in config\/admin\.json$/)
  assert.equal(
    reason("ENOTDIR: not a directory, mkdir '/srv/gateway/tmp'"),
    "the directory of temporary files can not be used: ENOTDIR: not a directory, mkdir '/srv/gateway/tmp'; check its permissions, or name another temporaryDirectory in config/admin.json",
  )
  const parent = Object.assign(new Error("EACCES: permission denied, mkdir '/srv/gateway'"), { path: '/srv/gateway' })
  assert.match(startFailure(parent, settings, false) ?? '', /^the directory of temporary files .*temporaryDirectory in/)
})

test('a limit of open files that does not suffice is reported with the remedy', () => {
  for (const message of [
    'Worker initialization failure: EMFILE',
    'listen EMFILE: too many open files 0.0.0.0:8080',
    'Cannot read package config package.json: too many open files.',
  ]) {
    const reason = startFailure(new Error(message), settings, false)
    assert.equal(
      reason,
      `too many open files for the ports and threads of its units (${message}); raise the limit (ulimit -n, LimitNOFILE of systemd), or lower gatewayUnits in config/admin.json`,
    )
  }
})

test('a port that can not be opened is reported with the field to change', () => {
  const reason = (message: string): string | null => startFailure(new Error(message), settings, false)
  assert.match(
    reason('listen EADDRINUSE: address already in use 127.0.0.1:8085') ?? '',
    /^port 8085 on 127\.0\.0\.1 is in use by another process; stop that, or change adminConnector\.port/,
  )
  assert.match(
    reason('listen EACCES: permission denied 0.0.0.0:80') ?? '',
    /^port 80 on 0\.0\.0\.0 needs more rights than this user has: .*CAP_NET_BIND_SERVICE.*change connectors\[\]\.port/,
  )
  assert.equal(reason('something else'), null)
})

test('a port of another gateway is reported with --take-over as a remedy, unless that found nothing to take over', () => {
  const error = new Error('listen EADDRINUSE: address shared by another gateway 0.0.0.0:8080')
  assert.match(
    startFailure(error, settings, false) ?? '',
    /^port 8080 on 0\.0\.0\.0 is in use by another gateway; stop that, replace it with --take-over, set shareTrafficPorts/,
  )
  assert.match(
    startFailure(error, settings, true) ?? '',
    /^port 8080 on 0\.0\.0\.0 is in use by another gateway, which is not replaced: it has another instance or state directory, or its socket in tmp\/ was deleted; stop that, set shareTrafficPorts/,
  )
})
