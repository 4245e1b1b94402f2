import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import type { JsonObject } from '#json'
import { dpopClient } from '#test/dpop-client'
import { ProofKeys, readProofKey } from './proof-keys.ts'

for (const alg of ['ES256', 'RS256', 'EdDSA']) {
  test(`RFC 7638: the thumbprint of a key for ${alg}, with any other members`, async () => {
    const { jwk } = await dpopClient(alg)
    const more = { use: 'sig', x5u: 'http://evil.example/', kid: 'x', ...jwk } as JsonObject
    assert.equal(readProofKey(more).thumbprint, await calculateJwkThumbprint(jwk))
  })
}

test('a key is decoded once, until it is evicted as least recently used', async () => {
  const keys = new ProofKeys(2)
  const [one, two, three] = await Promise.all(
    [1, 2, 3].map(async () => readProofKey((await dpopClient()).jwk as JsonObject)),
  )
  assert.ok(one && two && three)
  const first = keys.get(one)
  keys.get(two)
  assert.equal(keys.get(one), first)
  keys.get(three)
  assert.equal(keys.get(one), first)
  const second = keys.get(two)
  assert.equal(keys.get(two), second)
  assert.notEqual(keys.get(three), undefined)
})
