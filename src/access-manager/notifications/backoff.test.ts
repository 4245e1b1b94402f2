import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backoff } from './backoff.ts'

test('pauses grow from the base to three times the base, each reduced by a jitter of up to one half', () => {
  const longest = new Backoff(1_000, () => 1)
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => longest.next()),
    [1_000, 1_500, 2_250, 3_000, 3_000],
  )
  longest.reset()
  assert.equal(longest.next(), 1_000)
  assert.equal(new Backoff(1_000, () => 0).next(), 500)
})

test('F12: a flapping connection is opened at most twice per base interval', () => {
  const shortest = new Backoff(5_000, () => 0)
  const all = Array.from({ length: 100 }, () => shortest.next())
  assert.ok(all.reduce((sum, pause) => sum + pause, 0) / all.length >= 2_500)
})
