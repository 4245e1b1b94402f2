import assert from 'node:assert/strict'
import { test } from 'node:test'
import { equalsConstantTime } from './constant-time.ts'
import { isToken } from './token.ts'

test('a token has every character of RFC 9110 section 5.6.2 and no other', () => {
  const allowed = new Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
  for (let code = 0; code < 0x180; code++) {
    const character = String.fromCharCode(code)
    assert.equal(isToken(character), allowed.has(character), `character ${code}`)
    assert.equal(isToken(`a${character}`), allowed.has(character), `a and character ${code}`)
  }
  assert.equal(isToken(''), false)
})

test('the length of a token can be limited', () => {
  assert.deepEqual([isToken('abcd', 4), isToken('abcde', 4)], [true, false])
})

test('B53: secrets of any length are compared in constant time', () => {
  assert.equal(equalsConstantTime('secret', 'secret'), true)
  for (const other of ['', 'secre', 'secret ', 'Secret', 'sécret'])
    assert.equal(equalsConstantTime('secret', other), false)
})
