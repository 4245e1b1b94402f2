import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentDigests } from './recent-digests.ts'
import { digestOf } from './token-tags.ts'

test('the digest of a token is the same before, while and after it is remembered', () => {
  const digests = new RecentDigests()
  for (const token of ['opaque-1', 'opaque-2', 'Opaque-1', 'x'.repeat(5_000)]) {
    for (let i = 0; i < 4; i++) {
      assert.equal(digests.of(token), digestOf(token))
      digests.forget()
    }
  }
})

test('a token that is used no more is forgotten after two intervals', () => {
  const digests = new RecentDigests()
  digests.of('idle')
  digests.of('busy')
  digests.forget()
  digests.of('busy')
  digests.forget()
  assert.equal(digests.size, 1)
  digests.forget()
  assert.equal(digests.size, 0)
})

test('a token is recent from its first use until it is forgotten', () => {
  const digests = new RecentDigests()
  assert.equal(digests.has('one'), false)
  digests.of('one')
  digests.forget()
  assert.deepEqual([digests.has('one'), digests.has('One')], [true, false])
  digests.forget()
  assert.equal(digests.has('one'), false)
})

test('many tokens, and long ones, take bounded memory', () => {
  const digests = new RecentDigests()
  for (let i = 0; i < 10_000; i++) digests.of(`token-${i}`)
  assert.ok(digests.size <= 2_000, `${digests.size} tokens`)
  const before = digests.size
  digests.of('x'.repeat(4_097))
  assert.equal(digests.size, before)
})
