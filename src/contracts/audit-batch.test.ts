import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AuditBatchBuilder, eventsOf } from './audit-batch.ts'

test('a batch holds every event: topic, id, time and the text of each format', () => {
  const text = fc.option(fc.string({ unit: 'binary' }), { nil: undefined })
  const members = {
    topic: fc.constantFrom('access', 'config', 'payment'),
    id: fc.string({ minLength: 1 }),
    time: fc.nat(),
    texts: fc.tuple(text, text),
  }
  const event = fc.record(members, { noNullPrototype: true })
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const builder = new AuditBatchBuilder()
      for (const each of events) builder.add(each)
      const batch = structuredClone(builder.build())
      assert.deepEqual([...eventsOf(batch, 2)], events)
    }),
  )
})
