import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSignedToken, readClaims, type TokenKindName, type TokenRules, violations } from '#jose'
import type { JsonObject } from '#json'
import { rawToken } from '#test/token-secrets'

const NOW = 1_700_000_000_000
const second = NOW / 1000
const LOGOUT = { 'http://schemas.openid.net/event/backchannel-logout': {} }

type Rules = Partial<Omit<TokenRules, 'times'>> & Partial<TokenRules['times']>

/** The messages about a token with these claims, as JSON text or values. */
function wrong(kind: TokenKindName, claims: JsonObject | string, typ: string | null, rules: Rules = {}): string[] {
  const { skew, maxAge, mayHaveExpired, maxLoginAge, ...others } = rules
  const times = Object.fromEntries(
    Object.entries({ skew, maxAge, mayHaveExpired, maxLoginAge }).filter(([, value]) => value !== undefined),
  )
  const token = parseSignedToken(rawToken({ alg: 'RS256', ...(typ !== null && { typ }) }, claims))
  const found = violations(token.header, readClaims(token.payload), { ...others, kind, times: { now: NOW, ...times } })
  return found.map(({ message }) => message)
}

/** The messages about a response. */
function wrongResponse(kind: TokenKindName, claims: JsonObject, rules: Rules = {}): string[] {
  const found = violations(null, claims, { ...rules, kind, times: { now: NOW } } as TokenRules)
  return found.map(({ code, message }) => `${code}: ${message}`)
}

const jwt = (claims: JsonObject | string, rules: Rules = {}) => wrong('jwt', claims, null, rules)

test('B46: a token is valid before exp and from nbf on; iat may be a minute in the future', () => {
  assert.deepEqual(jwt({ exp: second + 1, nbf: second, iat: second }), [])
  assert.deepEqual(jwt({ exp: second }), ['the token has expired'])
  assert.deepEqual(jwt({ nbf: second + 1 }), ['the token is not valid yet'])
  assert.deepEqual(jwt({ iat: second + 60 }), [])
  assert.deepEqual(jwt({ iat: second + 61 }), ['the token was issued in the future'])
})

test('B46: the skew shifts the limits by exactly its length', () => {
  const skew = 5_000
  assert.deepEqual(jwt({ exp: second - 4, nbf: second + 5, iat: second + 5 }, { skew }), [])
  assert.deepEqual(jwt({ exp: second - 5 }, { skew }), ['the token has expired'])
  assert.deepEqual(jwt({ nbf: second + 6 }, { skew }), ['the token is not valid yet'])
  assert.deepEqual(jwt({ iat: second + 90 }, { skew: 90_000 }), [])
  assert.deepEqual(jwt({ iat: second + 91 }, { skew: 90_000 }), ['the token was issued in the future'])
})

test('B46: times are numbers of seconds: text, negative, infinite and other values are rejected', () => {
  for (const value of ['"1800000000"', '-1', '1e400', '-1e400', '1e30', 'null', 'true', '[1800000000]', '{}', '""']) {
    for (const name of ['exp', 'nbf', 'iat'])
      assert.deepEqual(jwt(`{"${name}":${value}}`), [`the claim ${name} is not a number of seconds since the epoch`])
  }
  assert.deepEqual(jwt(`{"exp":${second}.5}`), [])
})

test('a limited age is exact, and no skew extends it: such tokens are remembered', () => {
  const rules = { maxAge: 30_000, skew: 600_000 }
  const proof = { jti: 'a', htm: 'GET', htu: 'https://a', ath: 'b' }
  assert.deepEqual(wrong('dpopProof', { ...proof, iat: second - 29 }, 'dpop+jwt', rules), [])
  assert.deepEqual(wrong('dpopProof', { ...proof, iat: second - 30 }, 'dpop+jwt', rules), ['the proof is too old'])
  assert.deepEqual(wrong('dpopProof', { ...proof, iat: second + 10 }, 'dpop+jwt', rules), [])
  assert.deepEqual(wrong('dpopProof', { ...proof, iat: second + 11 }, 'dpop+jwt', rules), [
    'the proof was issued in the future',
  ])
})

const ID = { sub: 'demo', aud: 'app', iss: 'https://a', iat: second, exp: second + 60 }
const idToken = (changes: JsonObject, typ: string | null = 'JWT', rules: Rules = {}) =>
  wrong('idToken', { ...ID, ...changes }, typ, { audience: ['app'], issuer: 'https://a', ...rules })

test('an ID token is not an access token, refresh token, logout token or event, by type and by claims', () => {
  assert.deepEqual(idToken({}), [])
  assert.deepEqual(idToken({}, null), [])
  for (const claims of [
    { typ: 'ID' },
    { token_use: 'id' },
    { token_use: 'id_token' },
    { tokenName: 'id_token', tokenType: 'JWTToken' },
    { nonce: 'n', at_hash: 'h', typ: 'something' },
  ])
    assert.deepEqual(idToken(claims), [], JSON.stringify(claims))
  for (const claims of [
    { typ: 'Bearer' },
    { typ: 'Refresh' },
    { typ: 'Offline' },
    { typ: 'Logout' },
    { token_use: 'access' },
    { token_use: 'access_token' },
    { token_use: ['id'] },
    { token_type: 'refresh' },
    { token_use: null },
    { tokenName: 'access_token' },
    { typ: 'ID', token_use: 'access' },
    { events: LOGOUT },
    { token_type: 'refresh_token' },
  ])
    assert.deepEqual(idToken(claims), ['the token is not an ID token'], JSON.stringify(claims))
  assert.equal(idToken({ events: {} })[0], 'the token is not an ID token: it has a claim of another kind of token')
  for (const typ of ['at+jwt', 'application/AT+JWT', 'logout+jwt', 'secevent+jwt', 'dpop+jwt'])
    assert.equal(idToken({}, typ)[0], 'the token is not an ID token', typ)
  assert.deepEqual(idToken({}, 'x+jwt'), ['the token has the type "x+jwt", expected jwt, jose, jws'])
})

test('an ID token needs sub as text, exp and iat', () => {
  const without = (name: string) => {
    const { [name as 'sub']: _, ...claims } = ID
    return wrong('idToken', claims, null)
  }
  for (const name of ['sub', 'exp', 'iat']) assert.deepEqual(without(name), [`the token has no claim ${name}`])
  for (const sub of ['', 7, null, ['demo']]) assert.deepEqual(idToken({ sub }), ['the claim sub is not a text'])
})

test('among several audiences azp is one of the expected ones; with one audience it is another matter', () => {
  assert.deepEqual(idToken({ aud: ['app', 'other'], azp: 'app' }), [])
  assert.deepEqual(idToken({ aud: ['app', 'other'], azp: 'other' }), ['the token was issued to another client'])
  assert.deepEqual(idToken({ aud: ['app', 'other'], azp: null }), ['the token was issued to another client'])
  assert.deepEqual(idToken({ aud: ['app', 'api'], azp: 'api' }, 'JWT', { audience: ['app', 'api'] }), [])
  assert.deepEqual(idToken({ aud: ['app', 'other'] }), [])
  assert.deepEqual(idToken({ aud: ['app', 'other'] }, 'JWT', { needsAuthorizedParty: true }), [
    'the token has several audiences and no claim azp',
  ])
  for (const aud of ['app', ['app']]) assert.deepEqual(idToken({ aud, azp: 'android' }), [])
})

test('issuer, audience, subject and nonce are compared exactly', () => {
  assert.deepEqual(idToken({ iss: 'https://a/' }), ['the token has another issuer'])
  assert.deepEqual(idToken({ aud: 'App' }), ['the token is for another audience'])
  assert.deepEqual(idToken({}, null, { subject: 'other' }), ['the token is about another user'])
  assert.deepEqual(idToken({ nonce: 'n' }, null, { nonce: 'n' }), [])
  assert.deepEqual(idToken({ nonce: 'm' }, null, { nonce: 'n' }), ['the token is of another login'])
  assert.deepEqual(idToken({}, null, { nonce: 'n' }), ['the token is of another login'])
  assert.deepEqual(idToken({ nonce: 'n' }, null, { nonce: null }), ['the token is of another login'])
})

test('auth_time is a time, and required where the age of the login is limited', () => {
  const rules = { maxLoginAge: 60_000, skew: 5_000 }
  assert.deepEqual(idToken({ auth_time: second - 65 }, null, rules), [])
  assert.deepEqual(idToken({ auth_time: second - 66 }, null, rules), [
    'the token is about a login that is older than "max_age"',
  ])
  assert.deepEqual(idToken({}, null, rules), ['the token has no claim auth_time'])
  assert.deepEqual(idToken({ auth_time: 'now' }), ['the claim auth_time is not a number of seconds since the epoch'])
})

test('an access token is declared by its type, or by tokenName; contradicting declarations are refused', () => {
  const access = (claims: JsonObject, typ: string | null, types?: readonly string[]) =>
    wrong('accessToken', { exp: second + 60, ...claims }, typ, types === undefined ? {} : { types: new Set(types) })
  assert.deepEqual(access({}, 'at+jwt'), [])
  assert.deepEqual(access({ nonce: 'n' }, 'at+jwt'), [])
  assert.deepEqual(access({}, null, ['jwt']), [])
  assert.deepEqual(access({ tokenName: 'access_token' }, 'JWT'), [])
  assert.deepEqual(access({}, 'logout+jwt', ['logout+jwt']), [])
  assert.deepEqual(access({}, null), ['the token has no type in its header, and "tokenTypes" admits at+jwt'])
  assert.deepEqual(access({ tokenName: 'access_token', typ: 'Refresh' }, 'JWT'), ['the token is not an access token'])
  assert.deepEqual(access({ tokenName: 'access_token' }, 'logout+jwt'), ['the token is not an access token'])
  for (const name of ['nonce', 'at_hash', 'events', 'code', 'error'])
    assert.deepEqual(access({ [name]: 'n' }, null, ['jwt']), [
      'the token is not an access token: it has a claim of another kind of token',
    ])
  for (const sub of ['', 'demo']) assert.deepEqual(access({ sub }, 'at+jwt'), [])
  for (const sub of [7, null, ['demo'], {}, true])
    assert.deepEqual(access({ sub }, 'at+jwt'), ['the claim sub is not a text'])
  assert.deepEqual(wrong('accessToken', {}, 'at+jwt'), ['the token has no claim exp'])
})

test('a logout token has its event, an id, a session or user, and no nonce', () => {
  const logout = { events: LOGOUT, jti: 'a', sid: 's', iat: second }
  const found = (changes: JsonObject, typ: string | null = 'logout+jwt') =>
    wrong('logoutToken', { ...logout, ...changes }, typ, { maxAge: 300_000 })
  assert.deepEqual(found({}), [])
  assert.deepEqual(found({}, null), [])
  assert.deepEqual(found({}, 'JWT'), ['the token has the type "JWT", expected logout+jwt'])
  assert.deepEqual(found({ nonce: 'n' }), ['the token has a claim nonce'])
  assert.deepEqual(found({ sid: 7 }), ['the claim sid is not a text'])
  assert.deepEqual(found({ iat: second - 300 }), ['the token is too old'])
  assert.deepEqual(found({ iat: second + 301 }), ['the token was issued in the future'])
  for (const events of [undefined, {}, [], { 'http://schemas.openid.net/event/backchannel-logout': true }]) {
    const { events: _, ...claims } = logout
    const all = events === undefined ? claims : { ...claims, events }
    assert.deepEqual(wrong('logoutToken', all as JsonObject, null), [
      'the token has no claim events with the event of a logout',
    ])
  }
  const { sid: _, ...anonymous } = logout
  assert.deepEqual(wrong('logoutToken', anonymous, null), ['the token has no claim sid or sub'])
})

test('a response about an access token may omit what it does not know; null is missing', () => {
  const info = (claims: JsonObject, rules: Rules = {}) => wrongResponse('introspection', claims, rules)
  assert.deepEqual(info({ exp: null, nbf: null, typ: null, token_use: null, tokenName: null }), [])
  assert.deepEqual(info({ typ: 'Bearer', token_type: 'Bearer', nonce: 'n' }), [])
  assert.deepEqual(info({ token_type: 'access_token' }), [])
  for (const name of ['at_hash', 'c_hash', 'events'])
    assert.deepEqual(info({ [name]: 'n' }), [
      'other-use: the token is not an access token: it has a claim of another kind of token',
    ])
  for (const claims of [{ typ: 'Refresh' }, { typ: 'ID' }, { token_use: 'id' }, { token_type: 'refresh_token' }])
    assert.deepEqual(info(claims), ['other-use: the token is not an access token'], JSON.stringify(claims))
  assert.deepEqual(info({ nbf: second + 10 }), [])
  assert.deepEqual(info({ nbf: second + 11 }), ['not-yet-valid: the access token is not valid yet'])
  assert.deepEqual(info({ nbf: 'soon' }), ['malformed: the claim nbf is not a number of seconds since the epoch'])
  assert.deepEqual(info({ exp: second }), ['expired: the access token has expired'])
  assert.deepEqual(info({ exp: -1 }), ['expired: the access token has expired'])
  assert.deepEqual(info({ exp: 2 ** 53, iat: second + 3_600 }), [])
  assert.deepEqual(info({}, { issuer: 'https://a' }), ['other-issuer: the access token has another issuer'])
  assert.deepEqual(info({}, { audience: ['api'] }), ['other-audience: the access token is for another audience'])
})

test('user info has the user of the ID token; issuer and audience are optional', () => {
  const info = (claims: JsonObject) =>
    wrong('userInfo', claims, null, { issuer: 'https://a', audience: ['app'], subject: 'demo' })
  assert.deepEqual(info({ sub: 'demo' }), [])
  assert.deepEqual(info({ sub: 'demo', iss: 'https://a', aud: ['app'] }), [])
  assert.deepEqual(info({ sub: 'demo', iss: 'https://b' }), ['the user info has another issuer'])
  assert.deepEqual(info({ sub: 'demo', aud: 'other' }), ['the user info is for another audience'])
  assert.deepEqual(info({ sub: 'other' }), ['the user info is about another user'])
  assert.deepEqual(info({ sub: 'demo', typ: 'ID' }), ['the token is of another use'])
})

test('a token of an agent may have expired where only its session counts', () => {
  const found = (rules: Rules) => wrong('agentToken', { aud: 'agent', exp: second - 5 }, null, rules)
  assert.deepEqual(found({ audience: ['agent'] }), ['the token has expired'])
  assert.deepEqual(found({ audience: ['agent'], mayHaveExpired: true }), [])
})
