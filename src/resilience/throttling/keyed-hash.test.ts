import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyedHash } from './keyed-hash.ts'

const KEY = [0x03020100, 0x07060504] as const

test('gives the published test vectors of HalfSipHash-2-4', () => {
  const hash = new KeyedHash(...KEY)
  hash.begin()
  hash.finish(0)
  assert.deepEqual([hash.low, hash.high], [0x591f8d21, 0xc83cb8b9])
})

test('different partitions, lengths and rates have different hashes, and another key changes all of them', () => {
  const seen = new Set<string>()
  const of = (hash: KeyedHash, text: string, first: number, second: number) => {
    hash.update(text, first, second)
    seen.add(`${hash.high} ${hash.low}`)
  }
  const hash = new KeyedHash(...KEY)
  for (const text of ['', 'a', 'ab', 'a\0', 'ba', 'äb', 'abc']) {
    for (const [first, second] of [
      [1, 1],
      [1, 2],
      [2, 1],
      [1 + 2 ** 32, 1],
      [1, 1 + 2 ** 33],
    ] as const) {
      of(hash, text, first, second)
    }
  }
  assert.equal(seen.size, 35)
  of(new KeyedHash(1, 2), 'a', 1, 1)
  assert.equal(seen.size, 36)
})
