import assert from 'node:assert/strict'
import { createHmac, createSecretKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import { providerOf, Secret } from '#contracts'
import { parseSignedToken, SIGNATURE_ALGORITHMS, type SignatureAlgorithm, signingRefusal, signJwt } from '#jose'
import { keyPairs, keySecret, rawToken, sourceOf, storeOfKeys, symmetricKey } from '#test/token-secrets'
import { verifySignature } from './verify.ts'

const { rsa, otherRsa, p256, p384, p521, ed25519, x25519 } = keyPairs

function pairOf(algorithm: SignatureAlgorithm): { signing: Secret; verifying: Secret } {
  const family = algorithm.slice(0, 2)
  if (family === 'HS') return { signing: keySecret(symmetricKey(64)), verifying: keySecret(symmetricKey(64)) }
  const byAlgorithm: Record<string, { privateKey: KeyObject; publicKey: KeyObject }> = {
    ES256: p256,
    ES384: p384,
    ES512: p521,
    EdDSA: ed25519,
    Ed25519: ed25519,
  }
  const { privateKey, publicKey } = byAlgorithm[algorithm] ?? rsa
  return { signing: keySecret(privateKey, 'a'), verifying: keySecret(publicKey, 'a') }
}

async function outcome(text: string, ...secrets: readonly Secret[]): Promise<string> {
  return (await verifySignature(parseSignedToken(text), sourceOf(...secrets))).outcome
}

for (const algorithm of SIGNATURE_ALGORITHMS) {
  test(`${algorithm}: verifies a signature, and rejects a changed token`, async () => {
    const { signing, verifying } = pairOf(algorithm)
    const token = await signJwt(signing, { sub: 'demo' }, { algorithm })

    assert.equal(await outcome(token, verifying), 'verified')
    assert.equal(await outcome(token, signing), 'verified')
    const [header, , signature] = token.split('.')
    const changed = `${header}.${Buffer.from('{"sub":"root"}').toString('base64url')}.${signature}`
    assert.equal(await outcome(changed, verifying), 'invalid')
  })
}

test('the header names algorithm, type and key', async () => {
  const named = parseSignedToken(await signJwt(keySecret(p256.privateKey, 'k1'), {}, { algorithm: 'ES256' }))
  assert.deepEqual(named.header.members, { alg: 'ES256', typ: 'JWT', kid: 'k1' })

  const unnamed = await signJwt(keySecret(p256.privateKey), {}, { algorithm: 'ES256', typ: 'at+jwt' })
  assert.deepEqual(parseSignedToken(unnamed).header.members, { alg: 'ES256', typ: 'at+jwt' })

  const silent = await signJwt(keySecret(p256.privateKey, 'k1'), {}, { algorithm: 'ES256', includeKeyId: false })
  assert.equal(parseSignedToken(silent).header.kid, null)
})

test('a key signs only with algorithms of its type, curve, length and name', async () => {
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  const refusals: [Secret, SignatureAlgorithm, RegExp][] = [
    [keySecret(rsa.privateKey), 'ES256', /can not sign by ES256; its key is one for RS256, /],
    [keySecret(p256.privateKey), 'ES384', /its key is one for ES256$/],
    [keySecret(rsa.privateKey), 'HS256', /can not sign by HS256/],
    [keySecret(symmetricKey(64)), 'RS256', /its key is one for HS256, HS384, HS512$/],
    [keySecret(symmetricKey(47)), 'HS384', /its key is one for HS256$/],
    [keySecret(symmetricKey(31)), 'HS256', /at least 32 bytes/],
    [keySecret(short), 'RS256', /at least 2048 bits, it has 1024/],
    [keySecret(x25519.privateKey), 'EdDSA', /keys of type x25519/],
    [keySecret(rsa.privateKey, null, 'RS256'), 'PS256', /its key is one for RS256$/],
    [keySecret(rsa.privateKey, null, 'RSA-OAEP'), 'RS256', /meant for the algorithm "RSA-OAEP"/],
    [keySecret(rsa.publicKey), 'RS256', /it has no private key/],
    [new Secret({ secretId: 'key', bytes: Buffer.alloc(64) }), 'HS256', /it is a password, not a key/],
    [new Secret({ secretId: 'key', key: rsa.privateKey, purposes: ['DECRYPT'] }), 'RS256', /allows DECRYPT only/],
  ]
  for (const [secret, algorithm, message] of refusals) {
    assert.match(signingRefusal(secret, algorithm) ?? '', message)
    await assert.rejects(signJwt(secret, {}, { algorithm }), { code: 'GW_KEY_UNSUITABLE' })
  }
})

test('a symmetric key that is too short for any algorithm is reported as unsuitable key, not as invalid token', async () => {
  const key = symmetricKey(8)
  const text = rawToken({ alg: 'HS256' }, {}, (input) => createHmac('sha256', key).update(input).digest())
  const verification = await verifySignature(parseSignedToken(text), sourceOf(keySecret(key)))
  assert.deepEqual(verification, {
    outcome: 'unavailable',
    reason:
      'the secret id "key" has a key that can verify no token: a key of HS256 needs at least 32 bytes (RFC 7518 section 3.2), it has 8',
  })
})

test('symmetric keys with algorithm names of Java fit every algorithm of their length', () => {
  for (const name of ['AES', 'HmacSHA256', 'hmacsha512', 'RAW']) {
    assert.equal(signingRefusal(keySecret(symmetricKey(64), null, name), 'HS512'), null)
  }
})

test('EdDSA and Ed25519 are names of the same algorithm', async () => {
  for (const [algorithm, named] of [
    ['EdDSA', 'Ed25519'],
    ['Ed25519', 'EdDSA'],
  ] as const) {
    const token = await signJwt(keySecret(ed25519.privateKey), {}, { algorithm })
    assert.equal(await outcome(token, keySecret(ed25519.publicKey, null, named)), 'verified')
  }
})

test('B37: the key decides the algorithm: none, other spellings and other families are rejected', async () => {
  const key = keySecret(rsa.publicKey)
  const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
  const publicDer = rsa.publicKey.export({ type: 'spki', format: 'der' })
  const hmac = (secret: string | Buffer) => (text: string) => createHmac('sha256', secret).update(text).digest()

  for (const alg of ['none', 'None', 'NONE', 'nOnE', ' none']) {
    assert.equal(await outcome(rawToken({ alg }, {}), key), 'invalid', alg)
  }
  for (const secret of [publicPem, publicPem.toString().trim(), publicDer, '']) {
    assert.equal(await outcome(rawToken({ alg: 'HS256' }, {}, hmac(secret)), key), 'invalid')
  }
  for (const alg of [' RS256', 'RS256 ', 'rs256', 'RS256\u0000']) {
    const signed = rawToken({ alg }, {}, (text) => sign('sha256', Buffer.from(text), rsa.privateKey))
    assert.equal(await outcome(signed, key), 'invalid', alg)
  }
  const zeroLength = rawToken({ alg: 'HS256' }, {}, hmac(createSecretKey(Buffer.alloc(0)).export()))
  assert.equal(await outcome(zeroLength, keySecret(createSecretKey(Buffer.alloc(0)))), 'unavailable')
})

test('B41: ECDSA signatures of zeros, in DER and of other lengths are rejected', async () => {
  const der = (text: string) => sign('sha256', Buffer.from(text), p256.privateKey)
  const half = (text: string) => sign('sha256', Buffer.from(text), { key: p256.privateKey, dsaEncoding: 'ieee-p1363' })
  const signatures: ((text: string) => Buffer)[] = [
    () => Buffer.alloc(64),
    () => Buffer.alloc(0),
    () => Buffer.alloc(96),
    (text) => Buffer.concat([half(text).subarray(0, 32), Buffer.alloc(32)]),
    (text) => Buffer.concat([Buffer.alloc(32), half(text).subarray(32)]),
    (text) => Buffer.concat([half(text), Buffer.alloc(1)]),
    der,
  ]
  for (const signature of signatures) {
    assert.equal(await outcome(rawToken({ alg: 'ES256' }, {}, signature), keySecret(p256.publicKey)), 'invalid')
  }
})

test('B40: only the key of the kid is tried; an unknown kid counts as none', async () => {
  const byRsa = (kid: string | null) => signJwt(keySecret(rsa.privateKey, kid), {}, { algorithm: 'RS256' })
  const keys = [keySecret(otherRsa.publicKey, 'first'), keySecret(rsa.publicKey, 'second')]

  assert.equal(await outcome(await byRsa('second'), ...keys), 'verified')
  assert.equal(await outcome(await byRsa('first'), ...keys), 'invalid')
  assert.equal(await outcome(await byRsa(null), ...keys), 'verified')
  for (const kid of ['unknown', '__proto__', 'constructor', '../../etc/passwd', "' or 1=1"]) {
    assert.equal(await outcome(await byRsa(kid), ...keys), 'verified', kid)
  }
})

test('B40: with the kid of a key of another purpose no other key is tried', async () => {
  const forEncryption = new Secret({ secretId: 'key', key: rsa.publicKey, stableId: 'enc', purposes: ['ENCRYPT'] })
  const token = await signJwt(keySecret(rsa.privateKey, 'enc'), {}, { algorithm: 'RS256' })
  assert.equal(await outcome(token, keySecret(rsa.publicKey, 'sig'), forEncryption), 'invalid')
})

test('without available keys the token is neither valid nor invalid', async () => {
  const token = parseSignedToken(await signJwt(keySecret(rsa.privateKey), {}, { algorithm: 'RS256' }))
  const provider = providerOf([storeOfKeys({ down: null, none: [], wrong: [keySecret(x25519.publicKey)] })])

  for (const secretId of ['down', 'none', 'unknown']) {
    assert.equal((await verifySignature(token, { provider, secretId })).outcome, 'unavailable', secretId)
  }
  assert.equal((await verifySignature(token, { provider, secretId: 'wrong' })).outcome, 'invalid')
})

test('a secret id with both symmetric and public keys, or two keys of one name, verifies no token', async () => {
  const token = await signJwt(keySecret(rsa.privateKey, 'a'), {}, { algorithm: 'RS256' })
  assert.equal(await outcome(token, keySecret(rsa.publicKey, 'a'), keySecret(symmetricKey(32), 'b')), 'unavailable')
  assert.equal(await outcome(token, keySecret(rsa.publicKey, 'a'), keySecret(otherRsa.publicKey, 'a')), 'unavailable')
  assert.equal(await outcome(token, keySecret(rsa.publicKey, 'a'), keySecret(p256.publicKey, 'a')), 'verified')
  assert.equal(await outcome(token, keySecret(rsa.publicKey, 'a'), keySecret(rsa.publicKey, 'a')), 'verified')
})
