import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caseFolded, equalsInAnyCase, lowerLetter, upperLetter } from './letter-case.ts'

// As String.equalsIgnoreCase of Java 17.
const PAIRS: readonly (readonly [string, string, boolean])[] = [
  ['admin', 'ADMİN', true],
  ['admin', 'admi̇n', false],
  ['ADMİN', 'admi̇n', false],
  ['admın', 'ADMIN', true],
  ['token', 'to\u212aen', true],
  ['Straße', 'STRASSE', false],
  ['straße', 'STRAẞE', true],
  ['ß', 'ss', false],
  ['σς', 'ΣΣ', true],
  ['ΟΔΟΣ', 'οδος', true],
  ['ᾳ', 'ᾼ', true],
  ['ŉ', 'ʼN', false],
  ['ﬁ', 'FI', false],
  ['𐐀', '𐐨', true],
  ['abc', 'abcd', false],
  ['', '', true],
]

for (const [one, other, areEqual] of PAIRS) {
  test(`${JSON.stringify(one)} and ${JSON.stringify(other)} are ${areEqual ? '' : 'not '}equal in any case`, () => {
    assert.equal(equalsInAnyCase(one, other), areEqual)
    assert.equal(equalsInAnyCase(other, one), areEqual)
  })
}

test('every letter becomes one letter of the same length', () => {
  for (let code = 0; code <= 0x1ffff; code += 1) {
    const letter = String.fromCodePoint(code)
    for (const changed of [upperLetter(letter), lowerLetter(letter), caseFolded(letter)]) {
      assert.equal(changed.length, letter.length, code.toString(16))
    }
  }
})
