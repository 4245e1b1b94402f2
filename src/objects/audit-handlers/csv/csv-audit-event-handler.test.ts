import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FilesPlan } from '#audit'
import type { AuditEventHandler } from '#contracts'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { RecordedAudit } from '#test/recorded-audit'
import { AuditService } from '../../services/audit/audit-service.ts'
import { CsvAuditEventHandler } from './csv-audit-event-handler.ts'

const CONFIG: JsonObject = { name: 'csv', topics: ['access'], logDirectory: 'logs/csv' }
const TOPIC = { name: 'access', schema: { properties: { a: { type: 'string' } } } }

async function open(config: JsonObject = {}) {
  const types = [secretsType({ 'audit.sign': 'a secret of many bytes' })]
  const built = await build<AuditEventHandler>(CsvAuditEventHandler, { ...CONFIG, ...config }, { types })
  return { built, plan: structuredClone(built.object.transport) as unknown as FilesPlan }
}

/** Names of columns that consumers of CsvAuditEventHandler of other products read; `traceId` is ours. */
const ACCESS_COLUMNS = [
  ...['_id', 'timestamp', 'eventName', 'transactionId', 'traceId', 'userId', 'trackingIds'],
  ...['server.ip', 'server.port', 'client.ip', 'client.port'],
  ...['request.protocol', 'request.operation', 'request.detail'],
  ...['http.request.secure', 'http.request.method', 'http.request.path'],
  ...['http.request.queryParameters', 'http.request.headers', 'http.request.cookies', 'http.response.headers'],
  ...['response.status', 'response.statusCode', 'response.elapsedTime', 'response.elapsedTimeUnits', 'response.detail'],
]

describe('CsvAuditEventHandler', () => {
  test('writes rows by the schema of the topic, formulas defused', async () => {
    const { built, plan } = await open()
    await using _ = built
    const { format } = built.object
    assert.equal(format.header?.(TOPIC), '"_id","a"')
    assert.equal(format.forTopic(TOPIC)({ _id: '1', a: '=1' }), `"1","'=1"`)
    assert.deepEqual([plan.extension, plan.lineEnd, plan.sync], ['.csv', '\n', 100])
    assert.equal(built.object.supportsQueries, false)
  })

  test('its characters, line ends and buffering are those of the configuration', async () => {
    const { built, plan } = await open({
      formatting: { quoteChar: "'", delimiterChar: ';', endOfLineSymbols: '\r\n' },
      formulaProtection: false,
      buffering: { enabled: true, autoFlush: false },
      security: { enabled: true, secretId: 'audit.sign', secretsProvider: { type: 'TestSecrets' } },
    })
    await using _ = built
    assert.equal(built.object.format.header?.(TOPIC), "'_id';'a';'HMAC';'SIGNATURE'")
    assert.equal(built.object.format.forTopic(TOPIC)({ _id: '1', a: '=1' }), "'1';'=1'")
    assert.deepEqual([plan.lineEnd, plan.sync], ['\r\n', Number.POSITIVE_INFINITY])
    assert.deepEqual(plan.chain?.csv, { quote: "'", delimiter: ';' })
  })

  for (const [group, compatibility] of [
    ['gateway', false],
    ['ig', true],
  ] as const) {
    test(`the plan of the service has the header row of each topic, with the group ${group} alone`, async () => {
      const recorded = new RecordedAudit()
      await using _ = await build(
        AuditService,
        { eventHandlers: [{ class: 'CsvAuditEventHandler', config: CONFIG }], compatibility },
        { types: [CsvAuditEventHandler], openAudit: recorded.openAudit },
      )
      const { headers } = recorded.plans[0]!.handlers[0]!.transport as unknown as FilesPlan
      const columns = String(headers['access']).replaceAll('"', '').split(',')
      const ofGroup = columns.indexOf(`${group}.exchangeId`)
      assert.deepEqual(columns.slice(0, ofGroup), ACCESS_COLUMNS)
      assert.ok(
        columns.slice(ofGroup).every((column) => column.startsWith(`${group}.`)),
        columns.join(),
      )
    })
  }

  test('fields that other gateways document are accepted: permissions as a number, and a check interval of the retention', async () => {
    const { built, plan } = await open({
      filePermissions: 640,
      fileRetention: { maxNumberOfHistoryFiles: 3, rotationRetentionCheckInterval: '1 minute' },
      security: { keyStoreHandlerName: 'store', signatureInterval: '1 day' },
    })
    await using _ = built
    assert.deepEqual([plan.mode, plan.retention.maxFiles], [0o640, 3])
    const warnings = String(built.warnings)
    assert.match(warnings, /filePermissions is deprecated; use filePermission, with octal text such as "0640"/)
    assert.match(warnings, /rotationRetentionCheckInterval has no effect: it belongs beside fileRetention/)
    await assert.rejects(open({ filePermissions: 416 + 0.5 }), /expected three octal digits such as "0640"/)
  })

  test('two handlers of a service that would write to one file are refused; other topics and folders are not', async () => {
    const handlers = (second: object) => [
      { class: 'CsvAuditEventHandler', config: CONFIG },
      { class: 'CsvAuditEventHandler', config: { ...CONFIG, name: 'second', ...second } },
    ]
    const open = (second: object) =>
      build(AuditService, { eventHandlers: handlers(second) } as never, {
        types: [CsvAuditEventHandler],
        openAudit: new RecordedAudit().openAudit,
      })
    await assert.rejects(
      open({}),
      /\/eventHandlers\/1\/config\/logDirectory: "csv" writes to .*access\.csv too; use another folder/,
    )
    for (const second of [{ topics: ['config'] }, { logDirectory: 'other' }, { enabled: false }]) {
      await using _ = await open(second)
    }
  })

  test('the keystore of other gateways is accepted while security is off; to sign, a secret is needed', async () => {
    const security = { enabled: false, filename: 'audit.p12', password: 'changeit', signatureInterval: '3 seconds' }
    const { built } = await open({ security })
    await built[Symbol.asyncDispose]()
    assert.match(String(built.warnings), /filename has no effect: no keystore is read/)
    await assert.rejects(open({ security: { ...security, enabled: true } }), /\/security\/secretId: a secret is needed/)
  })

  for (const [title, formatting, message] of [
    ['a quote that is a letter', { quoteChar: 'a' }, /\/formatting\/quoteChar: expected one character/],
    ['one character for both', { delimiterChar: '"' }, /\/formatting\/delimiterChar: expected another character/],
    ['an unknown line end', { endOfLineSymbols: '\r' }, /\/formatting\/endOfLineSymbols: expected "\\n" or "\\r\\n"/],
  ] as const) {
    test(`refuses ${title}`, async () => {
      await assert.rejects(open({ formatting }), message)
    })
  }
})
