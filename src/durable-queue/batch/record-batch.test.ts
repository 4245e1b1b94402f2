import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { recordsOf } from './batch-records.ts'
import { BatchBuilder } from './record-batch.ts'

const TOPICS = ['access', 'config', 'payment']

const text = fc.option(fc.string({ unit: 'binary', size: 'medium' }), { nil: undefined })
const event = fc.record(
  {
    topic: fc.constantFrom(...TOPICS),
    id: fc.string({ unit: 'binary', minLength: 1 }),
    time: fc.nat(),
    texts: fc.tuple(text, text),
  },
  { noNullPrototype: true },
)
/** The first text begins with the id. */
const eventWithId = fc
  .tuple(event, fc.string({ unit: 'grapheme-ascii', minLength: 1 }), fc.string({ unit: 'binary' }))
  .map(([{ texts, ...rest }, id, more]) => ({
    ...rest,
    id,
    idAt: 2,
    texts: [`{"${id}"${more}`, texts[1]] as [string, string | undefined],
  }))

test('batches hold every event: topic, id, time and the text of each format', () => {
  const events = fc.array(fc.oneof(event, eventWithId), { maxLength: 100 })
  fc.assert(
    fc.property(fc.array(events, { maxLength: 4 }), (batches) => {
      const builder = new BatchBuilder(2)
      // Later batches do not change earlier ones, with which they share memory.
      const built = batches.map((added) => {
        for (const each of added) builder.add(each)
        assert.equal(builder.length, added.length)
        return structuredClone(builder.build())
      })
      for (const [index, added] of batches.entries()) {
        for (const format of [0, 1] as const) {
          const records = recordsOf(built[index]!, 2, { format, topics: TOPICS })
          const expected = added.flatMap(({ topic, id, time, texts }) =>
            texts[format] === undefined
              ? []
              : [{ topic, id: id.toWellFormed(), time, text: texts[format].toWellFormed() }],
          )
          assert.deepEqual(
            records.map(({ topic, id, time, text }) => ({ topic, id, time, text })),
            expected,
          )
          for (const { encoded, text } of records) {
            assert.equal(encoded.bytes[encoded.end], 0x0a)
            assert.equal(Buffer.from(encoded.bytes.subarray(encoded.start, encoded.end)).toString(), text)
            if (encoded.isAscii) assert.match(text, /^\p{ASCII}*$/u)
          }
        }
      }
    }),
  )
})

test('a handler gets the events of its topics only', () => {
  const builder = new BatchBuilder()
  for (const topic of TOPICS) builder.add({ topic, id: topic, time: 0, texts: ['{}'] })
  const topics = recordsOf(builder.build(), 1, { format: 0, topics: ['access', 'payment'] }).map(({ id }) => id)
  assert.deepEqual(topics, ['access', 'payment'])
})

test('a text larger than the memory of a batch is held', () => {
  const builder = new BatchBuilder()
  const text = 'é'.repeat(2_000_000)
  builder.add({ topic: 'access', id: '1', time: 0, texts: [text] })
  const [record] = recordsOf(builder.build(), 1, { format: 0, topics: TOPICS })
  assert.equal(record?.text, text)
})

/** Bytes of shared memory that are allocated meanwhile. */
function allocatedBy(run: () => void): number {
  const { SharedArrayBuffer: original } = globalThis
  let bytes = 0
  globalThis.SharedArrayBuffer = class extends original {
    constructor(length: number) {
      super(length)
      bytes += length
    }
  } as unknown as typeof SharedArrayBuffer
  try {
    run()
  } finally {
    globalThis.SharedArrayBuffer = original
  }
  return bytes
}

for (const length of [60, 200, 600, 1_200, 10_000]) {
  test(`many events of ${length} bytes are few batches, in memory of about their size`, () => {
    const builder = new BatchBuilder()
    const event = { topic: 'access', id: '1', time: 0, texts: ['x'.repeat(length)] }
    const count = Math.ceil(40_000_000 / length)
    const sizes: number[] = []
    const allocated = allocatedBy(() => {
      for (let n = 0; n < count; n++) {
        builder.add(event)
        if (!builder.isFull) continue
        const { bytes, numbers } = builder.build()
        sizes.push(bytes.length)
        assert.equal(numbers.buffer, bytes.buffer)
        assert.ok(bytes.buffer.byteLength < bytes.length + 8 + numbers.byteLength)
        assert.equal(builder.isFull, false)
      }
    })
    assert.ok(sizes.length >= 10 && sizes.length <= 11, `${sizes.length} batches`)
    assert.ok(allocated < 44_000_000 + 6 * 8 * count, `${allocated} bytes`)
  })
}

test('a batch is full at a quarter of the smallest queue', () => {
  const builder = new BatchBuilder(1, 1024 * 1024)
  const event = { topic: 'access', id: '1', time: 0, texts: ['x'.repeat(1023)] }
  for (let n = 0; n < 255; n++) builder.add(event)
  assert.equal(builder.isFull, false)
  builder.add(event)
  assert.equal(builder.isFull, true)
})

test('events write texts by themselves; where one is not written, its text is used', () => {
  const written = fc.record({ outcome: fc.constantFrom(true, false, null), length: fc.nat(100_000) })
  fc.assert(
    fc.property(fc.array(written, { maxLength: 40 }), (events) => {
      const builder = new BatchBuilder(2)
      for (const [at, { outcome, length }] of events.entries()) {
        builder.add({
          topic: 'access',
          id: `id-${at}`,
          time: at,
          texts: [`text ${at}`, `other text ${at}`],
          write: (format, target) => {
            const line = `<id-${at}|${format}|${'x'.repeat(length)}`
            const memory = target.room(line.length)
            memory.write(line, target.size)
            target.idStart = target.size + 1
            target.idEnd = target.idStart + `id-${at}`.length
            target.size += line.length
            return format === 0 ? outcome : true
          },
        })
      }
      const batch = builder.build()
      for (const format of [0, 1]) {
        const expected = events.flatMap(({ outcome, length }, at) => {
          if (format === 0 && outcome === null) return []
          const isWritten = format === 1 || outcome
          return [{ id: `id-${at}`, text: isWritten ? `<id-${at}|${format}|${'x'.repeat(length)}` : `text ${at}` }]
        })
        const records = recordsOf(batch, 2, { format, topics: ['access'] })
        assert.deepEqual(
          records.map(({ id, text }) => ({ id, text })),
          expected,
        )
      }
    }),
  )
})

test('a record that waits does not keep the memory of the events around it', () => {
  const builder = new BatchBuilder()
  for (let n = 0; n < 1_000; n++) builder.add({ topic: 'access', id: `${n}`, time: n, texts: ['x'.repeat(500)] })
  builder.add({ topic: 'payment', id: 'é1', time: 1, texts: ['é'] })
  builder.add({ topic: 'config', id: '2', time: 2, texts: ['{}'] })
  const records = recordsOf(builder.build(), 1, { format: 0, topics: ['payment', 'config'] })
  assert.deepEqual(
    records.map(({ topic, id, time, text }) => ({ topic, id, time, text })),
    [
      { topic: 'payment', id: 'é1', time: 1, text: 'é' },
      { topic: 'config', id: '2', time: 2, text: '{}' },
    ],
  )
  for (const { encoded } of records) assert.ok(encoded.bytes.buffer.byteLength < 10_000)
})

test('groups are the events since the last one, with positions of the batch; events are withdrawn and replaced', () => {
  const builder = new BatchBuilder(2)
  const add = (...ids: string[]) =>
    ids.map((id) => builder.add({ topic: `of ${id}`, id, time: 1, texts: [undefined, `text é ${id}`] }))
  assert.equal(builder.takeGroup(), null)
  add('a', 'b')
  const first = structuredClone(builder.takeGroup())
  assert.equal(builder.takeGroup(), null)
  const [, d] = add('c', 'd', 'e')
  const second = structuredClone(builder.takeGroup())
  builder.withdraw(d as number)
  assert.deepEqual([first?.start, second?.start], [0, first?.bytes.length])
  assert.equal(Buffer.from(second?.bytes ?? []).toString(), 'text é c\ntext é d\ntext é e\ncde')
  assert.deepEqual(second?.topics, ['of a', 'of b', 'of c', 'of d', 'of e'])

  builder.replace(0, { topic: 'of a', id: 'a', time: 1, texts: [undefined, 'later text é a'] })
  const batch = builder.build()
  const topics = batch.topics
  const records = recordsOf(batch, 2, { format: 1, topics })
  assert.deepEqual(
    records.map(({ topic, id, text }) => `${topic}, ${id}: ${text}`),
    ['of a, a: later text é a', ...['b', 'c', 'e'].map((id) => `of ${id}, ${id}: text é ${id}`)],
  )
  assert.equal(builder.takeGroup(), null)
  add('f')
  assert.equal(builder.takeGroup()?.start, 0)
})

test('an event that is replaced keeps its place, and its id within the new text', () => {
  const builder = new BatchBuilder()
  const eventOf = (id: string, rest: string) => ({
    topic: 'access',
    id,
    idAt: 8,
    time: 1,
    texts: [`{"_id":"${id}"${rest}}`],
  })
  const positions = ['a1', 'b2', 'c3'].map((id) => builder.add(eventOf(id, '')))
  builder.replace(positions[1] as number, eventOf('b2', ',"é":1'))
  const records = recordsOf(builder.build(), 1, { format: 0, topics: TOPICS })
  assert.deepEqual(
    records.map(({ id, text }) => [id, text]),
    [
      ['a1', '{"_id":"a1"}'],
      ['b2', '{"_id":"b2","é":1}'],
      ['c3', '{"_id":"c3"}'],
    ],
  )
})
