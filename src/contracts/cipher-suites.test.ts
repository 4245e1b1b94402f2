import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { opensslMissing } from '#test/certificates'
import { cipherSuite, registeredName } from './cipher-suites.ts'

test('registered names are those that openssl prints for its own', { skip: opensslMissing }, () => {
  const { stdout } = spawnSync('openssl', ['ciphers', '-stdname', 'ALL:COMPLEMENTOFALL'], { encoding: 'utf8' })
  const pairs = [...stdout.matchAll(/^(TLS_\S+)\s+- (\S+)/gm)].map(([, registered, openssl]) => [registered, openssl])
  const known = pairs.filter(([, openssl]) => 'suite' in cipherSuite(openssl as string))
  assert.ok(known.length > 20)
  for (const [registered, openssl] of known) assert.equal(registeredName(openssl as string), registered)
})

test('OpenSSL, registered and old Java names are accepted in any case', () => {
  for (const name of [
    'TLS_RSA_WITH_AES_128_CBC_SHA',
    'SSL_RSA_WITH_AES_128_CBC_SHA',
    'tls_rsa_with_aes_128_cbc_sha',
    'AES128-SHA',
  ]) {
    assert.deepEqual(cipherSuite(name), { suite: 'AES128-SHA' })
  }
})

test('suites with pre-shared keys and unknown ones are rejected', () => {
  for (const name of ['PSK-AES128-CBC-SHA', 'SRP-RSA-AES-128-CBC-SHA', 'HIGH', 'ALL:!aNULL', '']) {
    assert.ok('problem' in cipherSuite(name), name)
  }
})
