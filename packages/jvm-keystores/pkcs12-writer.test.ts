import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, type X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { opensslMissing } from '../../test/support/certificates.ts'
import { readKeyStore } from './keystore.ts'
import { writePkcs12 } from './pkcs12-writer.ts'
import { altName, selfSigned } from './self-signed.ts'

const pairs = {
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ec: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ed25519: () => generateKeyPairSync('ed25519'),
}

/** A certificate as openssl prints it. */
function textOf(certificate: X509Certificate): string {
  return spawnSync('openssl', ['x509', '-noout', '-text'], { input: certificate.toString(), encoding: 'utf8' }).stdout
}

for (const [type, make] of Object.entries(pairs)) {
  test(`a written keystore with an ${type} key is read back, also by openssl`, () => {
    const { privateKey, publicKey } = make()
    const day = 86_400_000
    const certificate = selfSigned({
      privateKey,
      publicKey,
      commonName: 'localhost',
      altNames: ['localhost', '127.0.0.1', '::1', '2001:db8::5'].map(altName),
      notBefore: new Date(Date.now() - day),
      notAfter: new Date(Date.now() + day),
    })
    assert.equal(certificate.verify(certificate.publicKey), true)
    assert.equal(
      certificate.subjectAltName,
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:0:0:5',
    )
    assert.match(
      textOf(certificate),
      /Subject Key Identifier: *\n *([0-9A-F:]{59})\n[\s\S]*Authority Key Identifier: *\n *(?:keyid:)?\1\n/,
    )
    const bytes = writePkcs12({ alias: 'my key', key: privateKey, chain: [certificate] }, 'pässword')
    const [entry] = readKeyStore(bytes, 'PKCS12', 'pässword').entries
    assert.ok(entry?.kind === 'key')
    assert.equal(entry.alias, 'my key')
    assert.ok(entry.privateKey(null).equals(privateKey))
    assert.equal(entry.chain[0]?.fingerprint256, certificate.fingerprint256)
    assert.throws(() => readKeyStore(bytes, 'PKCS12', 'wrong'), { code: 'GW_KEYSTORE_PASSWORD' })
    if (opensslMissing !== false) return
    const args = ['pkcs12', '-nodes', '-passin', 'pass:pässword']
    const { stdout, stderr } = spawnSync('openssl', args, { input: bytes, encoding: 'utf8' })
    assert.match(stdout, /friendlyName: my key[\s\S]*BEGIN CERTIFICATE[\s\S]*BEGIN PRIVATE KEY/, stderr)
  })
}
