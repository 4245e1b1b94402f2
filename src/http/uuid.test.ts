import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uuid } from './uuid.ts'

test('ids are random UUIDs of version 4, and none comes twice', () => {
  const ids = Array.from({ length: 10_000 }, () => uuid())
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(new Set(ids).size, ids.length)
  // Every digit varies, except those of the version and, partly, the variant.
  for (let at = 0; at < 36; at++) {
    const digits = new Set(ids.map((id) => id[at])).size
    assert.equal(digits, [8, 13, 14, 18, 23].includes(at) ? 1 : at === 19 ? 4 : 16, `position ${at}`)
  }
})
