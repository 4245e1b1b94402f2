import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomHex, TRACE_DIGITS } from './random-ids.ts'
import { samplerOf } from './sampler.ts'

test('a ratio samples that part of the traces, and the same ones for a larger ratio', () => {
  const small = samplerOf({ isParentBased: false, ratio: 0.1 })
  const large = samplerOf({ isParentBased: false, ratio: 0.3 })
  const ids = Array.from({ length: 20_000 }, () => randomHex(TRACE_DIGITS))
  const sampled = ids.filter((id) => small(id, null))
  assert.ok(sampled.length > 1_700 && sampled.length < 2_300, `${sampled.length}`)
  assert.ok(sampled.every((id) => large(id, null)))
})

test('the decision of the caller counts only where the sampler is parent-based', () => {
  const never = samplerOf({ isParentBased: true, ratio: 0 })
  assert.deepEqual([never('0'.repeat(32), true), never('0'.repeat(32), null)], [true, false])
  const always = samplerOf({ isParentBased: true, ratio: 1 })
  assert.deepEqual([always('f'.repeat(32), false), always('f'.repeat(32), null)], [false, true])
  assert.equal(samplerOf({ isParentBased: false, ratio: 1 })('f'.repeat(32), false), true)
})
