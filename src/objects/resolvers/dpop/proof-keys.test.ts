import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import type { JsonObject } from '#json'
import { dpopClient } from '#test/dpop-client'
import { ProofKeys, shownKey } from './proof-keys.ts'

for (const alg of ['ES256', 'RS256', 'EdDSA']) {
  test(`RFC 7638: the thumbprint of a key for ${alg}, whatever else its JWK holds`, async () => {
    const { jwk } = await dpopClient(alg)
    const more = { use: 'sig', x5u: 'http://evil.example/', kid: 'x', ...jwk } as JsonObject
    assert.equal(shownKey(more).thumbprint, await calculateJwkThumbprint(jwk))
  })
}

test('a key is made ready once, while it is not among those used longest ago', async () => {
  const keys = new ProofKeys(2)
  const [one, two, three] = await Promise.all(
    [1, 2, 3].map(async () => shownKey((await dpopClient()).jwk as JsonObject)),
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
