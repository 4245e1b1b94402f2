import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testIdentity } from '#test/test-identity'
import { certificatePurposes } from './key-usage.ts'

const purposes = (keyUsage?: number) =>
  certificatePurposes(testIdentity('x', keyUsage === undefined ? {} : { keyUsage }).certificate)

test('a certificate without key usage allows every purpose', () => {
  assert.equal(purposes(), null)
  assert.equal(certificatePurposes(testIdentity('x', { authority: true }).certificate), null)
})

const usages: readonly [string, number, readonly string[]][] = [
  ['digitalSignature', 0x80, ['SIGN', 'VERIFY']],
  ['contentCommitment', 0x40, ['SIGN', 'VERIFY']],
  ['keyEncipherment', 0x20, ['ENCRYPT', 'DECRYPT']],
  ['dataEncipherment', 0x10, ['ENCRYPT', 'DECRYPT']],
  ['keyAgreement', 0x08, ['ENCRYPT', 'DECRYPT']],
  ['keyCertSign', 0x04, ['VERIFY']],
  ['cRLSign', 0x02, ['VERIFY']],
  ['encipherOnly', 0x01, []],
  ['digitalSignature and keyEncipherment', 0xa0, ['SIGN', 'VERIFY', 'ENCRYPT', 'DECRYPT']],
]

for (const [name, bits, expected] of usages) {
  test(`${name} allows ${expected.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(purposes(bits), expected)
  })
}

test('the key usage is found among other extensions', () => {
  const { certificate } = testIdentity('x', { authority: true, keyUsage: 0x06 })
  assert.deepEqual(certificatePurposes(certificate), ['VERIFY'])
})
