import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenDigest } from '../../lib/am/session-tags.ts'
import { EndedSessions } from './ended-sessions.ts'

function units(memory = new SharedArrayBuffer(EndedSessions.BYTES)): [EndedSessions, EndedSessions] {
  return [new EndedSessions(memory), new EndedSessions(memory)]
}

test('each unit reads each session once, also its own', () => {
  const [first, second] = units()
  const digests = ['a', 'b', 'c'].map(tokenDigest)
  first.add(digests[0] as string)
  second.add(digests[1] as string)
  assert.deepEqual(first.take(), digests.slice(0, 2))
  first.add(digests[2] as string)
  assert.deepEqual([second.take(), first.take()], [digests, digests.slice(2)])
  assert.deepEqual([second.take(), first.take()], [[], []])
})

test('a unit that starts later reads no earlier sessions', () => {
  const memory = new SharedArrayBuffer(EndedSessions.BYTES)
  const [first] = units(memory)
  first.add(tokenDigest('a'))
  assert.deepEqual(new EndedSessions(memory).take(), [])
})

test('the ring is used again and again, and a unit that has missed too many forgets everything', () => {
  const [first, second] = units()
  for (let at = 0; at < 5_000; at++) {
    const digest = tokenDigest(`${at}`)
    first.add(digest)
    assert.deepEqual(first.take(), [digest])
  }
  assert.equal(second.take(), 'everything')
  assert.deepEqual(second.take(), [])
})

test('a number that another unit has taken and not yet written is everything', () => {
  const memory = new SharedArrayBuffer(EndedSessions.BYTES)
  const [first] = units(memory)
  Atomics.add(new Int32Array(memory), 0, 1)
  assert.equal(first.take(), 'everything')
})

test('the count may overflow', () => {
  const memory = new SharedArrayBuffer(EndedSessions.BYTES)
  Atomics.store(new Int32Array(memory), 0, 2 ** 31 - 2)
  const [first, second] = units(memory)
  const digests = Array.from({ length: 5 }, (_, at) => tokenDigest(`${at}`))
  for (const digest of digests) first.add(digest)
  assert.deepEqual(second.take(), digests)
})
