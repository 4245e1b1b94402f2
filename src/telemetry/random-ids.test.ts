import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomHex, SPAN_DIGITS, TRACE_DIGITS } from './random-ids.ts'

test('ids are hexadecimal, of the given length, and never repeat, also over many fills of the random bytes', () => {
  const ids = new Set<string>()
  for (let n = 0; n < 5_000; n++) {
    for (const digits of [TRACE_DIGITS, SPAN_DIGITS]) {
      const id = randomHex(digits)
      assert.match(id, /^[0-9a-f]+$/)
      assert.equal(id.length, digits)
      ids.add(id)
    }
  }
  assert.equal(ids.size, 10_000)
})
