import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { DURATION_PATTERN, parseDuration } from './index.ts'

const durations: readonly (readonly [string, number | null])[] = [
  ['10 s', 10_000],
  ['10 seconds', 10_000],
  ['1 second', 1_000],
  ['5sec', 5_000],
  ['5s', 5_000],
  ['1 minute', 60_000],
  ['3 min', 180_000],
  ['2m', 120_000],
  ['1 hour', 3_600_000],
  ['2 HOURS', 7_200_000],
  ['1h', 3_600_000],
  ['1 day', 86_400_000],
  ['3d', 259_200_000],
  ['250 ms', 250],
  ['250 millis', 250],
  ['1 milli', 1],
  ['500 us', 0.5],
  ['500 µs', 0.5],
  ['2 microseconds', 0.002],
  ['1000000 ns', 1],
  ['1 hour and 30 minutes', 5_400_000],
  ['1 day, 2 hours', 93_600_000],
  ['1h,5m and 3s', 3_903_000],
  ['0 ms', 0],
  ['zero', 0],
  ['disabled', 0],
  ['unlimited', Number.POSITIVE_INFINITY],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['indefinite', Number.POSITIVE_INFINITY],
  ['undefined', Number.POSITIVE_INFINITY],
  ['none', Number.POSITIVE_INFINITY],
  ['', null],
  ['10', null],
  ['s', null],
  ['-1 s', null],
  ['1.5 s', null],
  ['1 fortnight', null],
  ['1 s and', null],
  ['1 s 2 m', null],
  ['unlimited and 1 s', null],
  ['999999999999999 days', null],
]

for (const [text, expected] of durations) {
  test(`${JSON.stringify(text)} is ${expected} ms`, () => assert.equal(parseDuration(text), expected))
}

test('the pattern matches the same texts, but for sums that are too large', () => {
  const pattern = new RegExp(DURATION_PATTERN)
  for (const [text, expected] of durations) {
    assert.equal(pattern.test(text), expected !== null || text.startsWith('999999999999999'), text)
  }
})

test('any text gives a duration or null, and never throws', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const value = parseDuration(text)
      return value === null || value >= 0
    }),
  )
})
