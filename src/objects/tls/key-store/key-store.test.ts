import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { altName, selfSigned, writePkcs12 } from '@identity-gateway/jvm-keystores'
import type { KeyStore as KeyStoreObject } from '#contracts'
import type { JsonValue } from '#json'
import { createLogger, memoryLog } from '#logging'
import { build } from '#test/build'
import { Changing } from '#test/certificates'
import { type PemSecrets, pemStoreType } from '#test/pem-secrets'
import { KeyStore } from './key-store.ts'
import { OpenKeyStore } from './open-key-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'gateway-keystore-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'keystore.p12')

function keystore(name: string): Buffer {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const dates = { notBefore: new Date(), notAfter: new Date(Date.now() + 86_400_000) }
  const certificate = selfSigned({ ...pair, commonName: name, altNames: [altName(name)], ...dates })
  return writePkcs12({ alias: name, key: pair.privateKey, chain: [certificate] }, 'word')
}

writeFileSync(file, keystore('first'))

const store = (config: JsonValue) =>
  build<KeyStoreObject>(KeyStore, config, {
    types: [pemStoreType(new Changing<PemSecrets>({ 'store.pass': 'word' }))],
    heap: [{ name: 'store', type: 'PemStore' }],
  })

const aliases = async (object: KeyStoreObject) => (await object.items(null)).map(({ alias }) => alias)

test('reads a keystore by path or file URL, with a password from a secret or in the configuration', async () => {
  for (const url of [file, pathToFileURL(file).href]) {
    await using secret = await store({ url, passwordSecretId: 'store.pass', secretsProvider: 'store' })
    assert.deepEqual(await aliases(secret.object), ['first'])
    assert.deepEqual(secret.warnings, [])
    await using open = await store({ url, password: 'word', type: 'pkcs12' })
    assert.deepEqual(await aliases(open.object), ['first'])
    assert.match(open.warnings.join(), /password is deprecated.*use passwordSecretId/)
  }
})

test('an unreadable keystore is a load error with the file name and without a password', async () => {
  await assert.rejects(store({ url: file, password: 'guessed' }), (error: Error) => {
    assert.match(error.message, /keystore\.p12: keystore:/)
    assert.ok(!error.message.includes('guessed'))
    return true
  })
  await assert.rejects(store({ url: join(folder, 'gone.p12'), password: 'x' }), /gone\.p12: ENOENT/)
  await assert.rejects(store({ url: '/dev/zero', password: 'x' }), /\/dev\/zero: expected a regular file/)
  await assert.rejects(
    store({ url: 'https://example.com/keystore.p12' }),
    /\/heap\/0\/config\/url: expected a file URL or a path of this machine, got "https:/,
  )
  await assert.rejects(store({ url: file, type: 'BKS' }), /\/config\/type: expected/)
  await assert.rejects(
    store({ url: file, password: 'a', passwordSecretId: 'b' }),
    /\/heap\/0\/config: give at most one of password, passwordSecretId/,
  )
})

test('a changed file is read again; an invalid or deleted one leaves the last good content in use (B51)', async () => {
  await using built = await store({ url: file, password: 'word' })
  const object = built.object as OpenKeyStore
  assert.ok(object instanceof OpenKeyStore)
  let changes = 0
  object.onChange(() => {
    changes++
  })
  await object.check()
  assert.equal(changes, 0)
  writeFileSync(file, keystore('second'))
  await object.check()
  assert.deepEqual([await aliases(object), changes], [['second'], 1])
  truncateSync(file, 100)
  await object.check()
  rmSync(file)
  await object.check()
  assert.deepEqual([await aliases(object), changes], [['second'], 1])
  assert.match(built.log.lines.join(), /can not be read; its last good content stays in use/)
  writeFileSync(file, keystore('third'))
  await object.check()
  assert.deepEqual([await aliases(object), changes], [['third'], 2])
})

test('a file that could not be read is read again later, since its password may have changed, and logged once', async () => {
  const log = memoryLog()
  let password = 'word'
  const path = join(folder, 'renewed.p12')
  writeFileSync(path, keystore('old'))
  const logger = createLogger({ format: 'json', destination: log })
  const object = new OpenKeyStore({ path, type: 'PKCS12', password: async () => Buffer.from(password), logger })
  await object.open()
  password = 'old word'
  writeFileSync(path, keystore('new'))
  for (let checks = 0; checks < 40; checks++) await object.check()
  assert.deepEqual([await aliases(object), object.problem instanceof Error, log.lines.length], [['old'], true, 1])
  password = 'word'
  for (let checks = 0; checks < 40; checks++) await object.check()
  assert.deepEqual([await aliases(object), object.problem], [['new'], null])
})
