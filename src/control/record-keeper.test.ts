import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecordKeeper } from './record-keeper.ts'

function keeper(limit?: number) {
  let now = 1_000
  const clock = { now: () => now, monotonic: () => now }
  return {
    records: new RecordKeeper(clock, limit),
    pass: (milliseconds: number) => {
      now += milliseconds
    },
  }
}

const plain = (record: unknown) => (record === null ? null : { ...(record as object) })

test('a change makes a record, a second one adds to it and takes from it', () => {
  const { records } = keeper()
  records.do('s', 'k', { step: 'change', change: { set: { a: 1, b: 2 } }, lifetime: 100 })
  records.do('s', 'k', { step: 'change', change: { remove: ['a'], set: { c: [3] } }, lifetime: 100 })
  assert.deepEqual(plain(records.do('s', 'k', { step: 'read', lifetime: null })), { b: 2, c: [3] })
  assert.equal(records.do('other', 'k', { step: 'read', lifetime: null }), null)
})

test('clear empties first; a record without fields is none', () => {
  const { records } = keeper()
  records.do('s', 'k', { step: 'change', change: { set: { a: 1 } }, lifetime: 100 })
  records.do('s', 'k', { step: 'change', change: { clear: true, set: { b: 1 } }, lifetime: 100 })
  assert.deepEqual(plain(records.do('s', 'k', { step: 'read', lifetime: null })), { b: 1 })
  records.do('s', 'k', { step: 'change', change: { clear: true }, lifetime: 100 })
  assert.equal(records.do('s', 'k', { step: 'read', lifetime: null }), null)
  assert.equal(records.size, 0)
})

test('amend changes what is there, and brings nothing back that is gone', () => {
  const { records } = keeper()
  records.do('s', 'k', { step: 'amend', change: { set: { a: 1 } }, lifetime: 100 })
  assert.equal(records.size, 0)
  records.do('s', 'k', { step: 'change', change: { set: { a: 1 } }, lifetime: 100 })
  records.do('s', 'k', { step: 'amend', change: { set: { b: 2 } }, lifetime: 100 })
  assert.deepEqual(plain(records.do('s', 'k', { step: 'read', lifetime: null })), { a: 1, b: 2 })
})

test('a record ends with its time; a read with a lifetime starts it anew', () => {
  const { records, pass } = keeper()
  records.do('s', 'k', { step: 'change', change: { set: { a: 1 } }, lifetime: 100 })
  pass(90)
  assert.notEqual(records.do('s', 'k', { step: 'read', lifetime: 100 }), null)
  pass(90)
  assert.notEqual(records.do('s', 'k', { step: 'read', lifetime: null }), null)
  pass(10)
  assert.equal(records.do('s', 'k', { step: 'read', lifetime: null }), null)
  assert.equal(records.size, 0)
})

test('a record is taken once', () => {
  const { records } = keeper()
  records.do('s', 'k', { step: 'obtain', initial: { a: 1 }, lifetime: 100 })
  assert.deepEqual(plain(records.do('s', 'k', { step: 'take' })), { a: 1 })
  assert.equal(records.do('s', 'k', { step: 'take' }), null)
})

test('obtain gives everyone the first value', () => {
  const { records } = keeper()
  assert.deepEqual(plain(records.do('s', 'k', { step: 'obtain', initial: { a: 1 }, lifetime: 100 })), { a: 1 })
  assert.deepEqual(plain(records.do('s', 'k', { step: 'obtain', initial: { a: 2 }, lifetime: 100 })), { a: 1 })
})

test('obtain does not prolong a record that is there', () => {
  const { records, pass } = keeper()
  const obtain = (a: number) => plain(records.do('s', 'k', { step: 'obtain', initial: { a }, lifetime: 100 }))
  obtain(1)
  pass(60)
  assert.deepEqual(obtain(2), { a: 1 })
  pass(60)
  assert.deepEqual(obtain(3), { a: 3 })
})

test('at the limit the record used longest ago gives way, and is counted', () => {
  const { records } = keeper(4)
  const put = (key: string) => records.do('s', key, { step: 'change', change: { set: { key } }, lifetime: 100 })
  const read = (key: string) => records.do('s', key, { step: 'read', lifetime: null })
  for (const key of ['a', 'b', 'c']) {
    put(key)
    read(key)
  }
  read('a')
  put('d')
  read('d')
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => read(key) !== null),
    [true, false, true, true],
  )
  assert.equal(records.dropped, 1)
})

test('records that nobody came back for push out one another, and not those in use', () => {
  const { records } = keeper(40)
  const put = (key: string) => records.do('s', key, { step: 'change', change: { set: { key } }, lifetime: 100 })
  const read = (key: string) => records.do('s', key, { step: 'read', lifetime: null })
  for (let user = 0; user < 30; user += 1) {
    put(`user ${user}`)
    read(`user ${user}`)
  }
  for (let flood = 0; flood < 10_000; flood += 1) put(`flood ${flood}`)
  for (let user = 0; user < 30; user += 1) assert.notEqual(read(`user ${user}`), null)
  assert.equal(records.size, 40)
})

test('a record without an end never gives way', () => {
  const { records } = keeper(1)
  records.do('s', 'key', { step: 'obtain', initial: { a: 1 }, lifetime: Number.POSITIVE_INFINITY })
  for (const key of ['x', 'y', 'z']) records.do('s', key, { step: 'change', change: { set: { key } }, lifetime: 9 })
  assert.deepEqual(plain(records.do('s', 'key', { step: 'obtain', initial: { a: 2 }, lifetime: Infinity })), { a: 1 })
})

test('names of the prototype are names like any other', () => {
  const { records } = keeper()
  records.do('s', 'k', {
    step: 'change',
    change: { set: JSON.parse('{"__proto__": 1, "constructor": 2}') },
    lifetime: 9,
  })
  const record = records.do('s', 'k', { step: 'read', lifetime: null }) as Record<string, unknown>
  assert.deepEqual(Object.keys(record).sort(), ['__proto__', 'constructor'])
})
