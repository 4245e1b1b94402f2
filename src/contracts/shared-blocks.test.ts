import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AuditBatchBuilder } from './audit-batch.ts'
import { copyOf, recordsOf } from './audit-records.ts'
import { SharedBlocks } from './shared-blocks.ts'

/** Blocks whose batches are numbered, and the number of the last one that was read. */
function blocks() {
  const state = { read: 0, sent: 0 }
  const shared = new SharedBlocks((mark) => mark <= state.read)
  const send = (bytes: number) => {
    const memory = shared.take(bytes)
    shared.passed(++state.sent)
    return memory
  }
  return { shared, state, send }
}

test('a block is used again when its batch was read, not before', () => {
  const { state, send } = blocks()
  const [first, second] = [send(1_000), send(1_000)]
  assert.notEqual(first, second)
  state.read = 1
  assert.equal(send(1_100), first)
  const third = send(1_000)
  assert.ok(third !== first && third !== second)
})

test('a block that was taken and not passed on is not used again', () => {
  const { shared, state } = blocks()
  const first = shared.take(100)
  state.read = 10
  assert.notEqual(shared.take(100), first)
})

test('a block that is too small, or many times too large, is released', () => {
  const { state, send } = blocks()
  for (const [before, after] of [
    [1_000, 2_000],
    [100_000, 1_000],
  ] as const) {
    const first = send(before)
    state.read = state.sent
    const second = send(after)
    assert.notEqual(first, second)
    assert.ok(second.byteLength >= after && second.byteLength < 2 * after)
    state.read = state.sent
    assert.equal(send(after), second)
    state.read = state.sent
  }
})

test('the blocks of a burst are released when less is sent', () => {
  const { state, send } = blocks()
  const large = [1, 2, 3, 4].map(() => send(1_000_000))
  state.read = state.sent
  const small = send(1_000)
  assert.ok(!large.includes(small))
  assert.ok(!large.includes(send(1_000)))
  state.read = state.sent
  assert.ok(!large.includes(send(1_000_000)))
})

test('a block that fits is used, also behind one that does not', () => {
  const { state, send } = blocks()
  const [small, large] = [send(1_000), send(5_000)]
  state.read = state.sent
  assert.equal(send(5_000), large)
  state.read = state.sent
  assert.notEqual(send(1_000), small)
})

test('while nothing is read, each batch has a block of its own, and few are kept', () => {
  const { state, send } = blocks()
  const sent = Array.from({ length: 20 }, () => send(100))
  assert.equal(new Set(sent).size, 20)
  state.read = state.sent
  assert.ok(sent.slice(-4).includes(send(100)))
  const later = Array.from({ length: 20 }, () => {
    state.read = state.sent
    return send(100)
  })
  assert.equal(new Set(later).size, 1)
})

test('batches that were copied stay as they were when their memory is used again', () => {
  const text = fc.string({ unit: 'binary' })
  const batch = fc.array(text, { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.array(fc.tuple(batch, fc.boolean()), { maxLength: 12 }), (batches) => {
      const { shared, state } = blocks()
      const builder = new AuditBatchBuilder(1, Number.POSITIVE_INFINITY, shared)
      const waiting: ReturnType<typeof builder.build>[] = []
      const read: string[][] = []
      const copies: ReturnType<typeof builder.build>[] = []
      for (const [texts, isReadAtOnce] of batches) {
        for (const [at, each] of texts.entries()) builder.add({ topic: 'access', id: `${at}`, time: at, texts: [each] })
        waiting.push(builder.build())
        shared.passed(++state.sent)
        if (!isReadAtOnce) continue
        copies.push(...waiting.splice(0).map(copyOf))
        state.read = state.sent
      }
      copies.push(...waiting.map(copyOf))
      for (const copy of copies) {
        read.push(recordsOf(copy, 1, { format: 0, topics: ['access'] }).map((record) => record.text))
      }
      assert.deepEqual(
        read,
        batches.map(([texts]) => texts.map((each) => each.toWellFormed())),
      )
    }),
  )
})
