import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Secret } from '#contracts'
import {
  ENCRYPTION_ALGORITHMS,
  type EncryptionAlgorithm,
  type EncryptionMethod,
  encryptionRefusal,
  encryptJwt,
  type KeySource,
  openJwt,
  signJwt,
} from '#jose'
import { keyPairs, keySecret, rawToken, sourceOf, symmetricKey } from '#test/token-secrets'

const { rsa, otherRsa, p256, x25519 } = keyPairs
const claims = { sub: 'demo' }

function pairOf(algorithm: EncryptionAlgorithm): [encrypting: Secret, decrypting: Secret] {
  const bytes = { A1: 16, A2: 32, di: 32 }[algorithm.slice(0, 2)]
  const symmetric = algorithm.startsWith('A192') ? 24 : bytes
  if (symmetric !== undefined) return [keySecret(symmetricKey(symmetric)), keySecret(symmetricKey(symmetric))]
  const { publicKey, privateKey } = algorithm.startsWith('RSA') ? rsa : p256
  return [keySecret(publicKey), keySecret(privateKey)]
}

async function opened(text: string, keys: { verification?: KeySource; decryption?: KeySource }) {
  const result = await openJwt(text, keys)
  return result.outcome === 'opened' ? result.claims : result
}

const SIGNED_BY_RSA = signJwt(keySecret(rsa.privateKey), claims, { algorithm: 'RS256' })
const VERIFICATION = sourceOf(keySecret(rsa.publicKey))

for (const algorithm of ENCRYPTION_ALGORITHMS) {
  test(`${algorithm}: a signed token inside an encrypted one is opened`, async () => {
    const [encrypting, decrypting] = pairOf(algorithm)
    const method: EncryptionMethod = algorithm === 'dir' ? 'A256GCM' : 'A128CBC-HS256'
    const text = await encryptJwt(encrypting, await SIGNED_BY_RSA, { algorithm, method, content: 'token' })
    assert.deepEqual(await opened(text, { verification: VERIFICATION, decryption: sourceOf(decrypting) }), claims)
  })
}

test('x25519 keys decrypt too', async () => {
  const encrypting = { algorithm: 'ECDH-ES', method: 'A256GCM', content: 'token' } as const
  const text = await encryptJwt(keySecret(x25519.publicKey), await SIGNED_BY_RSA, encrypting)
  const decryption = sourceOf(keySecret(x25519.privateKey))
  assert.deepEqual(await opened(text, { verification: VERIFICATION, decryption }), claims)
})

test('claims encrypted with a shared key are accepted; those encrypted with a public key are not', async () => {
  const shared = keySecret(symmetricKey(32))
  const direct = { algorithm: 'dir', method: 'A256GCM', content: 'claims' } as const
  const text = await encryptJwt(shared, JSON.stringify(claims), direct)
  assert.deepEqual(await opened(text, { decryption: sourceOf(shared) }), claims)

  const toPublic = { algorithm: 'RSA-OAEP-256', method: 'A256GCM', content: 'claims' } as const
  const forged = await encryptJwt(keySecret(rsa.publicKey), JSON.stringify(claims), toPublic)
  assert.deepEqual(await opened(forged, { decryption: sourceOf(keySecret(rsa.privateKey)) }), {
    outcome: 'invalid',
    reason: 'the token is encrypted to a public key; only a signature inside can say who made it',
  })
})

test('with verification keys the token must be signed, with decryption keys it must be encrypted', async () => {
  const shared = keySecret(symmetricKey(32))
  const decryption = sourceOf(shared)
  const direct = { algorithm: 'dir', method: 'A256GCM', content: 'claims' } as const
  const unsigned = await encryptJwt(shared, JSON.stringify(claims), direct)

  const reason = async (text: string, keys: Parameters<typeof opened>[1]) => {
    const result = await openJwt(text, keys)
    return result.outcome === 'invalid' ? result.reason : result.outcome
  }
  assert.equal(await reason(unsigned, { verification: VERIFICATION, decryption }), 'the token is not signed')
  assert.match(await reason(unsigned, { verification: VERIFICATION }), /no key to decrypt it with/)
  assert.match(await reason(await SIGNED_BY_RSA, { decryption }), /no key to verify it with/)
  assert.equal(
    await reason(await SIGNED_BY_RSA, { verification: VERIFICATION, decryption }),
    'the token is not encrypted',
  )
  const nested = await encryptJwt(shared, await SIGNED_BY_RSA, { ...direct, content: 'token' })
  assert.match(await reason(nested, { decryption }), /holds a signed token/)
  const byOther = await signJwt(keySecret(otherRsa.privateKey), claims, { algorithm: 'RS256' })
  const wrong = await encryptJwt(shared, byOther, { ...direct, content: 'token' })
  assert.match(await reason(wrong, { verification: VERIFICATION, decryption }), /signature .* can not be verified/)
})

test('a token that was encrypted and then signed is opened', async () => {
  const shared = keySecret(symmetricKey(32))
  const { CompactSign } = await import('jose')
  const inner = await encryptJwt(shared, JSON.stringify(claims), {
    algorithm: 'dir',
    method: 'A256GCM',
    content: 'claims',
  })
  const text = await new CompactSign(Buffer.from(inner))
    .setProtectedHeader({ alg: 'RS256', cty: 'JWT' })
    .sign(rsa.privateKey)
  assert.deepEqual(await opened(text, { verification: VERIFICATION, decryption: sourceOf(shared) }), claims)
})

test('B42: PBES2, RSA1_5 and algorithms that do not fit the key are rejected before any work', async () => {
  const shared = sourceOf(keySecret(symmetricKey(32)))
  const asymmetric = sourceOf(keySecret(rsa.privateKey))
  const token = (header: object) => `${rawToken(header, 'x')}.AAAA.AAAA`
  const headers = [
    { alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2 ** 31, p2s: 'AAAAAAAAAAA' },
    { alg: 'RSA1_5', enc: 'A128GCM' },
    { alg: 'none', enc: 'A128GCM' },
    { alg: 'dir', enc: 'none' },
    { alg: 'dir', enc: 'A128GCM' },
    { alg: 'A128KW', enc: 'A128GCM' },
    { alg: 'ECDH-ES', enc: 'A128GCM', epk: {} },
  ]
  for (const header of headers) {
    for (const decryption of [shared, asymmetric]) {
      const started = performance.now()
      assert.equal((await openJwt(token(header), { decryption })).outcome, 'invalid', header.alg)
      assert.ok(performance.now() - started < 10_000)
    }
  }
})

test('B43: every changed byte of an encrypted token gives the same error', async () => {
  const shared = keySecret(symmetricKey(32))
  for (const method of ['A256GCM', 'A128CBC-HS256'] as const) {
    const text = await encryptJwt(shared, JSON.stringify(claims), { algorithm: 'dir', method, content: 'claims' })
    const parts = text.split('.')
    for (const index of [2, 3, 4]) {
      const bytes = Buffer.from(parts[index] as string, 'base64url')
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] as number) ^ 1
        const token = parts.with(index, changed.toString('base64url')).join('.')
        assert.deepEqual(await opened(token, { decryption: sourceOf(shared) }), {
          outcome: 'invalid',
          reason: 'the token can not be decrypted',
        })
      }
    }
  }
})

test('a key encrypts only with algorithms and methods of its type, length and name', () => {
  const refusals: [Secret, EncryptionAlgorithm, EncryptionMethod, RegExp][] = [
    [keySecret(symmetricKey(32)), 'RSA-OAEP', 'A256GCM', /its key is one for dir, A256KW, A256GCMKW$/],
    [keySecret(symmetricKey(32)), 'dir', 'A128GCM', /can not encrypt by A128GCM; its key is one for A256GCM, /],
    [keySecret(symmetricKey(32), null, 'A256GCM'), 'dir', 'A128CBC-HS256', /its key is one for A256GCM$/],
    [keySecret(symmetricKey(32), null, 'A256KW'), 'dir', 'A256GCM', /its key is one for A256KW$/],
    [keySecret(symmetricKey(32), null, 'HmacSHA256'), 'dir', 'A256GCM', /meant for the algorithm "HmacSHA256"/],
    [keySecret(symmetricKey(20)), 'dir', 'A256GCM', /a symmetric key of 20 bytes fits no algorithm/],
    [keySecret(rsa.publicKey), 'ECDH-ES', 'A256GCM', /its key is one for RSA-OAEP, /],
    [keySecret(keyPairs.ed25519.publicKey), 'ECDH-ES', 'A256GCM', /keys of type ed25519/],
  ]
  for (const [secret, algorithm, method, message] of refusals) {
    assert.match(encryptionRefusal(secret, algorithm, method) ?? '', message)
  }
})
