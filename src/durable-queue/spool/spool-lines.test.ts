import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BatchBuilder, recordsOf } from '#durable-queue'
import type { QueuedRecord } from '../delivery/transport.ts'
import { readSpoolLines } from './spool-line.ts'
import { SpoolLines } from './spool-lines.ts'

/** The record as it comes from a unit. */
function encoded({ topic, id, time, text }: QueuedRecord): QueuedRecord {
  const builder = new BatchBuilder()
  builder.add({ topic, id, time, texts: [text] })
  return recordsOf(builder.build(), 1, { format: 0, topics: [topic] })[0]!
}

const text = fc.string({ unit: 'binary' })
const anyRecord = fc.record({ topic: text, id: text, text, time: fc.integer() }, { noNullPrototype: true })
const usualRecord = fc.record(
  { topic: fc.constant('access'), id: fc.uuid(), text: fc.json(), time: fc.nat() },
  { noNullPrototype: true },
)
const records = fc.array(fc.tuple(fc.oneof(anyRecord, usualRecord), fc.boolean()))

test('a spool keeps topic, id, text and time of any record, encoded or not, and finds any damage', () => {
  const lines = new SpoolLines()
  fc.assert(
    fc.property(records, fc.nat(), fc.integer({ min: 1, max: 255 }), (all, position, change) => {
      const content = lines.encode(all.map(([record, isEncoded]) => (isEncoded ? encoded(record) : record)))
      const expected = all.map(([record]) => record)
      assert.deepEqual(readSpoolLines(content, all.length + 1), { lines: expected, bytes: content.length })
      if (content.length === 0) return
      const at = position % content.length
      content[at] = (content[at] as number) ^ change
      const found = readSpoolLines(content, Infinity).lines.filter((line) => line !== null)
      assert.ok(found.length >= all.length - 2 && found.length < all.length)
      for (const one of found) assert.ok(expected.some(({ id, text }) => one.id === id && one.text === text))
    }),
  )
})

test('encoded texts are spooled as they are', () => {
  const record = encoded({ topic: 'access', id: 'id-1', time: 5, text: '{"a":"b c"}' })
  const line = new SpoolLines().encode([record]).toString()
  assert.match(line, /^[0-9a-f]{8} 5 access id-1 \{"a":"b c"\}\n$/)
})
