import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Der } from './der.ts'
import { openJavaKey, openTripleDes } from './java-key-protection.ts'
import { Budget } from './limits.ts'

test('a salt of two equal halves is reversed as in Java', () => {
  // Made by PBEWithMD5AndTripleDES of JDK 17 with salt 0102030401020304 and 20 iterations; random salts are hardly ever such.
  const ciphertext = Buffer.from('fbed8a9695d473098d070bc45085c2fa', 'hex')
  const parameters = Der.read(Buffer.from('300d04080102030401020304020114', 'hex'), new Budget())
  assert.equal(openTripleDes(ciphertext, parameters, 'changeit', new Budget()).toString(), 'hello keystore')
})

test('a wrong password is reported as such, also where its padding is valid by chance', () => {
  const hex = (tag: string, content: string) => tag + (content.length / 2).toString(16).padStart(2, '0') + content
  const oid = hex('06', '2b060104012a021301')
  const algorithm = hex('30', oid + hex('30', `${hex('04', '0102030405060708')}020101`))
  const key = Buffer.from(hex('30', algorithm + hex('04', '5a'.repeat(64))), 'hex')
  // One of 256 gives valid padding.
  for (let n = 0; n < 2_000; n++) assert.throws(() => openJavaKey(key, `wrong ${n}`), { code: 'GW_KEYSTORE_PASSWORD' })
})
