import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AuditBatchBuilder, recordsOf } from './audit-batch.ts'

const TOPICS = ['access', 'config', 'payment']

test('batches hold every event: topic, id, time and the text of each format', () => {
  const text = fc.option(fc.string({ unit: 'binary', size: 'medium' }), { nil: undefined })
  const members = {
    topic: fc.constantFrom(...TOPICS),
    id: fc.string({ minLength: 1 }),
    time: fc.nat(),
    texts: fc.tuple(text, text),
  }
  const events = fc.array(fc.record(members, { noNullPrototype: true }), { maxLength: 100 })
  fc.assert(
    fc.property(events, events, (first, second) => {
      const builder = new AuditBatchBuilder()
      for (const added of [first, second]) {
        for (const each of added) builder.add(each)
        assert.equal(builder.events, added.length)
        const batch = structuredClone(builder.build())
        for (const format of [0, 1] as const) {
          const records = recordsOf(batch, 2, { format, topics: TOPICS })
          const expected = added.flatMap(({ texts, ...event }) =>
            texts[format] === undefined ? [] : [{ ...event, text: texts[format].toWellFormed() }],
          )
          assert.deepEqual(
            records.map(({ topic, id, time, text }) => ({ topic, id, time, text })),
            expected,
          )
          for (const { encoded, text } of records) {
            assert.equal(encoded.bytes[encoded.end], 0x0a)
            assert.equal(Buffer.from(encoded.bytes.subarray(encoded.start, encoded.end)).toString(), text)
          }
        }
      }
    }),
  )
})

test('a handler gets the events of its topics only', () => {
  const builder = new AuditBatchBuilder()
  for (const topic of TOPICS) builder.add({ topic, id: topic, time: 0, texts: ['{}'] })
  const topics = recordsOf(builder.build(), 1, { format: 0, topics: ['access', 'payment'] }).map(({ id }) => id)
  assert.deepEqual(topics, ['access', 'payment'])
})

test('a text larger than the buffer is held, and the buffer is not', () => {
  const builder = new AuditBatchBuilder()
  const text = 'é'.repeat(2_000_000)
  builder.add({ topic: 'access', id: '1', time: 0, texts: [text] })
  const [record] = recordsOf(builder.build(), 1, { format: 0, topics: TOPICS })
  assert.equal(record?.text, text)
  builder.add({ topic: 'access', id: '2', time: 0, texts: ['{}'] })
  assert.equal(builder.build().bytes.length, 3)
})
