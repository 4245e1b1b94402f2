import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KeptRecord, KeyValueStore } from './key-value-store.ts'

function keeper(count?: number, size?: number) {
  let now = 1_000
  const clock = { now: () => now, monotonic: () => now }
  return {
    records: new KeyValueStore(clock, { ...(count !== undefined && { count }), ...(size !== undefined && { size }) }),
    pass: (milliseconds: number) => {
      now += milliseconds
    },
  }
}

const plain = (record: unknown) => (record === null ? null : { ...(record as object) })

test('an update creates a record; a further one sets and removes fields', () => {
  const { records } = keeper()
  records.update('s', 'k', { set: { a: 1, b: 2 } }, 100, false)
  records.update('s', 'k', { remove: ['a'], set: { c: [3] } }, 100, false)
  assert.deepEqual(plain(records.get('s', 'k', null)), { b: 2, c: [3] })
  assert.equal(records.get('other', 'k', null), null)
})

test('clear removes all fields before the update; a record without fields does not exist', () => {
  const { records } = keeper()
  records.update('s', 'k', { set: { a: 1 } }, 100, false)
  records.update('s', 'k', { clear: true, set: { b: 1 } }, 100, false)
  assert.deepEqual(plain(records.get('s', 'k', null)), { b: 1 })
  records.update('s', 'k', { clear: true }, 100, false)
  assert.equal(records.get('s', 'k', null), null)
  assert.equal(records.size, 0)
})

test('updateIfPresent updates an existing record, and creates none', () => {
  const { records } = keeper()
  records.update('s', 'k', { set: { a: 1 } }, 100, true)
  assert.equal(records.size, 0)
  records.update('s', 'k', { set: { a: 1 } }, 100, false)
  records.update('s', 'k', { set: { b: 2 } }, 100, true)
  assert.deepEqual(plain(records.get('s', 'k', null)), { a: 1, b: 2 })
})

test('a record expires after its lifetime; reading it with a lifetime restarts that', () => {
  const { records, pass } = keeper()
  records.update('s', 'k', { set: { a: 1 } }, 100, false)
  pass(90)
  assert.notEqual(records.get('s', 'k', 100), null)
  pass(90)
  assert.notEqual(records.get('s', 'k', null), null)
  pass(10)
  assert.equal(records.get('s', 'k', null), null)
  assert.equal(records.size, 0)
})

test('getAndDelete returns a record once', () => {
  const { records } = keeper()
  records.getOrCreate('s', 'k', { a: 1 }, 100)
  assert.deepEqual(plain(records.getAndDelete('s', 'k')), { a: 1 })
  assert.equal(records.getAndDelete('s', 'k'), null)
})

test('getOrCreate returns the first value to every caller', () => {
  const { records } = keeper()
  assert.deepEqual(plain(records.getOrCreate('s', 'k', { a: 1 }, 100)), { a: 1 })
  assert.deepEqual(plain(records.getOrCreate('s', 'k', { a: 2 }, 100)), { a: 1 })
})

test('getOrCreate does not extend the lifetime of an existing record', () => {
  const { records, pass } = keeper()
  const getOrCreate = (a: number) => plain(records.getOrCreate('s', 'k', { a }, 100))
  getOrCreate(1)
  pass(60)
  assert.deepEqual(getOrCreate(2), { a: 1 })
  pass(60)
  assert.deepEqual(getOrCreate(3), { a: 3 })
})

test('at the limit the least recently used record is evicted, and counted', () => {
  const { records } = keeper(4)
  const put = (key: string) => records.update('s', key, { set: { key } }, 100, false)
  const read = (key: string) => records.get('s', key, null)
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
  assert.equal(records.evicted, 1)
})

test('records that were never read evict one another, not those in use', () => {
  const { records } = keeper(40)
  const put = (key: string) => records.update('s', key, { set: { key } }, 100, false)
  const read = (key: string) => records.get('s', key, null)
  for (let user = 0; user < 30; user += 1) {
    put(`user ${user}`)
    read(`user ${user}`)
  }
  for (let flood = 0; flood < 10_000; flood += 1) put(`flood ${flood}`)
  for (let user = 0; user < 30; user += 1) assert.notEqual(read(`user ${user}`), null)
  assert.equal(records.size, 40)
})

test('records are bounded in size, too: large ones that were never read evict one another, not those in use', () => {
  const { records } = keeper(1_000, 4_000_000)
  const put = (key: string, length: number) =>
    records.update('s', key, { set: { text: ['x'.repeat(length)] } }, 100, false)
  const read = (key: string) => records.get('s', key, null)
  for (let user = 0; user < 10; user += 1) {
    put(`user ${user}`, 200_000)
    read(`user ${user}`)
  }
  for (let flood = 0; flood < 100; flood += 1) put(`flood ${flood}`, 200_000)
  assert.equal(records.size, 10 + 4)
  assert.equal(records.evicted, 96)
  for (let user = 0; user < 10; user += 1) assert.notEqual(read(`user ${user}`), null)
  // A record that grows evicts others; one that shrinks makes room.
  put('user 9', 2_500_000)
  assert.deepEqual([read('user 0'), read('user 8') === null, read('user 9') === null], [null, false, false])
  put('user 9', 10)
  for (let flood = 99; flood > 96; flood -= 1) read(`flood ${flood}`)
  assert.notEqual(read('user 8'), null)
})

test('records of users are evicted after others that are in use, also in a process that takes over', () => {
  const first = keeper(8)
  first.records.update('s', 'user', { set: { a: 1 }, isOfUser: true }, 10_000, false)
  first.records.update('s', 'user', { set: { b: 2 } }, 10_000, true)
  const second = keeper(8)
  for (const id of first.records.ids) second.records.keep(first.records.kept(id) as KeptRecord)
  for (const { records } of [first, second]) {
    for (let visitor = 0; visitor < 20; visitor += 1) {
      records.update('s', `visitor ${visitor}`, { set: { a: 1 } }, 10_000, false)
      records.get('s', `visitor ${visitor}`, 10_000)
    }
    assert.deepEqual({ ...records.get('s', 'user', null) }, { a: 1, b: 2 })
    assert.equal(records.get('s', 'visitor 0', null), null)
    for (let user = 0; user < 20; user += 1)
      records.update('s', `user ${user}`, { set: { a: 1 }, isOfUser: true }, 10_000, false)
    assert.ok(records.size <= 8)
    assert.equal(records.get('s', 'user', null), null)
  }
})

test('a record without expiry is never evicted', () => {
  const { records } = keeper(1)
  records.getOrCreate('s', 'key', { a: 1 }, Number.POSITIVE_INFINITY)
  for (const key of ['x', 'y', 'z']) records.update('s', key, { set: { key } }, 9, false)
  assert.deepEqual(plain(records.getOrCreate('s', 'key', { a: 2 }, Infinity)), { a: 1 })
})

test('names of Object.prototype are ordinary keys', () => {
  const { records } = keeper()
  records.update('s', 'k', { set: JSON.parse('{"__proto__": 1, "constructor": 2}') }, 9, false)
  const record = records.get('s', 'k', null) as Record<string, unknown>
  assert.deepEqual(Object.keys(record).sort(), ['__proto__', 'constructor'])
})

test('revocations are not evicted by other records; beyond their limit new ones are rejected', () => {
  const { records, pass } = keeper(8)
  for (let count = 0; count < 8; count += 1)
    records.update('revocations', `r${count}`, { set: { at: count } }, 100, false)
  for (let count = 0; count < 100; count += 1) records.update('s', `k${count}`, { set: { a: 1 } }, 1_000, false)
  for (let count = 0; count < 8; count += 1)
    assert.deepEqual(plain(records.get('revocations', `r${count}`, null)), { at: count })
  assert.throws(() => records.update('revocations', 'more', { set: { at: 1 } }, 100, false), /limit of \d+ revocations/)
  records.update('revocations', 'r0', { set: { at: 9 } }, 200, false)
  pass(100)
  records.update('revocations', 'more', { set: { at: 1 } }, 100, false)
  assert.deepEqual(plain(records.get('revocations', 'r0', null)), { at: 9 })
  assert.equal(records.get('revocations', 'r1', null), null)
})
