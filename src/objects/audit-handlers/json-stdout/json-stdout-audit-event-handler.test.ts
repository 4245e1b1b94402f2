import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEventHandler } from '#contracts'
import { build } from '#test/build'
import { JsonStdoutAuditEventHandler } from './json-stdout-audit-event-handler.ts'

const CONFIG = { name: 'stdout', topics: ['access'] }
const TOPIC = { name: 'access', schema: {} }

test('events have source, topic and level, by which collectors recognise them', async () => {
  await using built = await build<AuditEventHandler>(JsonStdoutAuditEventHandler, CONFIG)
  const text = built.object.format.forTopic(TOPIC)({ _id: '1', level: 'x' })
  assert.deepEqual(JSON.parse(text), { _id: '1', source: 'audit', topic: 'access', level: 'INFO' })
  assert.deepEqual([built.object.transport, built.object.supportsQueries], [{ type: 'stdout' }, false])
})

test('for Elasticsearch the id has another name', async () => {
  const config = { ...CONFIG, elasticsearchCompatible: true }
  await using built = await build<AuditEventHandler>(JsonStdoutAuditEventHandler, config)
  const text = built.object.format.forTopic(TOPIC)({ _id: '1' })
  assert.deepEqual(JSON.parse(text), { _eventId: '1', source: 'audit', topic: 'access', level: 'INFO' })
})
