// The tables and rules of the spec under 'KeyStoreSecretStore', row by row.
import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { providerOf, type SecretStore } from '#contracts'
import type { JsonObject, JsonValue } from '#json'
import { build, type ManualClock, manualClock } from '#test/build'
import { Folder } from '#test/folder'
import { sampleJceks, sampleJks, samplePassword, samplePkcs12 } from '#test/keystore-samples'
import { bag, certificateBag, identity, pkcs12 } from '#test/keystore-writer'
import { keyStoreWith } from '#test/test-identity'
import { ScheduledExecutorService } from '../../src/objects/services/scheduled-executor/scheduled-executor-service.ts'
import { Base64EncodedSecretStore } from '../../src/objects/stores/base64-encoded/base64-encoded-secret-store.ts'
import { KeyStoreSecretStore } from '../../src/objects/stores/key-store/key-store-secret-store.ts'

const secrets = { 'store.password': btoa(samplePassword), 'other.password': btoa('something else') }
const heap: readonly JsonValue[] = [
  { name: 'passwords', type: 'Base64EncodedSecretStore', config: { secrets } },
  { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
]

/** A folder with a keystore file in it. */
function folderWith(content: Buffer = samplePkcs12()): Folder {
  const folder = new Folder()
  writeFileSync(folder.in('keys.p12'), content)
  return folder
}

/** Builds the store; fields that are null are omitted. */
const open = (folder: Folder, config: JsonObject = {}, clock: ManualClock = manualClock()) =>
  build<SecretStore>(
    KeyStoreSecretStore,
    {
      file: folder.in('keys.p12'),
      storePasswordSecretId: 'store.password',
      secretsProvider: 'passwords',
      mappings: [{ secretId: 'my.key', aliases: ['mine'] }],
      ...config,
    },
    { clock, types: [Base64EncodedSecretStore, ScheduledExecutorService], heap },
  )

const activeOf = async (store: SecretStore, secretId = 'my.key') =>
  (await providerOf([store]).active({ secretId, purpose: 'VERIFY' })).stableId

const refuses = (config: JsonObject, message: RegExp) => async () => {
  using folder = folderWith()
  await assert.rejects(open(folder, config), { code: 'GW_CONFIG_INVALID', message })
}

describe('KeyStoreSecretStore fields', () => {
  test('file: required', refuses({ file: null }, /\/config\/file: .*required/))

  test('storeType: PKCS12 by default; JKS and JCEKS are supported but insecure', async () => {
    using folder = folderWith()
    await using standard = await open(folder)
    assert.equal(await activeOf(standard.object), 'mine')
    for (const [storeType, content] of [
      ['JKS', sampleJks()],
      ['JCEKS', sampleJceks()],
    ] as const) {
      using old = folderWith(content)
      await using built = await open(old, { storeType })
      assert.equal(await activeOf(built.object), 'mine')
      assert.match(built.warnings.join('\n'), new RegExp(`${storeType} are insecure`))
    }
  })

  test('storePasswordSecretId: without it the keystore is not password-protected', async () => {
    const trusted = bag(3, certificateBag(identity(3).certificate), 'mine', undefined, 'trusted')
    using folder = folderWith(pkcs12([], [trusted], { encrypted: false, mac: 'none' }))
    await using built = await open(folder, { storePasswordSecretId: null })
    assert.equal(await activeOf(built.object), 'mine')
  })

  test('entryPasswordSecretId: the value of storePasswordSecretId by default', async () => {
    using folder = folderWith()
    await using built = await open(folder, { entryPasswordSecretId: 'store.password' })
    await using standard = await open(folder)
    assert.equal(await activeOf(built.object), await activeOf(standard.object))
    await assert.rejects(
      open(folder, { entryPasswordSecretId: 'other.password' }),
      /the alias "mine" .* can not be opened/,
    )
  })

  test('secretsProvider: required', refuses({ secretsProvider: null }, /\/config\/secretsProvider: .*required/))

  test('mappings: required', refuses({ mappings: null }, /\/config\/mappings: .*required/))

  test(
    'mappings: either aliases or aliasesMatching, never both',
    refuses(
      { mappings: [{ secretId: 'my.key', aliases: ['mine'], aliasesMatching: ['m.*'] }] },
      /\/config\/mappings\/0: give exactly one of aliases, aliasesMatching/,
    ),
  )

  test(
    'mappings: one of the two is required',
    refuses(
      { mappings: [{ secretId: 'my.key' }] },
      /\/config\/mappings\/0: give exactly one of aliases, aliasesMatching/,
    ),
  )

  test('Secret leaseExpiry: 5 minutes; zero or unlimited causes a warning and the default is used', async () => {
    using folder = folderWith()
    for (const leaseExpiry of ['zero', 'unlimited']) {
      await using built = await open(folder, { leaseExpiry })
      assert.match(built.warnings.join('\n'), /leaseExpiry .*the default of 5 minutes is used/)
    }
  })

  test('securityProvider: accepted, and named in a warning', async () => {
    using folder = folderWith()
    await using built = await open(folder, { securityProvider: 'SunJCE' })
    assert.match(built.warnings.join('\n'), /securityProvider/)
    assert.equal(await activeOf(built.object), 'mine')
  })

  test('autoRefresh: enabled by default, reloads the store when the keystore is edited', async () => {
    using folder = folderWith(keyStoreWith('mine'))
    await using built = await open(folder, { mappings: [{ secretId: 'my.key', aliasesMatching: ['.*'] }] })
    assert.equal(await activeOf(built.object), 'mine')
    const edited = new Promise<void>((resolve) => built.object.onChange(resolve))
    writeFileSync(folder.in('new'), keyStoreWith('renewed'))
    renameSync(folder.in('new'), folder.in('keys.p12'))
    await edited
    assert.equal(await activeOf(built.object), 'renewed')
  })

  test('storePassword, keyEntryPassword: deprecated, replaced by storePasswordSecretId and entryPasswordSecretId', async () => {
    using folder = folderWith()
    const old = { storePasswordSecretId: null, storePassword: 'store.password', keyEntryPassword: 'store.password' }
    await using built = await open(folder, old)
    assert.equal(await activeOf(built.object), 'mine')
    assert.match(built.warnings.join('\n'), /use storePasswordSecretId instead[\s\S]*use entryPasswordSecretId instead/)
  })
})

describe('KeyStoreSecretStore mapping rules', () => {
  const mappings = [{ secretId: 'my.key', aliases: ['second', 'first'] }]

  test('1. to sign or encrypt, the active secret is the first alias in the list', async () => {
    using folder = folderWith(keyStoreWith('first', 'second'))
    await using built = await open(folder, { mappings })
    const { stableId } = await providerOf([built.object]).active({ secretId: 'my.key', purpose: 'SIGN' })
    assert.equal(stableId, 'second')
  })

  test('2. to verify or decrypt, all mapped aliases are returned, in order', async () => {
    using folder = folderWith(keyStoreWith('first', 'second'))
    await using built = await open(folder, { mappings })
    const valid = await providerOf([built.object]).valid({ secretId: 'my.key', purpose: 'VERIFY' })
    assert.deepEqual(
      valid.map(({ stableId }) => stableId),
      ['second', 'first'],
    )
  })

  test('3. a stable id selects one alias. The secret constraints are not met for a secret query: it fails', async () => {
    using folder = folderWith()
    await using built = await open(folder, { mappings: [{ secretId: 'my.key', aliases: ['mine', 'theirs'] }] })
    const provider = providerOf([built.object])
    const named = await provider.named({ secretId: 'my.key', purpose: 'VERIFY', stableId: 'theirs' })
    assert.equal(named?.stableId, 'theirs')
    assert.equal(await provider.named({ secretId: 'my.key', purpose: 'VERIFY', stableId: 'missing' }), null)
    await assert.rejects(provider.active({ secretId: 'my.key', purpose: 'GENERIC' }), {
      code: 'GW_SECRET_UNAVAILABLE',
      message: /can not serve GENERIC/,
    })
  })
})
