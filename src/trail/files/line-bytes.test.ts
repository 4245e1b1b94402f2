import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BatchBuilder, recordsOf } from '#durable-queue'
import { type Line, lineBytes } from './line-bytes.ts'

/** Records of batches, as texts or encoded. */
const lines = fc.array(
  fc.record({ texts: fc.array(fc.string({ unit: 'grapheme' })), isEncoded: fc.boolean(), from: fc.nat({ max: 3 }) }),
)

test('bytes of lines are those of their texts, encoded or not, with any line end', () => {
  fc.assert(
    fc.property(lines, fc.constantFrom('\n', '\r\n'), (batches, lineEnd) => {
      const all = batches.flatMap(({ texts, isEncoded, from }): readonly Line[] => {
        const builder = new BatchBuilder()
        for (const text of texts) builder.add({ topic: 'access', id: 'id', time: 0, texts: [text] })
        const records = recordsOf(builder.build(), 1, { format: 0, topics: ['access'] })
        return isEncoded ? records.slice(from) : texts
      })
      const texts = all.map((line) => (typeof line === 'string' ? line : line.text))
      const expected = texts.map((text) => `${text}${lineEnd}`).join('')
      assert.equal(Buffer.from(lineBytes(all, lineEnd)).toString(), expected)
    }),
  )
})

test('records of one batch are not copied', () => {
  const builder = new BatchBuilder()
  const texts = ['1', '2', '3'].map((text) => text.repeat(3_000))
  for (const text of texts) builder.add({ topic: 'access', id: text, time: 0, texts: [text] })
  const batch = builder.build()
  const bytes = lineBytes(recordsOf(batch, 1, { format: 0, topics: ['access'] }).slice(1), '\n')
  assert.ok(bytes.buffer === batch.bytes.buffer)
  assert.equal(Buffer.from(bytes).toString(), `${texts[1]}\n${texts[2]}\n`)
})
