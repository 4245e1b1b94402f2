import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Der } from './der.ts'
import { openTripleDes } from './java-key-protection.ts'
import { Budget } from './limits.ts'

test('a salt of two equal halves is reversed as in Java', () => {
  // Made by PBEWithMD5AndTripleDES of JDK 17 with salt 0102030401020304 and 20 iterations; random salts are hardly ever such.
  const ciphertext = Buffer.from('fbed8a9695d473098d070bc45085c2fa', 'hex')
  const parameters = Der.read(Buffer.from('300d04080102030401020304020114', 'hex'), new Budget())
  assert.equal(openTripleDes(ciphertext, parameters, 'changeit', new Budget()).toString(), 'hello keystore')
})
