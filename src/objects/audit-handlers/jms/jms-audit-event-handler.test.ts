import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEventHandler } from '#contracts'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { ClientTlsOptions } from '../../tls/client-tls-options/client-tls-options.ts'
import { JmsAuditEventHandler } from './jms-audit-event-handler.ts'

const PROPERTIES: JsonObject = {
  'java.naming.factory.initial': 'org.apache.activemq.jndi.ActiveMQInitialContextFactory',
  'java.naming.provider.url': 'ssl://broker.example.com:61617?daemon=true',
  'topic.audit': 'audit',
}

function open(config: JsonObject = {}, properties: JsonObject = PROPERTIES, jndi: JsonObject = {}) {
  return build<AuditEventHandler>(
    JmsAuditEventHandler,
    {
      name: 'jms',
      topics: ['access'],
      deliveryMode: 'PERSISTENT',
      sessionMode: 'AUTO',
      jndi: {
        contextProperties: properties,
        topicName: 'audit',
        connectionFactoryName: 'ConnectionFactory',
        ...jndi,
      },
      ...config,
    },
    { types: [ClientTlsOptions, secretsType({ 'jms.password': 'secret', 'jms.user': 'gateway-of-secret' })] },
  )
}

/** The parts of the plan that tests are about. */
interface Plan {
  readonly type: string
  readonly envelope: string
  readonly producer: {
    readonly deliveryMode: string
    readonly connection: {
      readonly protocol: string
      readonly userName: string | null
      readonly password: string | null
    }
  }
}

const planOf = ({ transport }: AuditEventHandler): Plan => structuredClone(transport) as unknown as Plan

test('the transport is plain data, and PERSISTENT events are spooled', async () => {
  await using built = await open()
  const { type, envelope, producer } = planOf(built.object)
  assert.equal(type, 'jms')
  assert.equal(envelope, 'event')
  assert.equal(producer.deliveryMode, 'PERSISTENT')
  assert.equal(producer.connection.protocol, 'openwire')
  assert.notEqual(built.object.queue.spool, null)
  assert.equal(built.object.supportsQueries, false)
  assert.deepEqual(built.warnings, [])
})

test('NON_PERSISTENT events are spooled only where it is asked for', async () => {
  await using memory = await open({ deliveryMode: 'NON_PERSISTENT' })
  assert.equal(memory.object.queue.spool, null)
  await using spooled = await open({ deliveryMode: 'NON_PERSISTENT', spool: { enabled: true } })
  assert.notEqual(spooled.object.queue.spool, null)
})

test('every value of the specification is accepted, and batch', async () => {
  for (const sessionMode of ['AUTO', 'CLIENT', 'DUPS_OK']) {
    await using built = await open({ sessionMode, envelope: 'topic', batch: { capacity: 1000, maxBatchedEvents: 10 } })
    assert.equal(planOf(built.object).envelope, 'topic')
    assert.deepEqual(built.warnings, [])
  }
})

test('the text of an event is its JSON', async () => {
  await using built = await open()
  const format = built.object.format.forTopic({ name: 'access', schema: {} })
  assert.equal(format({ _id: 'a', name: 'Zoë' }), '{"_id":"a","name":"Zoë"}')
})

test('the user and the password are secrets or properties', async () => {
  await using secret = await open(
    { passwordSecretId: 'jms.password', secretsProvider: { type: 'TestSecrets' } },
    { ...PROPERTIES, userName: 'gateway' },
  )
  const { userName, password } = planOf(secret.object).producer.connection
  assert.deepEqual([userName, password], ['gateway', 'secret'])
  await using both = await open(
    { userNameSecretId: 'jms.user', passwordSecretId: 'jms.password', secretsProvider: { type: 'TestSecrets' } },
    { ...PROPERTIES, userName: 'replaced' },
  )
  assert.equal(planOf(both.object).producer.connection.userName, 'gateway-of-secret')
  await using plain = await open({}, { ...PROPERTIES, userName: 'gateway', password: 'property' })
  assert.equal(planOf(plain.object).producer.connection.password, 'property')
})

test('options without effect and a password in clear text are warned about', async () => {
  await using built = await open(
    {},
    {
      ...PROPERTIES,
      'java.naming.provider.url': 'tcp://a:1?jms.useAsyncSend=true',
      userName: 'u',
      password: 'hunter2',
    },
  )
  const warnings = JSON.stringify(built.warnings)
  assert.match(warnings, /\/jndi\/contextProperties\/java.naming.provider.url: option jms.useAsyncSend/)
  assert.match(warnings, /the password is sent in clear text/)
  assert.doesNotMatch(warnings, /hunter2/)
})

test('Qpid JMS is AMQP', async () => {
  await using built = await open(
    {},
    {
      'java.naming.factory.initial': 'org.apache.qpid.jms.jndi.JmsInitialContextFactory',
      'connectionfactory.ConnectionFactory': 'amqps://broker.example.com',
      'topic.audit': 'audit',
    },
  )
  assert.equal(planOf(built.object).producer.connection.protocol, 'amqp')
})

const REFUSED: readonly (readonly [string, () => ReturnType<typeof open>, RegExp])[] = [
  [
    'empty contextProperties',
    () => open({}, {}),
    /\/config\/jndi\/contextProperties: .*there is no application server/,
  ],
  [
    'an unknown factory',
    () => open({}, { ...PROPERTIES, 'java.naming.factory.initial': 'com.example.Factory' }),
    /\/config\/jndi\/contextProperties\/java.naming.factory.initial: expected org.apache.activemq/,
  ],
  [
    'a scheme that is not supported',
    () => open({}, { ...PROPERTIES, 'java.naming.provider.url': 'vm://localhost' }),
    /\/config\/jndi\/contextProperties\/java.naming.provider.url: expected tcp:/,
  ],
  [
    'a topic that is not defined',
    () => open({}, PROPERTIES, { topicName: 'audits' }),
    /\/config\/jndi\/topicName: expected a topic that contextProperties defines.*did you mean "audit"/,
  ],
  ['a missing topicName', () => open({ jndi: { connectionFactoryName: 'c' } }), /\/config\/jndi.*topicName/],
  ['a missing deliveryMode', () => open({ deliveryMode: null }), /deliveryMode/],
  [
    'an unknown sessionMode',
    () => open({ sessionMode: 'SESSION_TRANSACTED' }),
    /\/config\/sessionMode: expected one of/,
  ],
  [
    'a secret that is missing',
    () => open({ passwordSecretId: 'no.such', secretsProvider: { type: 'TestSecrets' } }),
    /\/config\/passwordSecretId: /,
  ],
  [
    'a user that is missing',
    () => open({ userNameSecretId: 'no.such', secretsProvider: { type: 'TestSecrets' } }),
    /\/config\/userNameSecretId: /,
  ],
]

for (const [name, attempt, message] of REFUSED) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(attempt(), message)
  })
}
