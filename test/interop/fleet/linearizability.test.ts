import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StoredRelease, violations, type WriteEntry } from './linearizability.ts'

function releases(...values: readonly string[]): StoredRelease[] {
  return values.map((value, at) => ({
    number: at + 1,
    parent: at === 0 ? null : at,
    write: `write ${at}`,
    registers: new Map([['r', value]]),
  }))
}

function write(expected: string, value: string, times: [number, number], outcome: WriteEntry['outcome'] = 'done') {
  return { register: 'r', expected, value, begin: times[0], end: times[1], outcome }
}

const A = write('0', 'a', [0, 10])
const B = write('a', 'b', [20, 30])

test('a history in which each write happened as its outcome says has no violation', () => {
  const read = { register: 'r', value: 'a', end: 12 }
  const lost = write('0', 'x', [2, 12], 'failed')
  const unknown = [write('b', 'c', [40, 90], 'unknown'), write('b', 'd', [40, 50], 'unknown')]
  assert.deepEqual(violations(releases('0', 'a', 'b', 'c'), [A, B, lost, ...unknown], [read]), [])
})

test('each kind of violation is found', () => {
  const gap = releases('0', 'a').map((each) => ({ ...each, number: each.number * 2 }))
  const twice = releases('0', 'a').map((each) => ({ ...each, write: 'one' }))
  const cases: readonly [StoredRelease[], WriteEntry[], RegExp][] = [
    [gap, [A], /release 4 with parent 1 follows 2/],
    [twice, [A], /has the write of another/],
    [releases('0'), [A], /a \(done\) is lost/],
    [releases('0', 'a', 'b', 'a'), [A, B], /a \(done\) is there 2 times/],
    [releases('0', 'a'), [{ ...A, outcome: 'refused' }], /a \(refused\) happened/],
    [releases('0', 'a', 'c'), [A, write('0', 'c', [0, 30])], /c \(done\) replaced a, expected 0/],
    [
      releases('0', 'b', 'a'),
      [write('b', 'a', [0, 10]), write('0', 'b', [20, 30])],
      /is release 2, but 3 was answered/,
    ],
    [releases('0', 'a'), [A, write('a', 'x', [20, 30], 'failed')], /x got 412 while a was its value/],
  ]
  for (const [stored, writes, expected] of cases) {
    assert.match(violations(stored, writes, []).join('\n'), expected)
  }
  const reads = [
    { register: 'r', value: 'a', end: -1 },
    { register: 'r', value: 'x', end: 50 },
  ]
  assert.deepEqual(violations(releases('0', 'a'), [A], reads), [
    'r = a was read before it was written',
    'r = x was read and is in no release',
  ])
})
