import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CATALOGUE } from '#catalogue'
import type { JsonObject } from '#json'
import { createLogger } from '#logging'
import { ConfigError, defaultSettings, SETTING_FIELDS } from '#schema'
import { readConfigFile } from '../units/config-file.ts'
import { openAdminSettings } from './admin-settings.ts'

const logger = createLogger({ level: 'silent' })

async function settings(json: JsonObject, env: Record<string, string> = {}, system: Record<string, string> = {}) {
  const instance = mkdtempSync(join(tmpdir(), 'gateway-admin-'))
  try {
    const opened = await openAdminSettings(json, { instance, types: CATALOGUE, env, system, logger })
    await opened.dispose()
    return opened
  } finally {
    rmSync(instance, { recursive: true, force: true })
  }
}

async function problems(json: JsonObject): Promise<string[]> {
  try {
    await settings(json)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
    throw error
  }
  return []
}

describe('admin.json', () => {
  test('empty: traffic on 8080, management on the loopback port 8085, PRODUCTION, streaming', async () => {
    const { unit, admin, protection } = await settings({})
    const [connector] = unit.connectors
    assert.deepEqual([connector?.ports, connector?.host, connector?.gracePeriod], [[8080], '0.0.0.0', 10_000])
    assert.deepEqual([connector?.maxTotalHeadersSize, connector?.idleTimeout], [16_384, 120_000])
    assert.deepEqual([admin.ports, admin.host, admin.allowedHosts, protection], [[8085], '127.0.0.1', [], null])
    assert.deepEqual([unit.mode, unit.settings.prefix, unit.settings.streamingEnabled], ['PRODUCTION', 'gateway', true])
    assert.deepEqual(
      [unit.settings.trustedProxies, unit.settings.trustTransactionHeader, unit.logging.level],
      [[], false, 'info'],
    )
    assert.ok(unit.units >= 1)
  })

  test('hosts of connectors may be IPv6 addresses in brackets, as in URLs', async () => {
    const { unit, admin } = await settings({
      connectors: [
        { port: 8080, host: '[::1]' },
        { port: 8081, vertx: { host: '[::]' } },
      ],
      adminConnector: { host: '[fe80::1%eth0]' },
    })
    assert.deepEqual(
      [...unit.connectors, admin].map(({ host }) => host),
      ['::1', '::', 'fe80::1%eth0'],
    )
    const twice = [
      { port: 8080, host: '[::1]' },
      { port: 8080, host: '::1' },
    ]
    assert.match((await problems({ connectors: twice })).join(), /port 8080 of ::1 is configured twice/)
  })

  test('two connectors of one port may not have one address in different spellings', async () => {
    const found = async (host: string, other: string) => {
      const connectors = [
        { port: 8080, host },
        { port: 8080, host: other },
      ]
      return (await problems({ connectors })).length > 0
    }
    for (const [host, other] of [
      ['::1', '0:0:0:0:0:0:0:1'],
      ['127.0.0.1', '127.1'],
      ['127.0.0.1', '::ffff:127.0.0.1'],
      ['localhost', (await lookup('localhost')).address],
      ['0:0:0:0:0:0:0:0', '127.0.0.1'],
      ['Gateway.example.com', 'gateway.example.com'],
      ['fe80::1%eth0', 'FE80::1%eth0'],
    ] as const) {
      assert.equal(await found(host, other), true, `${host} and ${other}`)
    }
    assert.equal(await found('127.0.0.1', '127.0.0.2'), false)
    assert.equal(await found('::1', '127.0.0.1'), false)
  })

  test('transactionIdHeader has to be a header name', async () => {
    for (const name of ['a b', 'X-Id:', '', 'X-Id\r\nSet-Cookie']) {
      assert.deepEqual(await problems({ transactionIdHeader: name }), [
        `/transactionIdHeader: expected a header name, got ${JSON.stringify(name)}`,
      ])
    }
  })

  test('a system property of OpenIG sets the defaults of the transaction header; the file wins', async () => {
    const name = 'org.forgerock.http.TrustTransactionHeader'
    const OURS = 'X-Vendor-TransactionId'
    const THEIRS = 'X-ForgeRock-TransactionId'
    const cases: [JsonObject, string, boolean, string][] = [
      [{}, 'true', true, THEIRS],
      [{}, 'TRUE', true, THEIRS],
      [{ transactionIdHeader: 'X-Trace' }, 'true', true, 'X-Trace'],
      [{ trustTransactionHeader: false }, 'true', false, OURS],
      [{ trustTransactionHeader: true }, 'true', true, OURS],
      [{}, 'false', false, OURS],
      [{}, '', false, OURS],
      [{ systemProperties: { [name]: 'true' } }, 'false', false, OURS],
    ]
    for (const [json, value, trusted, header] of cases) {
      const { unit } = await settings(json, {}, { [name]: value })
      const { trustTransactionHeader, transactionIdHeader } = unit.settings
      assert.deepEqual([trustTransactionHeader, transactionIdHeader], [trusted, header], JSON.stringify([json, value]))
    }
    const { unit } = await settings({ systemProperties: { [name]: 'true' } })
    assert.deepEqual([unit.settings.trustTransactionHeader, unit.settings.transactionIdHeader], [true, THEIRS])
  })

  test('fields of ForgeRock IG and PingGateway are accepted with warnings', async () => {
    const filter = { type: 'ConditionEnforcementFilter', config: { condition: true } }
    const opened = await settings({
      heap: [{ name: 'ApiProtectionFilter', ...filter }],
      metricsProtectionFilter: filter,
      studioProtectionFilter: filter,
      openTelemetry: { tracing: { enabled: true } },
      preserveOriginalQueryString: true,
      pidFileMode: 'override',
      serveDeprecatedPrometheusEndpoint: true,
      adminMaxBodyLength: 5_000,
      maxBodyLength: 10,
    })
    assert.deepEqual(opened.telemetry.endpoints, { traces: 'http://localhost:4318/v1/traces' })
    assert.ok(opened.protection !== null && opened.metricsProtection !== null && opened.studioProtection !== null)
    assert.deepEqual([opened.maxAdminBody, opened.unit.settings.maxBodyLength], [5_000, 10])
    assert.deepEqual(
      opened.warnings.map(({ pointer, message }) => `${pointer}: ${message}`),
      [
        '/heap/0/name: ApiProtectionFilter protects by its name, which is deprecated; set adminProtection to "ApiProtectionFilter"',
        '/metricsProtectionFilter: metricsProtectionFilter is deprecated; use metricsProtection instead',
        '/studioProtectionFilter: studioProtectionFilter is deprecated; use studioProtection instead',
        '/preserveOriginalQueryString: preserveOriginalQueryString has no effect: the query is always forwarded as it was received',
        '/pidFileMode: pidFileMode has no effect: the gateway writes no PID file',
        '/serveDeprecatedPrometheusEndpoint: serveDeprecatedPrometheusEndpoint has no effect: /metrics/prometheus is always served',
      ],
    )
  })

  test('settings of sessions without a type, as in PingGateway 2024, are those of an InMemorySessionManager, with a warning', async () => {
    const session = { cookie: { name: 'MY', secure: true, sameSite: 'NONE' }, timeout: '20 minutes' }
    const { warnings } = await settings({ session })
    assert.equal(warnings.length, 1)
    assert.equal(warnings[0]?.pointer, '/session/cookie')
    assert.match(
      warnings[0].message,
      /^session\.cookie, session\.timeout are deprecated; .*InMemorySessionManager.* traffic .* session of config\.json$/,
    )
    assert.deepEqual(
      (await settings({ session: { timeout: '20 minutes' } })).warnings.map(({ pointer }) => pointer),
      ['/session/timeout'],
    )
    assert.match((await problems({ session: { cookie: { nam: 'MY' } } })).join(), /nam: unknown field.*name/)
    assert.match((await problems({ session: {} })).join(), /expected a "type"/)
  })

  test('unknownFields: warn makes unknown fields of admin.json itself warnings, and is one itself', async () => {
    assert.deepEqual(await problems({ nonsense: 1 }), ['/nonsense: unknown field, and no decorator of that name'])
    const { warnings } = await settings({ nonsense: 1, studio: { idleTime: '1 s' }, unknownFields: 'warn' })
    assert.deepEqual(
      warnings.map(({ pointer }) => pointer),
      ['/nonsense', '/studio/idleTime', '/unknownFields'],
    )
  })

  test('expressions and scripts read 1 MiB, 10,000 values and numbers of 1,000 digits of a body by default', async () => {
    const { unit } = await settings({})
    assert.deepEqual({ ...unit.settings.entityLimits }, { bytes: 1_048_576, values: 10_000, digits: 1_000 })
    const wider = await settings({ entityLimits: { bytes: '${2 * 1048576}' } })
    assert.deepEqual({ ...wider.unit.settings.entityLimits }, { bytes: 2_097_152, values: 10_000, digits: 1_000 })
    assert.deepEqual(await problems({ entityLimits: { values: 0 } }), [
      '/entityLimits/values: expected an integer from 1 to 10000000, got 0',
    ])
  })

  test('scripts may run for a second without a pause and for half a minute in total by default', async () => {
    const { unit } = await settings({})
    assert.deepEqual([unit.settings.scriptTimeout, unit.settings.scriptDeadline], [1_000, 30_000])
    const other = await settings({ scriptTimeout: '200 ms', scriptDeadline: '1 minute' })
    assert.deepEqual([other.unit.settings.scriptTimeout, other.unit.settings.scriptDeadline], [200, 60_000])
    assert.deepEqual(await problems({ scriptTimeout: 'unlimited', scriptDeadline: '1 ms' }), [
      '/scriptTimeout: expected a duration of at most 1 minute, got "unlimited"',
      '/scriptDeadline: expected a duration of at least 10 milliseconds, got "1 ms"',
    ])
  })

  test('units get every setting as plain data, with defaults', async () => {
    const { unit } = await settings({})
    assert.deepEqual(structuredClone(unit.settings), structuredClone(defaultSettings()))
    const names = Object.keys(SETTING_FIELDS)
    assert.deepEqual(
      names.filter((name) => !(name in unit.settings)),
      [],
    )
  })

  test('the mode is that of the file, otherwise that of the environment, case-insensitive', async () => {
    assert.equal((await settings({}, { GATEWAY_RUN_MODE: 'development' })).unit.mode, 'DEVELOPMENT')
    assert.equal((await settings({ mode: 'production' }, { GATEWAY_RUN_MODE: 'development' })).unit.mode, 'PRODUCTION')
    assert.equal((await settings({}, { GATEWAY_RUN_MODE: 'something else' })).unit.mode, 'PRODUCTION')
    for (const mode of ['EVALUATION', 'evaluation', "${'EVALUATION'}"]) {
      assert.equal((await settings({ mode })).unit.mode, 'DEVELOPMENT', `${mode} of OpenIG`)
    }
  })

  test('values can be read from the environment', async () => {
    const { unit } = await settings(
      { connectors: [{ port: '&{my.port}' }], gatewayUnits: "${integer(env['UNITS'])}" },
      { MY_PORT: '9000', UNITS: '3' },
    )
    assert.deepEqual([unit.connectors[0]?.ports, unit.units], [[9000], 3])
  })

  test('a connector may have several ports', async () => {
    assert.deepEqual((await settings({ connectors: [{ port: [9001, 9002] }] })).unit.connectors[0]?.ports, [9001, 9002])
  })

  const refused: readonly [string, JsonObject, RegExp][] = [
    [
      'TLS without a certificate',
      { connectors: [{ port: 8443, tls: { type: 'ServerTlsOptions' } }] },
      /^\/connectors\/0\/tls\/config: give at least one of keyManager, sni/,
    ],
    [
      'TLS options that are not there',
      { adminConnector: { tls: 'x' } },
      /^\/adminConnector\/tls: no ServerTlsOptions named "x"/,
    ],
    [
      'the management port for traffic',
      { connectors: [{ port: 9000 }, { port: [9001, 8085] }] },
      /^\/connectors\/1\/port: port 8085 is the management port/,
    ],
    [
      'one port in two connectors',
      { connectors: [{ port: 9000 }, { port: 9000 }] },
      /^\/connectors\/1\/port: port 9000 /,
    ],
    ['one port twice', { connectors: [{ port: [9000, 9000] }] }, /^\/connectors\/0\/port: port 9000 /],
    [
      'a port out of range',
      { connectors: [{ port: 65_536 }] },
      /^\/connectors\/0\/port: expected an integer from 0 to 65535/,
    ],
    ['no connector', { connectors: [] }, /^\/connectors: /],
    ['a connector without port', { connectors: [{}] }, /^\/connectors\/0\/port: .*required/],
    [
      'a CIDR block with too many bits',
      { trustedProxies: ['10.0.0.0/33'] },
      /^\/trustedProxies\/0: expected an address or CIDR block/,
    ],
    [
      'a name among the trusted proxies',
      { trustedProxies: ['::1', 'proxy.test'] },
      /^\/trustedProxies\/1: expected an address or CIDR block/,
    ],
    ['a CIDR block with two slashes', { trustedProxies: ['10.0.0.0/8/8'] }, /^\/trustedProxies\/0: /],
    [
      'another forwarding header',
      { trustedForwardingHeader: 'X-Real-IP' },
      /^\/trustedForwardingHeader: expected one of "Forwarded", "X-Forwarded-For"/,
    ],
    ['a CIDR block without bits', { trustedProxies: ['10.0.0.0/'] }, /^\/trustedProxies\/0: /],
    ['an unknown field', { conectors: [] }, /^\/conectors: unknown field/],
    ['an unknown field of a connector', { connectors: [{ port: 1, hosts: 'x' }] }, /^\/connectors\/0\/hosts: /],
    ['an unknown mode', { mode: 'TEST' }, /^\/mode: expected one of "PRODUCTION", "DEVELOPMENT"/],
    ['no units', { gatewayUnits: 0 }, /^\/gatewayUnits: expected an integer from 1 to 256/],
    [
      'not a duration',
      { connectors: [{ port: 1, gracePeriod: 'soon' }] },
      /^\/connectors\/0\/gracePeriod: expected a duration/,
    ],
    [
      'an unlimited grace period',
      { connectors: [{ port: 1, gracePeriod: 'unlimited' }] },
      /^\/connectors\/0\/gracePeriod: expected a limited duration/,
    ],
    [
      'a protection that is no filter',
      { adminProtection: 'ClientHandler' },
      /^\/adminProtection: expected a Filter, got a Handler/,
    ],
    ['a protection that is not there', { adminProtection: 'guard' }, /^\/adminProtection: no Filter named "guard"/],
    ['a Router', { heap: [{ name: 'r', type: 'Router' }] }, /routes belong to config\.json/],
  ]
  for (const [what, json, expected] of refused) {
    test(`${what} is rejected with its position`, async () => {
      assert.match((await problems(json)).join('\n'), expected)
    })
  }

  test('every problem is reported, not only the first', async () => {
    assert.equal((await problems({ mode: 'TEST', trustedProxies: ['x'], connectors: [{ port: -1 }] })).length, 3)
  })

  test('one port on two addresses is accepted; on one address and on all addresses it is rejected', async () => {
    const on = (...hosts: string[]) => ({ connectors: hosts.map((host) => ({ port: 9000, host })) })
    assert.deepEqual(await problems(on('127.0.0.1', '127.0.0.2')), [])
    assert.equal((await problems(on('127.0.0.1', '0.0.0.0'))).length, 1)
    assert.equal((await problems(on('::', '127.0.0.1'))).length, 1)
    assert.deepEqual(await problems({ connectors: [{ port: 0 }, { port: [0, 0] }] }), [])
  })

  test('vertx.webSocketSubProtocols: all by default, or a list; other options are named in a warning', async () => {
    assert.equal((await settings({})).unit.settings.webSocketSubProtocols, null)
    const limited = await settings({ vertx: { webSocketSubProtocols: ['mqtt'], eventLoopPoolSize: 4 } })
    assert.deepEqual(limited.unit.settings.webSocketSubProtocols, ['mqtt'])
    assert.deepEqual(
      limited.warnings.filter(({ pointer }) => pointer.startsWith('/vertx')),
      [{ pointer: '/vertx/eventLoopPoolSize', message: 'has no counterpart in this gateway and is ignored' }],
    )
    assert.deepEqual(await problems({ vertx: { webSocketSubProtocols: 'mqtt' } }), [
      '/vertx/webSocketSubProtocols: expected a list of subprotocols, got "mqtt"',
    ])
  })

  test('the options of vertx may be one expression', async () => {
    const { unit, warnings } = await settings({
      properties: { vertxConfig: { webSocketSubProtocols: ['mqtt'], compressionLevel: 9 } },
      vertx: '${vertxConfig}',
      connectors: [{ port: 9000, vertx: '${vertxConfig}' }],
    })
    assert.deepEqual(unit.settings.webSocketSubProtocols, ['mqtt'])
    const named = warnings.filter(({ message }) => /compressionLevel|Protocols/.test(message))
    assert.deepEqual(
      named.map(({ pointer }) => pointer),
      ['/connectors/0/vertx', '/connectors/0/vertx'],
    )
  })

  test('vertx options without a counterpart cause a warning with their position', async () => {
    const { warnings } = await settings({ connectors: [{ port: 9000, vertx: { compressionLevel: 9 } }] })
    assert.match(
      warnings.map(({ pointer, message }) => `${pointer}: ${message}`).join(),
      /\/connectors\/0\/vertx.*compressionLevel/,
    )
  })
})

test('a file of the instance: a missing one is empty, a list is rejected', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-admin-'))
  try {
    assert.deepEqual(readConfigFile(join(directory, 'none.json')).value, {})
    writeFileSync(join(directory, 'list.json'), '[]')
    assert.throws(() => readConfigFile(join(directory, 'list.json')), { code: 'GW_CONFIG_INVALID' })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
