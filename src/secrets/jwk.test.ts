import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { testIdentity } from '#test/test-identity'
import { decodeJwk, jwkThumbprint, publicJwk } from './jwk.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
const ed = generateKeyPairSync('ed25519').privateKey
const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' }) as Record<string, unknown>

test('decodes keys of every type; private ones where the private part is present and requested', () => {
  for (const key of [rsa, ec, ed]) {
    assert.equal(decodeJwk(jwkOf(key), 'whole').key?.type, 'private')
    assert.equal(decodeJwk(jwkOf(key), 'public').key?.type, 'public')
    assert.equal(decodeJwk(publicJwk(key), 'whole').key?.type, 'public')
  }
  const { key } = decodeJwk({ kty: 'oct', k: 'c2VjcmV0' }, 'whole')
  assert.equal(key?.type, 'secret')
  assert.equal(key?.export().toString(), 'secret')
})

test('kid, alg, use and key_ops are decoded', () => {
  const decoded = (more: object) => decodeJwk({ ...jwkOf(ec), ...more }, 'whole')
  assert.equal(decoded({ kid: '__proto__' }).stableId, '__proto__')
  assert.equal(decoded({ kid: 5 }).stableId, null)
  assert.equal(decoded({ alg: 'ES384' }).algorithm, 'ES384')
  assert.equal(decoded({}).purposes, null)
  assert.deepEqual(decoded({ use: 'sig' }).purposes, ['SIGN', 'VERIFY'])
  assert.deepEqual(decoded({ use: 'enc' }).purposes, ['ENCRYPT', 'DECRYPT'])
  assert.deepEqual(decoded({ use: 'else' }).purposes, [])
  assert.deepEqual(decoded({ key_ops: ['verify', 'constructor'] }).purposes, ['VERIFY'])
  assert.deepEqual(decoded({ key_ops: 'verify' }).purposes, [])
  assert.deepEqual(decoded({ use: 'sig', key_ops: ['verify', 'wrapKey'] }).purposes, ['VERIFY'])
})

test('certificates must belong to the key', () => {
  const { key, certificate } = testIdentity('a')
  const x5c = [certificate.raw.toString('base64')]
  assert.equal(decodeJwk({ ...jwkOf(key), x5c }, 'whole').certificates?.[0]?.subject, 'CN=a')
  assert.throws(() => decodeJwk({ ...jwkOf(ec), x5c }, 'whole'), /first certificate of "x5c" to be that of the key/)
  for (const bad of ['x', [1], ['AAAA']]) {
    assert.throws(
      () => decodeJwk({ ...jwkOf(key), x5c: bad }, 'whole'),
      /expected "x5c" to be an array of certificates/,
    )
  }
})

const broken: readonly [string, unknown, RegExp][] = [
  ['text', 'x', /expected a JSON Web Key: an object with "kty"/],
  ['an unknown type', { kty: 'constructor' }, /expected "kty" to be "RSA"/],
  ['no type', {}, /expected "kty" to be "RSA"/],
  ['a member that is missing', { kty: 'RSA', e: 'AQAB' }, /of type RSA to have "n"/],
  [
    'members that make no key',
    { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', d: 'hunter2' },
    /its members make no such key/,
  ],
  [
    'a short RSA key',
    jwkOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey),
    /at least 2048 bits, got 1024/,
  ],
  ['a symmetric key without content', { kty: 'oct' }, /of type oct to have "k"/],
  ['a symmetric key that is no base64url', { kty: 'oct', k: 'hunter2!' }, /of type oct to have "k"/],
]

for (const [what, jwk, message] of broken) {
  test(`rejects ${what}`, () => {
    assert.throws(
      () => decodeJwk(jwk, 'whole'),
      (error: Error) => {
        assert.match(error.message, message)
        assert.doesNotMatch(error.stack ?? '', /hunter2/)
        return true
      },
    )
  })
}

test('a symmetric key has no public part', () => {
  assert.throws(() => decodeJwk({ kty: 'oct', k: 'c2VjcmV0' }, 'public'), /no public part/)
})

test('the thumbprint is that of RFC 7638 section 3.1', () => {
  const n =
    '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw'
  const { key } = decodeJwk({ kty: 'RSA', n, e: 'AQAB' }, 'public')
  assert.equal(jwkThumbprint(key!), 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
})

test('keys without a JWK form have a thumbprint too', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa-pss', { modulusLength: 2048 })
  assert.equal(jwkThumbprint(privateKey), jwkThumbprint(publicKey))
  assert.match(jwkThumbprint(publicKey), /^[\w-]{43}$/)
})
