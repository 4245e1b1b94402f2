import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { KeyManager as KeyManagerObject } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { Authority, opensslMissing } from '#test/certificates'
import { KeyStore } from '../key-store/key-store.ts'
import { KeyManager } from './key-manager.ts'

const options = { skip: opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

/** A keystore with a key, created by openssl. */
function keystoreFile(): string {
  const { keyFile, certificateFile } = authority!.issue({ name: 'server' })
  const out = join(authority!.directory, 'server.p12')
  const input = ['-inkey', keyFile, '-in', certificateFile, '-certfile', authority!.certificateFile, '-name', 'server']
  assert.equal(spawnSync('openssl', ['pkcs12', '-export', ...input, '-passout', 'pass:word', '-out', out]).status, 0)
  return out
}

/** A keystore with a certificate alone. */
function certificateFile(): string {
  const out = join(authority!.directory, 'trust.p12')
  const args = ['pkcs12', '-export', '-nokeys', '-in', authority!.certificateFile, '-passout', 'pass:word', '-out', out]
  assert.equal(spawnSync('openssl', args).status, 0)
  return out
}

const manager = (config: JsonValue, url: string) =>
  build<KeyManagerObject>(KeyManager, config, {
    types: [KeyStore],
    heap: [{ name: 'keys', type: 'KeyStore', config: { url, password: 'word' } }],
  })

test('returns the keys of the keystore with their chains', options, async () => {
  await using built = await manager({ keystore: 'keys' }, keystoreFile())
  const identities = await built.object.identities()
  assert.deepEqual(
    identities.map(({ chain }) => chain.map(({ subject }) => subject)),
    [['CN=server', 'CN=Test Authority']],
  )
  assert.equal(identities[0]?.key.type, 'private')
})

test('opens keys with a separate password', options, async () => {
  const file = keystoreFile()
  await using built = await manager({ keystore: 'keys', password: 'word', alg: 'SunX509' }, file)
  assert.equal((await built.object.identities()).length, 1)
  assert.doesNotMatch(built.warnings.join(), /alg/)
  await using wrong = await manager({ keystore: 'keys', password: 'other', alg: 'Luna' }, file)
  await assert.rejects(wrong.object.identities())
  assert.match(wrong.warnings.join(), /alg: "Luna" has a meaning only in a JVM/)
})

test('a keystore without a key is an error', options, async () => {
  await using built = await manager({ keystore: 'keys' }, certificateFile())
  await assert.rejects(built.object.identities(), {
    message: 'keystore: expected at least one private key with its certificate, found none',
  })
})

test('a keystore is required', async () => {
  await assert.rejects(build(KeyManager, {}), /\/heap\/0\/config\/keystore: .*required/)
})
