import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BatchBuilder, recordsOf } from '#durable-queue'
import { JournalGroups, readGroups } from './journal-group.ts'

const TOPICS = ['access', 'paiement é']
const text = fc.option(fc.string({ unit: 'binary', size: 'medium' }), { nil: undefined })
const event = fc.record({
  topic: fc.constantFrom(...TOPICS),
  id: fc.string({ unit: 'binary', minLength: 1 }),
  time: fc.nat(),
  texts: fc.tuple(text, text),
})

function read(content: Buffer, format: number): object[] {
  return [...readGroups(content, 2)].flatMap((batch) =>
    recordsOf(batch, 2, { format, topics: TOPICS }).map(({ topic, id, time, text }) => ({ topic, id, time, text })),
  )
}

test('groups of a batch are read as they were written', () => {
  fc.assert(
    fc.property(fc.array(fc.array(event, { maxLength: 40 }), { maxLength: 4 }), fc.nat(1), (groups, format) => {
      const builder = new BatchBuilder(2)
      const encoder = new JournalGroups()
      const written = groups.map((events) => {
        for (const each of events) builder.add(each)
        const group = builder.takeGroup()
        return group === null ? Buffer.alloc(0) : Buffer.from(encoder.encode(group))
      })
      const expected = groups
        .flat()
        .flatMap(({ topic, id, time, texts }) =>
          texts[format] === undefined
            ? []
            : [{ topic, id: id.toWellFormed(), time, text: texts[format].toWellFormed() }],
        )
      assert.deepEqual(read(Buffer.concat(written), format), expected)
    }),
  )
})

test('a group that was cut off or changed ends the reading', () => {
  const builder = new BatchBuilder(2)
  const encoder = new JournalGroups()
  const groups = ['a', 'b'].map((id) => {
    builder.add({ topic: 'access', id, time: 1, texts: [`the text of ${id}`, undefined] })
    return Buffer.from(encoder.encode(builder.takeGroup() ?? assert.fail()))
  })
  const content = Buffer.concat(groups)
  const first = groups[0]?.length ?? 0
  assert.equal(read(content, 0).length, 2)
  for (let end = 0; end < content.length; end++) {
    assert.equal(read(content.subarray(0, end), 0).length, end < first ? 0 : 1, `cut off after ${end} bytes`)
  }
  for (let at = first; at < content.length; at++) {
    const changed = Buffer.from(content)
    changed[at]! ^= 0x55
    assert.equal(read(changed, 0).length, 1, `byte ${at} changed`)
  }
  assert.deepEqual(read(Buffer.alloc(4096), 0), [])
})
