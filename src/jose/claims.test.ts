import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isForAudience, readClaims, scopesOf, timeViolations } from '#jose'

const NOW = 1_700_000_000_000
const second = NOW / 1000

function wrong(text: string, skew = 0, required: readonly ('exp' | 'nbf' | 'iat')[] = []): readonly string[] {
  return timeViolations(readClaims(Buffer.from(text)), { now: NOW, skew, required })
}

test('B46: a token is valid before exp and from nbf on; iat may be a minute in the future', () => {
  assert.deepEqual(wrong(`{"exp":${second + 1},"nbf":${second},"iat":${second}}`), [])
  assert.deepEqual(wrong(`{"exp":${second}}`), ['the token has expired'])
  assert.deepEqual(wrong(`{"nbf":${second + 1}}`), ['the token is not valid yet'])
  assert.deepEqual(wrong(`{"iat":${second + 60}}`), [])
  assert.deepEqual(wrong(`{"iat":${second + 61}}`), ['the token was issued in the future'])
})

test('B46: the skew shifts the limits by exactly its length', () => {
  assert.deepEqual(wrong(`{"exp":${second - 4},"nbf":${second + 5},"iat":${second + 5}}`, 5_000), [])
  assert.deepEqual(wrong(`{"exp":${second - 5}}`, 5_000), ['the token has expired'])
  assert.deepEqual(wrong(`{"nbf":${second + 6}}`, 5_000), ['the token is not valid yet'])
  assert.deepEqual(wrong(`{"iat":${second + 90}}`, 90_000), [])
  assert.deepEqual(wrong(`{"iat":${second + 91}}`, 90_000), ['the token was issued in the future'])
})

test('B46: times are numbers of seconds: text, negative, infinite and other values are rejected', () => {
  for (const value of ['"1800000000"', '-1', '1e400', '-1e400', '1e30', 'null', 'true', '[1800000000]', '{}', '""']) {
    assert.deepEqual(wrong(`{"exp":${value}}`), ['the claim exp is not a number of seconds since the epoch'], value)
    assert.equal(wrong(`{"nbf":${value}}`).length, 1, value)
    assert.equal(wrong(`{"iat":${value}}`).length, 1, value)
  }
  assert.deepEqual(wrong(`{"exp":${second}.5}`), [])
})

test('required times must be present', () => {
  assert.deepEqual(wrong('{}'), [])
  assert.deepEqual(wrong('{}', 0, ['exp', 'iat']), ['the token has no claim exp', 'the token has no claim iat'])
})

test('B45: an audience must match exactly', () => {
  assert.ok(isForAudience({ aud: 'app' }, 'app'))
  assert.ok(isForAudience({ aud: ['other', 'app'] }, 'app'))
  for (const aud of ['App', 'app ', 'apps', 'ap', '', null, 7, [], [['app']], { app: true }]) {
    assert.ok(!isForAudience({ aud } as never, 'app'), JSON.stringify(aud))
  }
  assert.ok(!isForAudience({}, 'app'))
})

test('scopes are a list or text separated by spaces', () => {
  assert.deepEqual([...scopesOf({ scope: ['openid', 'mail'] })], ['openid', 'mail'])
  assert.deepEqual([...scopesOf({ scope: 'openid  mail ' })], ['openid', 'mail'])
  assert.deepEqual([...scopesOf({})], [])
  assert.deepEqual([...scopesOf({ scope: null })], [])
  assert.throws(() => scopesOf({ scope: 7 }), /neither text nor a list/)
  assert.throws(() => scopesOf({ scope: ['a', 7] }), /neither text nor a list/)
})
