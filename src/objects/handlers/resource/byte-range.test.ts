import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byteRange } from './byte-range.ts'

const cases: readonly [string | null, number, ReturnType<typeof byteRange>][] = [
  [null, 12, null],
  ['bytes=0-4', 12, { first: 0, last: 4 }],
  ['bytes= 3-3 ', 12, { first: 3, last: 3 }],
  ['bytes=7-', 12, { first: 7, last: 11 }],
  ['bytes=-5', 12, { first: 7, last: 11 }],
  ['bytes=-500', 12, { first: 0, last: 11 }],
  [`BYTES=11-${'9'.repeat(400)}`, 12, { first: 11, last: 11 }],
  ['bytes=12-', 12, 'unsatisfiable'],
  [`bytes=${'9'.repeat(400)}-`, 12, 'unsatisfiable'],
  ['bytes=-0', 12, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-1', 0, 'unsatisfiable'],
  ['bytes=4-2', 12, null],
  ['bytes=-', 12, null],
  ['bytes=', 12, null],
  ['bytes=0-1,3-4', 12, null],
  ['bytes=1.5-2', 12, null],
  ['bytes=0x1-2', 12, null],
  ['lines=0-1', 12, null],
]

for (const [value, size, expected] of cases) {
  test(`${value?.slice(0, 30) ?? 'nothing'} of ${size} bytes is ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(byteRange(value, size), expected)
  })
}
