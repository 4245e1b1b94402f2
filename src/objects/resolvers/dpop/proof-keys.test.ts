import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
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

/** An RSA key of numbers with these lengths; a modulus of random bits, whose factors are unknown. */
function rsaKey(modulusBits: number, exponentBits: number): JsonObject {
  const n = randomBytes(modulusBits / 8)
  n[0]! |= 0x80
  n[n.length - 1]! |= 1
  const e = Buffer.alloc(exponentBits / 8, 0x41)
  return { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') }
}

test('B42: RSA keys that take long to verify are rejected', () => {
  const keys = new ProofKeys()
  for (const [modulusBits, exponentBits] of [
    [3072, 3072],
    [2048, 40],
    [16_384, 24],
  ] as const) {
    const key = readProofKey(rsaKey(modulusBits, exponentBits))
    assert.throws(() => keys.get(key), /a key that can not be used/, `${modulusBits} bits, exponent ${exponentBits}`)
  }
  assert.ok(keys.get(readProofKey(rsaKey(8192, 32))).suits('PS256'))
})
