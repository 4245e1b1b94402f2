import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { FilesPlan } from '#audit'
import type { AuditEventHandler } from '#contracts'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { JsonAuditEventHandler } from './json-audit-event-handler.ts'

const CONFIG: JsonObject = { name: 'json', topics: ['access'], logDirectory: 'logs/access' }
const PRIVATE_KEY = generateKeyPairSync('ed25519').privateKey
const TOPIC = { name: 'access', schema: {} }

async function open(config: JsonObject = {}) {
  const types = [
    secretsType({ 'audit.sign': 'a secret of many bytes', 'audit.short': 'short', 'audit.key': PRIVATE_KEY }),
  ]
  const built = await build<AuditEventHandler>(JsonAuditEventHandler, { ...CONFIG, ...config }, { types })
  return { built, plan: structuredClone(built.object.transport) as unknown as FilesPlan & { type: string } }
}

describe('JsonAuditEventHandler', () => {
  test('has the defaults of the reference, as plain data', async () => {
    const { built, plan } = await open()
    await using _ = built
    assert.ok(plan.directory.endsWith(join('logs', 'access')))
    assert.deepEqual(
      { ...plan, directory: '', exclusive: '' },
      {
        type: 'file',
        exclusive: '',
        directory: '',
        topics: ['access'],
        extension: '.audit.json',
        lineEnd: '\n',
        headers: {},
        mode: 0o600,
        sync: 100,
        keepOpen: true,
        rotation: {
          maxFileSize: Number.POSITIVE_INFINITY,
          interval: Number.POSITIVE_INFINITY,
          times: [],
          prefix: '',
          suffix: '-yyyy.MM.dd-HH.mm.ss',
        },
        retention: { maxFiles: Number.POSITIVE_INFINITY, maxDiskSpace: Number.POSITIVE_INFINITY, minFreeSpace: 0 },
        compress: false,
        checkInterval: 5_000,
        chain: null,
      },
    )
    assert.equal(built.object.supportsQueries, true)
    assert.equal(built.object.queue.maxEvents, 100_000)
  })

  test('rotation has no effect until it is enabled; negative limits are off', async () => {
    const fileRotation = { maxFileSize: 10, rotationInterval: '1 hour', rotationTimes: ['0 seconds', '12 hours'] }
    const off = await open({ fileRotation })
    await using _ = off.built
    assert.equal(off.plan.rotation.maxFileSize, Number.POSITIVE_INFINITY)
    const on = await open({
      fileRotation: { rotationEnabled: true, ...fileRotation, rotationFilePrefix: 'old-' },
      fileRetention: { maxNumberOfHistoryFiles: 3, maxDiskSpaceToUse: -1, minFreeSpaceRequired: -1 },
      filePermission: '0640',
      compress: true,
      buffering: { maxSize: 5, writeInterval: 'disabled' },
    })
    await using __ = on.built
    assert.deepEqual(on.plan.rotation, {
      maxFileSize: 10,
      interval: 3_600_000,
      times: [0, 43_200_000],
      prefix: 'old-',
      suffix: '-yyyy.MM.dd-HH.mm.ss',
    })
    assert.deepEqual([on.plan.mode, on.plan.sync, on.plan.compress], [0o640, 0, true])
    assert.deepEqual(on.plan.retention, { maxFiles: 3, maxDiskSpace: Number.POSITIVE_INFINITY, minFreeSpace: 0 })
    assert.equal(on.built.object.queue.maxEvents, 5)
  })

  test('fields of the buffer that have no effect here are accepted with a warning', async () => {
    const { built } = await open({ buffering: { enabled: true, maxSize: 5, maxBatchedEvents: 500 } })
    await using _ = built
    assert.equal(built.object.queue.maxEvents, 5)
    assert.deepEqual(built.warnings, [
      '/heap/0/config/buffering/enabled: enabled has no effect: events always wait in the queue until they are written',
      '/heap/0/config/buffering/maxBatchedEvents: maxBatchedEvents has no effect: all events that wait are written together, within the limits of `queue`',
    ])
    await assert.rejects(open({ buffering: { enabled: 'maybe' } }), /buffering\/enabled: expected true or false/)
  })

  test('the text of an event is one line; for Elasticsearch with another name of the id', async () => {
    const event = { _id: '1', text: 'a\nb\u2028' }
    const plain = await open()
    await using _ = plain.built
    assert.equal(plain.built.object.format.forTopic(TOPIC)(event), '{"_id":"1","text":"a\\nb\\u2028"}')
    const elastic = await open({ elasticsearchCompatible: true })
    await using __ = elastic.built
    assert.equal(elastic.built.object.format.forTopic(TOPIC)(event), '{"_eventId":"1","text":"a\\nb\\u2028"}')
    assert.notEqual(plain.built.object.format.key, elastic.built.object.format.key)
  })

  test('another format is no longer the event that queries look for', async () => {
    const { built } = await open({ format: 'ecs' })
    await using _ = built
    const text = built.object.format.forTopic(TOPIC)({ _id: '1', timestamp: '2026-01-02T03:04:05.006Z' })
    assert.equal(JSON.parse(text)['@timestamp'], '2026-01-02T03:04:05.006Z')
    assert.equal(built.object.supportsQueries, false)
  })

  test('tamper evidence takes a shared secret', async () => {
    const security = { enabled: true, secretId: 'audit.sign', secretsProvider: { type: 'TestSecrets' } }
    const { built, plan } = await open({ security })
    await using _ = built
    assert.deepEqual(plan.chain, {
      key: { secret: Uint8Array.from(Buffer.from('a secret of many bytes')) },
      csv: null,
      interval: 1_000,
      lines: 1_000,
    })
  })

  for (const [title, config, message] of [
    ['permissions that are no octal digits', { filePermission: 'rw' }, /\/filePermission: expected three octal digits/],
    [
      'permissions without those of the gateway',
      { filePermission: '0444' },
      /\/filePermission: the gateway has to read/,
    ],
    [
      'a suffix with unknown letters',
      { fileRotation: { rotationFileSuffix: '-hh' } },
      /\/fileRotation\/rotationFileSuffix: unknown letters "hh"/,
    ],
    [
      'a suffix without its larger units',
      { fileRotation: { rotationFileSuffix: '-HH.mm' } },
      /\/fileRotation\/rotationFileSuffix: yyyy is needed beside mm/,
    ],
    ['a prefix with a slash', { fileRotation: { rotationFilePrefix: '../x' } }, /\/fileRotation\/rotationFilePrefix: /],
    ['a time beyond a day', { fileRotation: { rotationTimes: ['25 hours'] } }, /\/fileRotation\/rotationTimes\/0: /],
    ['security without secret', { security: { enabled: true } }, /\/security\/secretId: a secret is needed/],
    [
      'a secret that is not there',
      { security: { enabled: true, secretId: 'no.such' } },
      /\/security\/secretId: no secret store knows the secret id "no.such"/,
    ],
    [
      'a secret that is too short',
      { security: { enabled: true, secretId: 'audit.short', secretsProvider: { type: 'TestSecrets' } } },
      /\/security\/secretId: the secret id "audit.short" has 5 bytes; at least 16 are needed/,
    ],
  ] as const) {
    test(`refuses ${title}`, async () => {
      await assert.rejects(open(config as JsonObject), message)
    })
  }

  test('tamper evidence takes a private key', async () => {
    const security = { enabled: true, secretId: 'audit.key', secretsProvider: { type: 'TestSecrets' } }
    const { built, plan } = await open({ security })
    await using _ = built
    const { pem } = plan.chain!.key as { pem: string }
    assert.ok(createPrivateKey(pem).equals(PRIVATE_KEY))
  })
})
