import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEventHandler } from '#contracts'
import type { JsonObject } from '#json'
import { accessEvent } from '#test/audit-events'
import { build } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { ClientTlsOptions } from '../../tls/client-tls-options/client-tls-options.ts'
import { KafkaAuditEventHandler } from './kafka-audit-event-handler.ts'

const CONFIG: JsonObject = { name: 'kafka', topics: ['access'], brokers: ['kafka1:9092', '[::1]:9093'] }

const open = (config: JsonObject = {}) =>
  build<AuditEventHandler>(
    KafkaAuditEventHandler,
    { ...CONFIG, ...config },
    { types: [ClientTlsOptions, secretsType({ 'kafka.password': 'secret' })] },
  )

test('the transport is plain data with the defaults', async () => {
  await using built = await open()
  assert.deepEqual(structuredClone(built.object.transport), {
    type: 'kafka',
    brokers: [
      { host: 'kafka1', port: 9092 },
      { host: '::1', port: 9093 },
    ],
    clientId: 'identity-gateway',
    kafkaTopic: null,
    topicPrefix: '',
    compression: 'none',
    idempotent: true,
    connectTimeout: 5_000,
    requestTimeout: 10_000,
    sendTimeout: 30_000,
    maxRequestBytes: 900_000,
    sasl: null,
    tls: null,
  })
})

test('the password is a secret', async () => {
  await using built = await open({
    tls: { type: 'ClientTlsOptions' },
    sasl: { mechanism: 'scram-sha-512', username: 'gateway', passwordSecretId: 'kafka.password' },
    secretsProvider: { type: 'TestSecrets' },
  })
  assert.deepEqual((built.object.transport as unknown as { sasl: unknown }).sasl, {
    mechanism: 'SCRAM-SHA-512',
    username: 'gateway',
    password: 'secret',
  })
  assert.deepEqual(built.warnings, [])
})

test('a password in clear text is warned about', async () => {
  await using built = await open({
    sasl: { mechanism: 'PLAIN', username: 'gateway', passwordSecretId: 'kafka.password' },
    secretsProvider: { type: 'TestSecrets' },
  })
  assert.match(JSON.stringify(built.warnings), /sasl PLAIN without tls sends the password in clear text; set tls/)
})

test('the text of an event has its transaction id as key', async () => {
  await using built = await open({ format: 'ecs' })
  const text = built.object.format.forTopic({ name: 'access', schema: {} })(accessEvent())
  assert.ok(text.startsWith(`${accessEvent()['transactionId']}\t{"@timestamp":`), text)
})

const REFUSED: readonly (readonly [string, JsonObject, RegExp])[] = [
  ['no brokers', { brokers: [] }, /\/config\/brokers: /],
  ['a broker without port', { brokers: ['kafka1'] }, /\/config\/brokers\/0: expected host:port, got "kafka1"/],
  ['a broker with a URL', { brokers: ['kafka://kafka1:9092'] }, /\/config\/brokers\/0: expected host:port/],
  ['a port that does not exist', { brokers: ['kafka1:99999'] }, /\/config\/brokers\/0: expected host:port/],
  ['a topic that Kafka refuses', { kafkaTopic: 'a b' }, /\/config\/kafkaTopic: expected letters/],
  [
    'a prefix beside a topic',
    { kafkaTopic: 'audit', topicPrefix: 'x.' },
    /\/config\/topicPrefix: expected none beside kafkaTopic/,
  ],
  [
    'an unknown mechanism',
    { sasl: { mechanism: 'GSSAPI', username: 'a', passwordSecretId: 'b' } },
    /\/config\/sasl\/mechanism: expected one of "PLAIN"/,
  ],
  [
    'a secret that is missing',
    { sasl: { mechanism: 'PLAIN', username: 'a', passwordSecretId: 'no.such' } },
    /\/config\/sasl\/passwordSecretId: /,
  ],
]

for (const [name, config, message] of REFUSED) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(open(config), message)
  })
}
