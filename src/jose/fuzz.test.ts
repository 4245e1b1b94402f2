import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import {
  ENCRYPTION_ALGORITHMS,
  ENCRYPTION_METHODS,
  encryptJwt,
  numericDate,
  type OpeningKeys,
  openJwt,
  scopesOf,
  signJwt,
  TokenError,
  violations,
} from '#jose'
import type { JsonObject } from '#json'
import { keyPairs, keySecret, rawToken, sourceOf, symmetricKey } from '#test/token-secrets'

const { rsa, p256, otherP256, ed25519, x25519 } = keyPairs
const shared = keySecret(symmetricKey(32), 'shared')

const allKeys: readonly OpeningKeys[] = [
  { verification: sourceOf(keySecret(rsa.publicKey, 'r'), keySecret(p256.publicKey, 'e')) },
  { verification: sourceOf(keySecret(ed25519.publicKey)) },
  { verification: sourceOf(keySecret(symmetricKey(64), 'h')) },
  { decryption: sourceOf(shared) },
  { decryption: sourceOf(keySecret(rsa.privateKey), keySecret(p256.privateKey), keySecret(x25519.privateKey)) },
  { verification: sourceOf(keySecret(rsa.publicKey)), decryption: sourceOf(shared) },
]

async function opensNowhere(text: string): Promise<void> {
  for (const keys of allKeys) assert.equal((await openJwt(text, keys)).outcome, 'invalid', text)
}

/** The tokens that are valid with the keys above. */
const goodTokens = Promise.all([
  signJwt(keySecret(rsa.privateKey, 'r'), { sub: 'demo' }, { algorithm: 'RS256' }),
  signJwt(keySecret(rsa.privateKey), { sub: 'demo' }, { algorithm: 'PS256' }),
  signJwt(keySecret(p256.privateKey, 'e'), { sub: 'demo' }, { algorithm: 'ES256' }),
  signJwt(keySecret(ed25519.privateKey), { sub: 'demo' }, { algorithm: 'EdDSA' }),
  signJwt(keySecret(symmetricKey(64), 'h'), { sub: 'demo' }, { algorithm: 'HS256' }),
  encryptJwt(shared, '{"sub":"demo"}', { algorithm: 'dir', method: 'A256GCM', content: 'claims' }),
  encryptJwt(shared, '{"sub":"demo"}', { algorithm: 'A256KW', method: 'A128CBC-HS256', content: 'claims' }),
])

test('no random text is accepted or throws', async () => {
  const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units))
  await fc.assert(fc.asyncProperty(anyText, opensNowhere))
  const parts = fc.oneof(fc.base64String(), fc.string(), fc.constantFrom('', 'e30', 'eyJhbGciOiJub25lIn0'))
  const dotted = fc.array(parts, { maxLength: 7 }).map((each) => each.join('.'))
  await fc.assert(fc.asyncProperty(dotted, opensNowhere))
})

test('no header makes a token with a foreign signature valid', async () => {
  const values = fc.oneof(
    fc.constantFrom(
      'none',
      'RS256',
      'ES256',
      'HS256',
      'EdDSA',
      'dir',
      'A256KW',
      'A256GCM',
      'r',
      'e',
      'h',
      'JWT',
      'NONE',
    ),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const names = fc.constantFrom(
    'alg',
    'kid',
    'enc',
    'zip',
    'crit',
    'b64',
    'typ',
    'cty',
    'jwk',
    'jku',
    'x5u',
    'x5c',
    'p2c',
  )
  const headers = fc.dictionary(names, values)
  const property = fc.asyncProperty(headers, fc.boolean(), async (header, encrypted) => {
    const token = rawToken(header, { sub: 'root' }, (text) =>
      sign('sha256', Buffer.from(text), { key: otherP256.privateKey, dsaEncoding: 'ieee-p1363' }),
    )
    await opensNowhere(encrypted ? `${token}.AAAA.AAAA` : token)
  })
  await fc.assert(property)
})

test('no header of an encrypted token is accepted or throws', async () => {
  const epk = fc.oneof(
    fc.constantFrom(...[otherP256, x25519].map(({ publicKey }) => publicKey.export({ format: 'jwk' }) as object)),
    fc.record({ kty: fc.constantFrom('EC', 'OKP'), crv: fc.constantFrom('P-256', 'X25519'), x: text(), y: text() }),
    fc.jsonValue({ maxDepth: 1 }),
  )
  const headers = fc.record(
    {
      alg: fc.constantFrom(...ENCRYPTION_ALGORITHMS, 'PBES2-HS256+A128KW', 'RSA1_5'),
      enc: fc.constantFrom(...ENCRYPTION_METHODS),
      epk,
      iv: fc.oneof(text(), fc.jsonValue({ maxDepth: 1 })),
      tag: fc.oneof(text(), fc.jsonValue({ maxDepth: 1 })),
      apu: fc.oneof(text(), fc.jsonValue({ maxDepth: 1 })),
      apv: text(),
      p2c: fc.nat(),
    },
    { requiredKeys: ['alg', 'enc'] },
  )
  const property = fc.asyncProperty(
    headers,
    fc.array(text(), { minLength: 4, maxLength: 4 }),
    async (header, parts) => {
      await opensNowhere([Buffer.from(JSON.stringify(header)).toString('base64url'), ...parts].join('.'))
    },
  )
  await fc.assert(property)
})

/** Bytes in base64url, of the lengths of keys, vectors and tags, and of other lengths. */
function text(): fc.Arbitrary<string> {
  const length = fc.constantFrom(0, 12, 16, 24, 32, 40, 256, 7)
  return length
    .chain((bytes) => fc.uint8Array({ minLength: bytes, maxLength: bytes }))
    .map((bytes) => {
      return Buffer.from(bytes).toString('base64url')
    })
}

test('a valid token with one changed character is invalid', async () => {
  const tokens = await goodTokens
  const property = fc.asyncProperty(
    fc.nat(tokens.length - 1),
    fc.nat(2_000),
    fc.constantFrom(...'AZaz09-_.=+/ \n"{}\u0000é'),
    fc.constantFrom<'replace' | 'insert' | 'remove'>('replace', 'insert', 'remove'),
    async (index, place, character, change) => {
      const token = tokens[index] as string
      const at = place % token.length
      const rest = token.slice(change === 'insert' ? at : at + 1)
      const changed = `${token.slice(0, at)}${change === 'remove' ? '' : character}${rest}`
      if (changed !== token) await opensNowhere(changed)
    },
  )
  await fc.assert(property)
})

test('an expired token is rejected with any claims, and only TokenErrors are thrown', () => {
  const claim = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.double(), fc.integer())
  const claims = fc.dictionary(fc.constantFrom('exp', 'nbf', 'iat', 'scope', 'aud', 'iss', '__proto__'), claim)
  const property = fc.property(claims, fc.nat(2 ** 41), fc.nat(100_000), (values, now, skew) => {
    const read = JSON.parse(JSON.stringify(values)) as JsonObject
    const found = violations(null, read, { kind: 'agentToken', times: { now, skew } })
    const exp = Object.hasOwn(read, 'exp') ? numericDate(read['exp'] ?? null) : null
    if (exp === null || exp + skew <= now) assert.notEqual(found.length, 0)
    try {
      for (const scope of scopesOf(read)) assert.equal(typeof scope, 'string')
    } catch (error) {
      assert.ok(error instanceof TokenError)
    }
  })
  fc.assert(property)
})
