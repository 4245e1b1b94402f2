import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { CompactSign, calculateJwkThumbprint, exportJWK } from 'jose'
import { type AccessToken, type AccessTokenResolver, AccessTokenResolverKind, type TokenRejection } from '#contracts'
import type { JsonObject, JsonValue } from '#json'
import { defineType, json } from '#schema'
import { type Built, build, type ManualClock, manualClock } from '#test/build'
import { type DpopClient, dpopClient, type ProofParts } from '#test/dpop-client'
import { exchangeFor } from '#test/exchange'
import { DpopAccessTokenResolver } from './dpop-access-token-resolver.ts'

const Known = defineType({
  name: 'Known',
  kind: AccessTokenResolverKind,
  summary: 'Knows what every token stands for.',
  config: { info: json().optional() },
  create: ({ info }): AccessTokenResolver => ({
    resolve: (token) => ({
      outcome: 'valid',
      accessToken: { token, info: (info ?? {}) as JsonObject, scopes: new Set(), expiresAt: null },
    }),
  }),
})

const TOKEN = 'access.token'
const URL_ = 'https://api.example/orders/7?full=1'
const HTU = 'https://api.example/orders/7'

interface Gate {
  readonly built: Built<AccessTokenResolver>
  readonly clock: ManualClock
  /** The refusal of a request with a proof; null where it is admitted. */
  admit(
    proof: string | readonly string[],
    more?: { scheme?: string; info?: JsonObject; method?: string; uri?: string; token?: string },
  ): Promise<TokenRejection | null>
  /** A valid proof, except for the given parts. */
  prove(parts?: ProofParts): Promise<string>
}

/** A resolver of some age, so that proofs need no nonce unless it is configured. */
async function gateFor(client: DpopClient, config: Record<string, JsonValue> = {}, age = 120_000): Promise<Gate> {
  const clock = manualClock()
  const built = await build<AccessTokenResolver>(
    DpopAccessTokenResolver,
    { delegate: { type: 'Known' }, ...config },
    { types: [Known], clock },
  )
  clock.advance(age)
  return {
    built,
    clock,
    admit: async (proof, { scheme = 'DPoP', info, method = 'GET', uri = URL_, token = TOKEN } = {}) => {
      const headers = { authorization: `${scheme} ${token}`, dpop: proof }
      const accessToken: AccessToken = {
        token,
        info: info ?? { cnf: { jkt: client.thumbprint } },
        scopes: new Set(),
        expiresAt: null,
      }
      return (await built.object.admit?.(accessToken, exchangeFor(method, uri, { headers }))) ?? null
    },
    prove: (parts = {}) => client.prove({ uri: HTU, token: TOKEN, now: clock.now(), ...parts }),
  }
}

const badProof = (refusal: TokenRejection | null): string => {
  assert.equal(refusal?.outcome, 'invalid')
  assert.equal((refusal as { error?: string }).error, 'invalid_dpop_proof')
  return refusal?.description ?? ''
}

for (const alg of ['ES256', 'ES384', 'ES512', 'EdDSA', 'PS256', 'PS512', 'RS256', 'RS384']) {
  test(`a proof by ${alg} is accepted once`, async () => {
    const client = await dpopClient(alg)
    const gate = await gateFor(client)
    await using _ = gate.built
    const proof = await gate.prove()
    assert.equal(await gate.admit(proof), null)
    assert.equal(badProof(await gate.admit(proof)), 'The DPoP proof was used before.')
    assert.equal(await gate.admit(await gate.prove()), null)
    assert.equal(gate.built.metrics.values.get('gw_dpop_replayed_total'), 1)
  })
}

const es256 = await dpopClient()
const stranger = await dpopClient()

const wrong: readonly [string, ProofParts, RegExp][] = [
  ['another type', { header: { typ: 'JWT' } }, /has the type "JWT", expected dpop\+jwt/],
  ['no type', { header: { typ: undefined } }, /has no type in its header, expected dpop\+jwt/],
  ['no key', { header: { jwk: undefined } }, /holds no key/],
  ['another key', { header: { jwk: stranger.jwk } }, /another key than the access token is bound to/],
  ['a private key', { header: { jwk: { ...es256.jwk, d: 'AAAA' } } }, /holds a private key/],
  ['a symmetric key', { header: { jwk: { kty: 'oct', k: 'AAAA' } } }, /holds a private key/],
  ['an invalid key', { header: { jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 7 } } }, /can not be used/],
  ['an EC key without y', { header: { jwk: { kty: 'EC', crv: 'P-256', x: 'AA' } } }, /can not be used/],
  ['a key type of __proto__', { header: { jwk: { kty: '__proto__' } } }, /can not be used/],
  ['another method', { claims: { htm: 'POST' } }, /another method/],
  ['a method in lower case', { claims: { htm: 'get' } }, /another method/],
  ['no method', { claims: { htm: undefined } }, /no claim htm/],
  ['another path', { claims: { htu: 'https://api.example/orders/8' } }, /another URI/],
  ['another scheme', { claims: { htu: 'http://api.example/orders/7' } }, /another URI/],
  ['another port', { claims: { htu: 'https://api.example:8443/orders/7' } }, /another URI/],
  ['another host', { claims: { htu: 'https://api.example.evil/orders/7' } }, /another URI/],
  ['user information', { claims: { htu: 'https://x@api.example/orders/7' } }, /another URI/],
  ['a path without a host', { claims: { htu: '/orders/7' } }, /another URI/],
  ['an invalid URI', { claims: { htu: 'https://[' } }, /another URI/],
  ['no URI', { claims: { htu: undefined } }, /no claim htu/],
  ['another token', { token: 'other' }, /another access token/],
  ['no ath', { claims: { ath: undefined } }, /no claim ath/],
  ['no jti', { claims: { jti: undefined } }, /no claim jti/],
  ['an empty jti', { claims: { jti: '' } }, /claim jti is not a text/],
  ['a jti that is no text', { claims: { jti: 7 } }, /claim jti is not a text/],
  ['a very long jti', { claims: { jti: 'x'.repeat(513) } }, /"jti" of more than 512 characters/],
  ['no iat', { claims: { iat: undefined } }, /no claim iat/],
  ['an iat that is text', { claims: { iat: '1700000000' } }, /claim iat is not a number/],
  ['a nonce that is no text', { claims: { nonce: 7 } }, /"nonce" that is not text/],
  ['extensions', { header: { crit: ['x'], x: 1 } }, /extensions|crit/],
]

for (const [what, parts, message] of wrong) {
  test(`a proof with ${what} is rejected`, async () => {
    const gate = await gateFor(es256)
    await using _ = gate.built
    // The library may refuse to create such a proof.
    const proof = await gate.prove(parts).catch((error: Error) => error)
    if (proof instanceof Error) return assert.match(what, /extensions/)
    assert.match(badProof(await gate.admit(proof)), message)
    assert.equal(gate.built.metrics.values.get('gw_dpop_refused_total'), 1)
  })
}

test('B37: alg none, a shared secret and an algorithm that does not suit the key are rejected', async () => {
  const gate = await gateFor(es256)
  await using _ = gate.built
  const good = await gate.prove()
  const [, payload, signature] = good.split('.')
  for (const alg of ['none', 'HS256', ' ES256', 'es256', 'RS256', 'ES384', 'EdDSA']) {
    const header = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg, jwk: es256.jwk })).toString('base64url')
    for (const forged of [`${header}.${payload}.${signature}`, `${header}.${payload}.`]) {
      badProof(await gate.admit(forged))
    }
  }
})

test('a signature of another key is rejected', async () => {
  const gate = await gateFor(es256)
  await using _ = gate.built
  const [header, payload] = (await gate.prove()).split('.')
  const other = (await gate.prove()).split('.')[2]
  assert.match(badProof(await gate.admit(`${header}.${payload}.${other}`)), /signature of the proof is not valid/)
  const zeros = Buffer.alloc(64).toString('base64url')
  assert.match(badProof(await gate.admit(`${header}.${payload}.${zeros}`)), /signature of the proof is not valid/)
})

test('invalid keys and keys of unsupported curves are rejected', async () => {
  for (const jwk of [
    { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
    { kty: 'EC', crv: 'none', x: 'AA', y: 'AA' },
    { kty: 'OKP', crv: 'X25519', x: Buffer.alloc(32, 9).toString('base64url') },
    { kty: 'RSA', n: 'AA', e: 'AQAB' },
  ]) {
    const gate = await gateFor({ ...es256, thumbprint: await calculateJwkThumbprint(jwk) })
    await using _ = gate.built
    assert.match(badProof(await gate.admit(await gate.prove({ header: { jwk } }))), /can not be used/)
  }
})

test('a short RSA key is rejected', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const jwk = await exportJWK(publicKey)
  const gate = await gateFor({ ...es256, thumbprint: await calculateJwkThumbprint(jwk) })
  await using _ = gate.built
  const payload = (await gate.prove()).split('.')[1] as string
  const header = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'RS256', jwk })).toString('base64url')
  assert.match(badProof(await gate.admit(`${header}.${payload}.AAAA`)), /can not be used/)
  await assert.rejects(new CompactSign(Buffer.from('x')).setProtectedHeader({ alg: 'RS256' }).sign(privateKey))
})

const sameUris: readonly [string, string][] = [
  ['https://api.example/orders/7?other=1#x', URL_],
  ['HTTPS://API.example:443/orders/7', URL_],
  ['https://api.example/a/../orders/./7', URL_],
  ['https://api.example/%6Frders/7', URL_],
  ['https://api.example', 'https://api.example/'],
  ['https://api.example:8443/x', 'https://api.example:8443/x'],
  ['https://api.example/%C3%A4', 'https://api.example/%C3%A4'],
]

for (const [htu, uri] of sameUris) {
  test(`htu ${htu} is the target ${uri}`, async () => {
    const gate = await gateFor(es256)
    await using _ = gate.built
    assert.equal(await gate.admit(await gate.prove({ claims: { htu } }), { uri }), null)
  })
}

test('no proof and several proofs are rejected', async () => {
  const gate = await gateFor(es256)
  await using _ = gate.built
  assert.equal(badProof(await gate.admit([])), 'The request has no DPoP proof.')
  const two = [await gate.prove(), await gate.prove()]
  assert.equal(badProof(await gate.admit(two)), 'The request has more than one DPoP proof.')
  badProof(await gate.admit(two.join(', ')))
  for (const text of ['', 'x', 'a.b.c', 'x'.repeat(9_000)]) badProof(await gate.admit(text))
})

test('a proof may be as old as proofMaxAge, and slightly in the future', async () => {
  const gate = await gateFor(es256, { proofMaxAge: '30 seconds' })
  await using _ = gate.built
  const at = (seconds: number) => gate.prove({ claims: { iat: gate.clock.now() / 1_000 + seconds } })
  assert.equal(await gate.admit(await at(-29)), null)
  assert.match(badProof(await gate.admit(await at(-30))), /too old/)
  assert.equal(await gate.admit(await at(10)), null)
  assert.match(badProof(await gate.admit(await at(11))), /issued in the future/)
  for (const iat of [-1, 1e300, 0]) badProof(await gate.admit(await gate.prove({ claims: { iat } })))
})

test('exp of a proof is checked', async () => {
  const gate = await gateFor(es256)
  await using _ = gate.built
  const now = gate.clock.now() / 1_000
  assert.match(badProof(await gate.admit(await gate.prove({ claims: { exp: now } }))), /has expired/)
  assert.equal(await gate.admit(await gate.prove({ claims: { exp: now + 1 } })), null)
})

test('a proof can not be used again within proofMaxAge', async () => {
  const gate = await gateFor(es256)
  await using _ = gate.built
  const proof = await gate.prove({ claims: { iat: gate.clock.now() / 1_000 + 10 } })
  assert.equal(await gate.admit(proof), null)
  for (let seconds = 0; seconds < 70; seconds += 7) {
    assert.equal(badProof(await gate.admit(proof)), 'The DPoP proof was used before.')
    gate.clock.advance(7_000)
  }
  assert.match(badProof(await gate.admit(proof)), /too old/)
})

test('two clients may choose the same jti', async () => {
  const gate = await gateFor(es256)
  await using _ = gate.built
  assert.equal(await gate.admit(await gate.prove({ claims: { jti: 'same' } })), null)
  const info = { cnf: { jkt: stranger.thumbprint } }
  const other = await stranger.prove({ uri: HTU, token: TOKEN, now: gate.clock.now(), claims: { jti: 'same' } })
  assert.equal(await gate.admit(other, { info }), null)
})

function nonceOf(refusal: TokenRejection | null): string {
  assert.equal(refusal?.outcome, 'invalid')
  const { error, headers } = refusal as { error?: string; headers?: Record<string, string> }
  assert.equal(error, 'use_dpop_nonce')
  return headers?.['DPoP-Nonce'] ?? assert.fail('no nonce')
}

test('requireNonce: a proof without the nonce of the gateway is rejected with the nonce to use', async () => {
  const gate = await gateFor(es256, { requireNonce: true })
  await using _ = gate.built
  const nonce = nonceOf(await gate.admit(await gate.prove()))
  const proof = await gate.prove({ claims: { nonce } })
  assert.equal(await gate.admit(proof), null)
  assert.equal(badProof(await gate.admit(proof)), 'The DPoP proof was used before.')
  assert.equal(await gate.admit(await gate.prove({ claims: { nonce } })), null, 'a nonce serves for several proofs')
  nonceOf(await gate.admit(await gate.prove({ claims: { nonce: 'made up' } })))
  gate.clock.advance(120_000)
  const next = nonceOf(await gate.admit(await gate.prove({ claims: { nonce } })))
  assert.notEqual(next, nonce)
})

test('a proof may contain an old nonce where none is required', async () => {
  const gate = await gateFor(es256)
  await using _ = gate.built
  assert.equal(await gate.admit(await gate.prove({ claims: { nonce: 'of another time' } })), null)
})

test('after a reload, while the record of used proofs may be incomplete, a nonce is required', async () => {
  const gate = await gateFor(es256, {}, 0)
  await using _ = gate.built
  const old = await gate.prove()
  const nonce = nonceOf(await gate.admit(old))
  assert.equal(await gate.admit(await gate.prove({ claims: { nonce } })), null)
  gate.clock.advance(70_000)
  nonceOf(await gate.admit(await gate.prove()))
  gate.clock.advance(1)
  assert.equal(await gate.admit(await gate.prove()), null)
  badProof(await gate.admit(old))
})

test('B46: while the wall clock repeats a time, a nonce is required', async () => {
  let wall = 1_700_000_000_000
  let since = 0
  const clock = { now: () => wall, monotonic: () => since }
  const advance = (milliseconds: number) => {
    wall += milliseconds
    since += milliseconds
  }
  await using built = await build<AccessTokenResolver>(
    DpopAccessTokenResolver,
    { delegate: { type: 'Known' } },
    { types: [Known], clock },
  )
  const admit = async (proof: string) => {
    const accessToken: AccessToken = {
      token: TOKEN,
      info: { cnf: { jkt: es256.thumbprint } },
      scopes: new Set(),
      expiresAt: null,
    }
    const headers = { authorization: `DPoP ${TOKEN}`, dpop: proof }
    return (await built.object.admit?.(accessToken, exchangeFor('GET', URL_, { headers }))) ?? null
  }
  const prove = () => es256.prove({ uri: HTU, token: TOKEN, now: wall })
  advance(100_000)
  const used = await prove()
  assert.equal(await admit(used), null)
  advance(3_600_000)
  assert.equal(await admit(await prove()), null)
  wall -= 3_600_000
  nonceOf(await admit(used))
  advance(3_605_000)
  nonceOf(await admit(await prove()))
  advance(70_000)
  assert.equal(await admit(await prove()), null)
})

test('RFC 9449 section 7.2: a bound token is rejected with the scheme Bearer, an unbound one with DPoP', async () => {
  const gate = await gateFor(es256, { allowUnboundTokens: true })
  await using _ = gate.built
  assert.deepEqual(gate.built.object.schemes, ['DPoP', 'Bearer'])
  const bearer = await gate.admit(await gate.prove(), { scheme: 'Bearer' })
  assert.deepEqual(bearer, {
    outcome: 'invalid',
    description: 'The access token is bound to a key and needs the scheme DPoP.',
  })
  const unbound = await gate.admit(await gate.prove(), { info: {} })
  assert.deepEqual(unbound, { outcome: 'invalid', description: 'The access token is bound to no key.' })
  assert.equal(await gate.admit([], { scheme: 'bearer', info: {} }), null)
  assert.equal(await gate.admit([], { scheme: 'Bearer', info: { cnf: null } }), null)
})

test('without allowUnboundTokens the scheme Bearer is not accepted', async () => {
  const gate = await gateFor(es256)
  await using _ = gate.built
  assert.deepEqual(gate.built.object.schemes, ['DPoP'])
  assert.equal((await gate.admit([], { scheme: 'Bearer', info: {} }))?.outcome, 'invalid')
})

for (const cnf of [{}, { 'x5t#S256': 'x' }, { jkt: 7 }, { jkt: '' }, 'jkt', [], true]) {
  test(`a token with the confirmation ${JSON.stringify(cnf)} is refused`, async () => {
    const gate = await gateFor(es256, { allowUnboundTokens: true })
    await using _ = gate.built
    for (const scheme of ['DPoP', 'Bearer']) {
      const refusal = await gate.admit(await gate.prove(), { scheme, info: { cnf } as JsonObject })
      assert.equal(refusal?.outcome, 'invalid', scheme)
    }
  })
}

test('a proof changed at any position is rejected without a fault', async () => {
  const gate = await gateFor(es256)
  await using _ = gate.built
  const proof = await gate.prove()
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=~'
  for (let at = 0; at < proof.length; at++) {
    const other = alphabet[(alphabet.indexOf(proof[at] as string) + 1 + (at % 60)) % alphabet.length] as string
    for (const changed of [
      proof.slice(0, at) + other + proof.slice(at + 1),
      proof.slice(0, at) + proof.slice(at + 1),
      proof.slice(0, at),
    ]) {
      badProof(await gate.admit(changed))
    }
  }
  assert.equal(await gate.admit(proof), null)
})

for (const [what, config, message] of [
  ['no delegate', { delegate: null }, /\/delegate: /],
  ['an age of an hour', { proofMaxAge: '1 hour' }, /\/proofMaxAge: expected a duration of at most 10 minutes/],
  ['no age', { proofMaxAge: '0 s' }, /\/proofMaxAge: expected a duration of at least 5 seconds/],
] as const) {
  test(`${what} is refused at load`, async () => {
    await assert.rejects(
      build(DpopAccessTokenResolver, { delegate: { type: 'Known' }, ...config }, { types: [Known] }),
      {
        message,
      },
    )
  })
}
