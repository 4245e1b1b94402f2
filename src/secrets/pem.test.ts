import assert from 'node:assert/strict'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { threadTime } from '#test/loop-watch'
import { testIdentity } from '#test/test-identity'
import { jwkThumbprint } from './jwk.ts'
import { decodePem } from './pem.ts'

const root = testIdentity('root', { authority: true, keyUsage: 0x06 })
const leaf = testIdentity('leaf', { issuer: root, keyUsage: 0x80 })
const other = testIdentity('other')

const pkcs8 = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }) as string
const sec1 = (key: KeyObject) => key.export({ format: 'pem', type: 'sec1' }) as string
const spki = (key: KeyObject) => createPublicKey(key).export({ format: 'pem', type: 'spki' }) as string
const decode = (text: string, passphrase?: string) =>
  decodePem(Buffer.from(text), passphrase === undefined ? null : Buffer.from(passphrase))

test('a private key without certificate, in PKCS #8 and traditional form', () => {
  for (const text of [pkcs8(leaf.key), sec1(leaf.key), `# my key\n${pkcs8(leaf.key)}\n`]) {
    const [secret, ...more] = decode(text)
    assert.equal(secret?.key?.type, 'private')
    assert.equal(secret?.stableId, jwkThumbprint(leaf.key))
    assert.equal(more.length, 0)
  }
})

test('a key with its chain in any order, limited to the key usage of its certificate', () => {
  for (const text of [
    pkcs8(leaf.key) + leaf.certificate + root.certificate,
    `${root.certificate}${leaf.certificate}${pkcs8(leaf.key)}`,
  ]) {
    const [secret] = decode(text)
    assert.deepEqual(
      secret?.certificates?.map(({ subject }) => subject),
      ['CN=leaf', 'CN=root'],
    )
    assert.deepEqual(secret?.purposes, ['SIGN', 'VERIFY'])
  }
})

test('a public key', () => {
  assert.equal(decode(spki(leaf.key))[0]?.key?.type, 'public')
})

test('certificates that form a chain are one secret; others are one secret each', () => {
  const subjects = (text: string) =>
    decode(text).map(({ certificates }) => certificates?.map(({ subject }) => subject).join(' < '))
  assert.deepEqual(subjects(`${leaf.certificate}${root.certificate}`), ['CN=leaf < CN=root'])
  assert.deepEqual(subjects(`${root.certificate}${other.certificate}`), ['CN=root', 'CN=other'])
  assert.deepEqual(subjects(`${root.certificate}`), ['CN=root'])
})

const encrypted = leaf.key.export({
  format: 'pem',
  type: 'pkcs8',
  cipher: 'aes-256-cbc',
  passphrase: 'hunter2',
}) as string

test('an encrypted key is decrypted with its password', () => {
  assert.equal(decode(encrypted, 'hunter2')[0]?.key?.type, 'private')
  assert.equal(decode(pkcs8(leaf.key), 'hunter2')[0]?.key?.type, 'private')
})

const broken: readonly [string, string, string | undefined, RegExp][] = [
  ['nothing', '', undefined, /expected PEM: a block from -----BEGIN to -----END/],
  ['a key that was cut', pkcs8(leaf.key).slice(0, -30), undefined, /expected PEM/],
  [
    'a key that is damaged',
    pkcs8(leaf.key).replace(/M/g, 'N'),
    undefined,
    /expected a private key in PEM, but it can not be read/,
  ],
  ['two keys', pkcs8(leaf.key) + pkcs8(other.key), undefined, /expected one private key in PEM, got 2/],
  [
    'a key with the certificate of another',
    `${pkcs8(leaf.key)}${other.certificate}`,
    undefined,
    /none of the certificates belongs/,
  ],
  ['an encrypted key without a password', encrypted, undefined, /encrypted; name its password with decryptionSecretId/],
  ['an encrypted key with another password', encrypted, 'hunter3', /the password is wrong, or the key is damaged/],
  [
    'something else',
    '-----BEGIN DH PARAMETERS-----\nAA==\n-----END DH PARAMETERS-----',
    undefined,
    /got dh parameters/,
  ],
  [
    'a damaged certificate',
    '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----',
    undefined,
    /number 1 can not be read/,
  ],
]

for (const [what, text, passphrase, message] of broken) {
  test(`rejects ${what}, without its content in the error`, () => {
    assert.throws(
      () => decode(text, passphrase),
      (error: Error) => {
        assert.match(error.message, message)
        assert.doesNotMatch(error.stack ?? '', /hunter|MIG/)
        return true
      },
    )
  })
}

test('B42: an encrypted key with too many iterations is rejected before the work', () => {
  const hostile = encrypted.replace(/-----BEGIN[^-]+-----|-----END[^-]+-----|\s/g, '')
  const der = Buffer.from(hostile, 'base64')
  // The iteration count of PBKDF2 is the INTEGER after the OCTET STRING with 16 bytes of salt.
  const count = der.indexOf(Buffer.from([0x02, 0x02, 0x08, 0x00]))
  assert.ok(count > 0, 'openssl writes 2048 iterations')
  const grown = Buffer.concat([
    der.subarray(0, count),
    Buffer.from([0x02, 0x04, 0x7f, 0xff, 0xff, 0xff]),
    der.subarray(count + 4),
  ])
  // Every SEQUENCE around the count is two bytes longer now.
  for (let at = 0; at < count; at++) {
    const [tag, first, second] = [grown[at], grown[at + 1], grown[at + 2]] as [number, number, number]
    if (tag !== 0x30) continue
    if (first === 0x81 && at + 3 + second >= count) grown[at + 2] = second + 2
    else if (first < 0x80 && at + 2 + first >= count) grown[at + 1] = first + 2
  }
  const start = threadTime()
  const pem = `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${grown.toString('base64')}\n-----END ENCRYPTED PRIVATE KEY-----`
  assert.throws(() => decode(pem, 'hunter2'), /can not be decrypted: .*(?:iteration|work)/)
  assert.ok(threadTime() - start < 500)
})
