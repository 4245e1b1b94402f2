import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoTime } from './iso-time.ts'

test('is the text of Date.toISOString, in any order of times', () => {
  const times = fc.array(fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }))
  fc.assert(fc.property(times, (all) => all.every((time) => isoTime(time) === new Date(time).toISOString())))
  for (const time of [0, 999, 1_000, 1_700_000_000_005, 1_700_000_000_050, 1_700_000_000_500, -1]) {
    assert.equal(isoTime(time), new Date(time).toISOString())
  }
})
