import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { altName, selfSigned, writePkcs12 } from '@identity-gateway/jvm-keystores'
import { KeyStoreKind, type KeyStore as KeyStoreObject, type TrustManager as TrustManagerObject } from '#contracts'
import { defineType } from '#schema'
import { build } from '#test/build'
import { KeyStore } from '../key-store/key-store.ts'
import { TrustManager } from './trust-manager.ts'

const folder = mkdtempSync(join(tmpdir(), 'gateway-trust-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const dates = { notBefore: new Date(), notAfter: new Date(Date.now() + 86_400_000) }
const certificate = selfSigned({ ...pair, commonName: 'peer', altNames: [altName('peer')], ...dates })

const Fixed = defineType({
  name: 'FixedKeyStore',
  kind: KeyStoreKind,
  summary: 'A keystore of a test.',
  config: {},
  create: (): KeyStoreObject => ({
    items: async () => [
      { alias: 'own', key: pair.privateKey, certificates: [certificate] },
      { alias: 'peer', key: null, certificates: [certificate] },
    ],
    problem: null,
    onChange: () => () => {},
  }),
})

test('trusts the trusted certificates of the keystore, not those of its keys', async () => {
  const surroundings = { types: [Fixed], heap: [{ name: 'store', type: 'FixedKeyStore' }] }
  await using built = await build<TrustManagerObject>(TrustManager, { keystore: 'store', alg: 'PKIX' }, surroundings)
  const authorities = await built.object.authorities()
  assert.equal(Array.isArray(authorities) && authorities.length, 1)
  assert.deepEqual(built.warnings, [])
  await using odd = await build(TrustManager, { keystore: 'store', alg: 'Odd' }, surroundings)
  assert.match(odd.warnings.join(), /alg: "Odd" has a meaning only in a JVM/)
})

test('a keystore without a trusted certificate trusts no authority', async () => {
  const file = join(folder, 'keys.p12')
  writeFileSync(file, writePkcs12({ alias: 'own', key: pair.privateKey, chain: [certificate] }, 'word'))
  const heap = [{ name: 'store', type: 'KeyStore', config: { url: file, password: 'word' } }]
  await using built = await build<TrustManagerObject>(TrustManager, { keystore: 'store' }, { types: [KeyStore], heap })
  await assert.rejects(built.object.authorities(), {
    message: 'keystore: expected at least one trusted certificate, found none',
  })
})
