import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enterAtOnce } from '#test/proof-thread'
import { UsedProofs } from './used-proofs.ts'

const table = (places: number) =>
  new UsedProofs({ entries: new BigInt64Array(new SharedArrayBuffer(places * 8)), key: Buffer.alloc(32, 7) })

test('a proof is new once, until its entry expires', () => {
  const used = table(1_024)
  assert.equal(used.enter('a', 0, 10_000), 'first')
  assert.equal(used.enter('a', 0, 10_000), 'seen')
  assert.equal(used.enter('b', 0, 10_000), 'first')
  assert.equal(used.enter('a', 9_999, 20_000), 'seen')
  assert.equal(used.enter('a', 10_000, 20_000), 'first')
})

test('expiry times are rounded up to seconds', () => {
  const used = table(1_024)
  assert.equal(used.enter('a', 500, 10_001), 'first')
  assert.equal(used.enter('a', 10_999, 20_000), 'seen')
  assert.equal(used.enter('a', 11_000, 20_000), 'first')
})

test('a full table rejects proofs until entries expire', () => {
  const used = table(16)
  for (let at = 0; at < 16; at++) assert.equal(used.enter(`proof ${at}`, 0, 10_000 + at * 1_000), 'first')
  assert.equal(used.enter('one more', 0, 10_000), 'full')
  assert.equal(used.enter('proof 3', 0, 10_000), 'seen', 'what is known stays known')
  assert.equal(used.enter('one more', 10_000, 20_000), 'first')
  assert.equal(used.enter('another', 10_000, 20_000), 'full')
})

test('the counter of seconds can wrap around', () => {
  const used = table(16)
  const end = 2 ** 24 * 1_000
  assert.equal(used.enter('a', end - 5_000, end + 5_000), 'first')
  assert.equal(used.enter('a', end - 1, end + 5_000), 'seen')
  assert.equal(used.enter('a', end + 4_999, end + 9_000), 'seen')
  assert.equal(used.enter('a', end + 5_000, end + 9_000), 'first')
})

test('of equal proofs in several threads at most one is new', async () => {
  const proofs = 10_000
  const reports = await enterAtOnce(4, proofs)
  assert.equal(new Set(reports.map(({ key }) => key)).size, 1, 'all threads found one key')
  const firsts = reports.flatMap(({ first }) => first)
  assert.equal(new Set(firsts).size, firsts.length, 'no proof was the first twice')
  assert.ok(firsts.length > proofs * 0.9, `${firsts.length} of ${proofs} found room`)
})
