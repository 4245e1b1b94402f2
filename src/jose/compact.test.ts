import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_TOKEN_LENGTH, parseToken, readClaims, TokenError } from '#jose'
import { rawToken } from '#test/token-secrets'

function refused(text: string, message: RegExp): void {
  assert.throws(
    () => parseToken(text),
    (error: unknown) => {
      assert.ok(error instanceof TokenError)
      assert.match(error.message, message)
      return true
    },
  )
}

test('parses a signed token', () => {
  const token = parseToken(rawToken({ alg: 'RS256', kid: 'k', typ: 'JWT', zip: 'NONE' }, { sub: 'demo' }))
  assert.ok(token.form === 'signed')
  assert.equal(token.header.alg, 'RS256')
  assert.equal(token.header.kid, 'k')
  assert.deepEqual(readClaims(token.payload), { sub: 'demo' })
})

test('text that is no token in compact form is rejected', () => {
  for (const text of ['', '.', '..', 'a.b', 'a.b.c.d', 'a.b.c.d.e.f', '{"payload":""}', 'opaque']) {
    refused(text, /compact form|header/)
  }
})

test('B47: a token of 100 KB is rejected before it is parsed', () => {
  refused(`${'a'.repeat(100_000)}.b.c`, /longer than 65536 characters/)
  refused(`${'a'.repeat(MAX_TOKEN_LENGTH - 4)}.b.c`, /the header of the token is longer than/)
})

test('only canonical base64url is accepted', () => {
  const [header, payload] = rawToken({ alg: 'RS256' }, { a: 1 }).split('.') as [string, string]
  refused(`${header}=.${payload}.`, /header of the token is not in base64url/)
  refused(`${header}.${payload} .`, /payload of the token is not in base64url/)
  refused(`${header}.${payload}\n.`, /payload/)
  refused(`${header}.${payload}.+_`, /signature/)
  refused(`${header}.${payload}.AB`, /signature/)
  refused(`${header}.${payload}.A`, /signature/)
  refused(`${header}.${payload}.Aé`, /signature/)
})

test('B38: crit and b64 are rejected with any value', () => {
  for (const crit of [['exp'], ['b64'], [], 'b64', null, ['http://example.com/unknown']]) {
    refused(rawToken({ alg: 'RS256', crit }, {}), /crit/)
  }
  refused(rawToken({ alg: 'RS256', b64: false }, {}), /b64/)
  refused(rawToken({ alg: 'RS256', b64: true }, {}), /b64/)
})

test('B42: compressed tokens are rejected before any work', () => {
  for (const zip of ['DEF', 'def', 'GZIP', '', null, 1]) refused(rawToken({ alg: 'RS256', zip }, {}), /zip/)
  refused(`${rawToken({ alg: 'dir', enc: 'A256GCM', zip: 'DEF' }, '')}.AAAA.AAAA`, /zip/)
})

test('a header must have an alg, and members of the right type', () => {
  refused(rawToken({}, {}), /names no alg/)
  refused(rawToken({ alg: '' }, {}), /alg that is not text/)
  refused(rawToken({ alg: ['RS256'] }, {}), /alg that is not text/)
  refused(rawToken({ alg: 'RS256', kid: 7 }, {}), /kid that is not text/)
  refused(rawToken('[]', {}), /not a JSON object/)
  refused(rawToken('null', {}), /not a JSON object/)
  refused(rawToken('{"alg":"RS256"}x', {}), /not valid JSON/)
  refused(rawToken('/* */{"alg":"RS256"}', {}), /not valid JSON/)
  refused(`${rawToken({ alg: 'dir' }, '')}.AAAA.AAAA`, /names no enc/)
})

test('duplicate members are rejected, at any depth and with any escapes', () => {
  refused(rawToken('{"alg":"none","alg":"RS256"}', {}), /member twice/)
  const twice = (text: string) => () => readClaims(Buffer.from(text))
  assert.throws(twice('{"iss":"a","iss":"b"}'), /payload of the token gives a member twice/)
  assert.throws(twice('{"a":{"b":1,"\\u0062":2}}'), /member twice/)
  assert.throws(twice('{"a":[{"b":1,"b":2}]}'), /member twice/)
  assert.deepEqual(readClaims(Buffer.from('{"a":":","b\\":":{"c":[{},{"d":1}]}}')), {
    a: ':',
    'b":': { c: [{}, { d: 1 }] },
  })
  assert.equal(Object.keys(readClaims(Buffer.from('{"__proto__":{"a":1}}'))).join(), '__proto__')
})

test('claims have a bounded depth and are UTF-8', () => {
  assert.throws(() => readClaims(Buffer.from(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`)), /nested more than 32 levels/)
  assert.throws(() => readClaims(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), /not valid UTF-8/)
  assert.throws(() => readClaims(Buffer.from('\uFEFF{}')), /not valid JSON/)
})
