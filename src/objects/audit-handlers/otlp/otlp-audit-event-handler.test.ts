import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import type { AuditEventHandler } from '#contracts'
import type { JsonObject } from '#json'
import { accessEvent } from '#test/audit-events'
import { build } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { ClientTlsOptions } from '../../tls/client-tls-options/client-tls-options.ts'
import { OtlpAuditEventHandler } from './otlp-audit-event-handler.ts'

const CONFIG: JsonObject = { name: 'otlp', topics: ['access'], endpoint: 'http://127.0.0.1:4318' }

const open = (config: JsonObject = {}) =>
  build<AuditEventHandler>(
    OtlpAuditEventHandler,
    { ...CONFIG, ...config },
    { types: [ClientTlsOptions, secretsType({ 'otlp.authorization': 'Bearer secret' })] },
  )

test('the transport is plain data with the defaults', async () => {
  await using built = await open()
  assert.deepEqual(structuredClone(built.object.transport), {
    type: 'otlp',
    endpoint: 'http://127.0.0.1:4318',
    headers: [],
    compression: 'none',
    connectTimeout: 5_000,
    requestTimeout: 10_000,
    resourceAttributes: { 'service.name': 'identity-gateway', 'service.instance.id': hostname() },
    tls: null,
  })
})

test('headers may be secrets, and resource attributes replace the defaults', async () => {
  await using built = await open({
    endpoint: 'https://collector.example.com',
    headers: { 'X-Tenant': 'a' },
    headerSecretIds: { Authorization: 'otlp.authorization' },
    secretsProvider: { type: 'TestSecrets' },
    resourceAttributes: { 'service.name': 'edge' },
  })
  const { headers, resourceAttributes, tls } = built.object.transport as unknown as {
    headers: unknown
    resourceAttributes: JsonObject
    tls: JsonObject
  }
  assert.deepEqual(headers, [
    ['X-Tenant', 'a'],
    ['Authorization', 'Bearer secret'],
  ])
  assert.equal(resourceAttributes['service.name'], 'edge')
  assert.equal(tls['rejectUnauthorized'], true)
})

test('the text of an event is a log record', async () => {
  await using built = await open({ format: 'ocsf' })
  const record = JSON.parse(built.object.format.forTopic({ name: 'access', schema: {} })(accessEvent()))
  assert.equal(record.severityText, 'WARN')
  assert.ok(record.body.kvlistValue.values.some(({ key }: { key: string }) => key === 'class_uid'))
})

const REFUSED: readonly (readonly [string, JsonObject, RegExp])[] = [
  [
    'an endpoint that is no URL',
    { endpoint: 'collector:4318' },
    /\/config\/endpoint: expected a URL \(http:\/\/, https:\/\/\)/,
  ],
  [
    'an endpoint with a query',
    { endpoint: 'http://collector/?a=b' },
    /\/config\/endpoint: expected no query and no fragment/,
  ],
  [
    'an endpoint with the path that is added',
    { endpoint: 'http://collector:4318/v1/logs' },
    /\/config\/endpoint: expected the base URL without \/v1\/logs, which is added/,
  ],
  [
    'an endpoint with credentials',
    { endpoint: 'http://user:pw@collector/' },
    /\/config\/endpoint: expected no credentials; use headerSecretIds/,
  ],
  ['a header that can not be sent', { headers: { 'a b': 'c' } }, /\/config\/headers\/a b: /],
  ['tls with http', { tls: { type: 'ClientTlsOptions' } }, /\/config\/tls: expected none with an http endpoint/],
  [
    'a secret that is missing',
    { headerSecretIds: { Authorization: 'no.such' } },
    /\/config\/headerSecretIds\/Authorization: /,
  ],
  [
    'a time limit above that of the writer',
    { requestTimeout: '2 minutes' },
    /\/config\/requestTimeout: expected a duration of at most 50 seconds/,
  ],
]

for (const [name, config, message] of REFUSED) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(open(config), (error: Error) => {
      assert.match(error.message, message)
      assert.doesNotMatch(error.message, /pw|secret"/)
      return true
    })
  })
}
