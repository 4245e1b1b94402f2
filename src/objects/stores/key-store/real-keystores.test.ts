// Keystores written by keytool and openssl.
import assert from 'node:assert/strict'
import { createPrivateKey, sign, verify } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { providerOf, type SecretStore, type SecretsProvider } from '#contracts'
import type { JsonObject, JsonValue } from '#json'
import { build } from '#test/build'
import { opensslMissing } from '#test/certificates'
import { Folder } from '#test/folder'
import { keytool, keytoolMissing, openssl } from '#test/keystore-tools'
import { PlainPropertyFormat } from '../../formats/plain/plain-property-format.ts'
import { ScheduledExecutorService } from '../../services/scheduled-executor/scheduled-executor-service.ts'
import { FileSystemSecretStore } from '../file-system/file-system-secret-store.ts'
import { KeyStoreSecretStore } from './key-store-secret-store.ts'

const PASSWORD = 'correct-horse'

/** Opens a keystore with its password in a file of the same folder. */
const open = (folder: Folder, config: JsonObject) => {
  folder.write('keystore.pass', PASSWORD)
  const passwords: JsonValue = { type: 'FileSystemSecretStore', config: { directory: folder.path, format: 'PLAIN' } }
  return build<SecretStore>(
    KeyStoreSecretStore,
    { storePasswordSecretId: 'keystore.pass', secretsProvider: passwords, ...config },
    {
      types: [FileSystemSecretStore, PlainPropertyFormat, ScheduledExecutorService],
      heap: [
        { name: 'PLAIN', type: 'PlainPropertyFormat' },
        { name: 'BASE64', type: 'PlainPropertyFormat' },
        { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
      ],
    },
  )
}

async function signsAndVerifies(provider: SecretsProvider, secretId: string): Promise<void> {
  const secret = await provider.active({ secretId, purpose: 'SIGN' })
  const signature = sign('sha256', Buffer.from('x'), secret.privateOrSecretKey!)
  assert.ok(verify('sha256', Buffer.from('x'), secret.publicOrSecretKey!, signature))
}

describe('keytool', { skip: keytoolMissing }, () => {
  const folder = new Folder()
  after(() => folder[Symbol.dispose]())
  const stores = [
    ['PKCS12', 'keys.p12'],
    ['JCEKS', 'keys.jceks'],
  ] as const

  before(async () => {
    for (const [type, file] of stores) {
      const common = `-keystore ${file} -storetype ${type} -storepass ${PASSWORD} -keypass ${PASSWORD}`
      await keytool(
        folder.path,
        `-genkeypair -alias Signing -keyalg RSA -keysize 2048 -dname CN=app -validity 30 ${common}`,
      )
      await keytool(folder.path, `-genseckey -alias hmac -keyalg HmacSHA256 -keysize 256 ${common}`)
      await keytool(folder.path, `-importpass -alias api.key ${common}`, 'my api key\nmy api key\n')
    }
  })

  for (const [storeType, file] of stores) {
    test(`${storeType}: a key pair, a symmetric key and a password`, async () => {
      await using built = await open(folder, {
        file: folder.in(file),
        storeType,
        mappings: [
          { secretId: 'jwt.signing', aliases: ['Signing'] },
          { secretId: 'jwt.hmac', aliases: ['hmac'] },
          { secretId: 'backend.key', aliasesMatching: ['api\\..*'] },
        ],
      })
      const provider = providerOf([built.object])
      await signsAndVerifies(provider, 'jwt.signing')
      const named = { secretId: 'jwt.signing', purpose: 'VERIFY', stableId: 'Signing' } as const
      assert.equal((await provider.named(named))?.stableId, 'Signing')
      const hmac = await provider.active({ secretId: 'jwt.hmac', purpose: 'SIGN' })
      assert.equal(hmac.privateOrSecretKey?.symmetricKeySize, 32)
      const password = await provider.active({ secretId: 'backend.key', purpose: 'GENERIC' })
      assert.equal(password.revealText(), 'my api key')
      assert.equal(password.kind, 'generic')
      assert.doesNotMatch(built.log.lines.join(''), /my api key|correct-horse/)
    })
  }
})

describe('openssl', { skip: opensslMissing }, () => {
  test('a key with its certificate, opened with the password in a file', async () => {
    using folder = new Folder()
    await openssl(folder.path, 'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 30 -subj /CN=app')
    await openssl(
      folder.path,
      `pkcs12 -export -name my-app -inkey key.pem -in cert.pem -out keys.p12 -passout pass:${PASSWORD}`,
    )
    const mappings = [{ secretId: 'tls.key', aliases: ['my-app'] }]
    await using built = await open(folder, { file: folder.in('keys.p12'), mappings })
    const provider = providerOf([built.object])
    await signsAndVerifies(provider, 'tls.key')
    const { privateOrSecretKey } = await provider.active({ secretId: 'tls.key', purpose: 'SIGN' })
    assert.ok(privateOrSecretKey?.equals(createPrivateKey(folder.read('key.pem'))))
  })

  test('the load error names a password file that ends with a line break', async () => {
    using folder = new Folder()
    await openssl(folder.path, 'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 30 -subj /CN=app')
    await openssl(
      folder.path,
      `pkcs12 -export -name my-app -inkey key.pem -in cert.pem -out keys.p12 -passout pass:${PASSWORD}`,
    )
    folder.write('other.pass', `${PASSWORD}\n`)
    const mappings = [{ secretId: 'tls.key', aliases: ['my-app'] }]
    const config = { file: folder.in('keys.p12'), mappings, storePasswordSecretId: 'other.pass' }
    await assert.rejects(open(folder, config), (error: Error) => {
      assert.match(
        error.message,
        /storePasswordSecretId: .*the secret id "other.pass" in the file ".*other.pass": expected only the password, but it ends in a line break/,
      )
      assert.doesNotMatch(error.message, /correct-horse/)
      return true
    })
  })
})
