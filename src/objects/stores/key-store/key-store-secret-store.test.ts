import assert from 'node:assert/strict'
import { randomBytes, sign, verify } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { type Purpose, providerOf, type SecretStore } from '#contracts'
import type { JsonObject, JsonValue } from '#json'
import { build, type ManualClock, manualClock } from '#test/build'
import { Folder } from '#test/folder'
import { sampleJks, samplePassword, samplePkcs12 } from '#test/keystore-samples'
import { bag, certificateBag, identity, octets, pbes2, pkcs12, sequence } from '#test/keystore-writer'
import { Stopwatch } from '#test/stopwatch'
import { keyStoreWith, testIdentity } from '#test/test-identity'
import { waitUntil, within } from '#test/waiting'
import { ScheduledExecutorService } from '../../services/scheduled-executor/scheduled-executor-service.ts'
import { Base64EncodedSecretStore } from '../base64-encoded/base64-encoded-secret-store.ts'
import { KeyStoreSecretStore } from './key-store-secret-store.ts'

const passwords: JsonValue = {
  name: 'passwords',
  type: 'Base64EncodedSecretStore',
  config: { secrets: { 'store.password': btoa(samplePassword), 'wrong.password': btoa('hunter2') } },
}

const store = (folder: Folder, config: JsonObject, clock: ManualClock = manualClock()) =>
  build<SecretStore>(
    KeyStoreSecretStore,
    {
      file: folder.in('keys.p12'),
      storePasswordSecretId: 'store.password',
      secretsProvider: 'passwords',
      mappings: [{ secretId: 'my.key', aliases: ['mine'] }],
      ...config,
    },
    {
      clock,
      types: [Base64EncodedSecretStore, ScheduledExecutorService],
      heap: [passwords, { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' }],
    },
  )

function keyStoreFolder(content: Buffer = samplePkcs12()): Folder {
  const folder = new Folder()
  writeFileSync(folder.in('keys.p12'), content)
  return folder
}

/** Replaces the keystore atomically. */
function replace(folder: Folder, content: Buffer): void {
  writeFileSync(folder.in('new'), content)
  renameSync(folder.in('new'), folder.in('keys.p12'))
}

const idsOf = async (store: SecretStore, purpose: Purpose = 'VERIFY', secretId = 'my.key') =>
  (await providerOf([store]).valid({ secretId, purpose })).map(({ stableId }) => stableId)

const changed = (store: SecretStore) =>
  within('the change was noticed', new Promise<void>((resolve) => store.onChange(resolve)))

test('keys, certificates and secret keys are found by their mapped id', async () => {
  using folder = keyStoreFolder()
  await using built = await store(folder, {
    mappings: [
      { secretId: 'my.key', aliases: ['mine'] },
      { secretId: 'trust', aliases: ['theirs'] },
      { secretId: 'secret.key', aliases: ['secret'] },
    ],
  })
  const provider = providerOf([built.object])
  const key = await provider.active({ secretId: 'my.key', purpose: 'SIGN' })
  const signature = sign(null, Buffer.from('x'), key.privateOrSecretKey!)
  assert.ok(verify(null, Buffer.from('x'), key.publicOrSecretKey!, signature))
  assert.equal(key.certificates.length, 1)
  const trusted = await provider.active({ secretId: 'trust', purpose: 'VERIFY' })
  assert.equal(trusted.certificates[0]?.subject, 'CN=key 2')
  const secret = await provider.active({ secretId: 'secret.key', purpose: 'ENCRYPT' })
  assert.equal(secret.privateOrSecretKey?.symmetricKeySize, 32)
  assert.equal(secret.algorithm, 'AES')
  const bytes = await provider.active({ secretId: 'secret.key', purpose: 'GENERIC' })
  assert.deepEqual(bytes.revealBytes(), Buffer.alloc(32, 7))
  assert.equal(await built.object.find({ secretId: 'other', purpose: 'VERIFY' }), null)
  assert.deepEqual(built.warnings, [])
  const { labels, read } = built.metrics.readings.get('gw_secret_not_after_seconds')!
  assert.deepEqual(labels?.['secret'], 'trust')
  assert.equal(read(), (trusted.certificates[0]?.validToDate.getTime() ?? 0) / 1000)
})

test('a purpose that a secret can not serve fails the lookup with the reason', async () => {
  using folder = keyStoreFolder()
  await using built = await store(folder, {
    mappings: [
      { secretId: 'my.key', aliases: ['theirs', 'mine'] },
      { secretId: 'k', aliases: ['mine'] },
    ],
  })
  const provider = providerOf([built.object])
  await assert.rejects(provider.active({ secretId: 'my.key', purpose: 'SIGN' }), {
    message:
      'the secret "theirs" of the secret id "my.key" in gateway+object can not serve SIGN: it has no private key',
  })
  await assert.rejects(provider.active({ secretId: 'k', purpose: 'GENERIC' }), {
    message:
      'the secret "mine" of the secret id "k" in gateway+object can not serve GENERIC: it is a key, not a password',
  })
  assert.deepEqual(await idsOf(built.object), ['theirs', 'mine'])
})

test('the key usage of a certificate limits its key', async () => {
  const { key, certificate } = testIdentity('sealed', { keyUsage: 0x20 })
  const [algorithm, encrypted] = pbes2(key.export({ format: 'der', type: 'pkcs8' }), samplePassword, 1)
  const content = pkcs12(
    [bag(2, sequence(algorithm, octets(encrypted)), 'mine', '1')],
    [bag(3, certificateBag(certificate.raw), 'mine', '1')],
  )
  using folder = keyStoreFolder(content)
  await using built = await store(folder, {})
  const provider = providerOf([built.object])
  await assert.rejects(
    provider.active({ secretId: 'my.key', purpose: 'SIGN' }),
    /its key usage allows ENCRYPT, DECRYPT only/,
  )
  assert.equal((await provider.active({ secretId: 'my.key', purpose: 'DECRYPT' })).stableId, 'mine')
})

test('aliases keep their order; aliasesMatching match the whole alias, are sorted and unique', async () => {
  using folder = keyStoreFolder(keyStoreWith('sign-b', 'sign-a', 'designed', 'other'))
  await using built = await store(folder, {
    mappings: [
      { secretId: 'my.key', aliases: ['sign-b', 'sign-a'] },
      { secretId: 'by.pattern', aliasesMatching: ['sign-.*', '.*-a'] },
      { secretId: 'nothing', aliasesMatching: ['x.*'] },
    ],
  })
  assert.deepEqual(await idsOf(built.object), ['sign-b', 'sign-a'])
  assert.deepEqual(await idsOf(built.object, 'VERIFY', 'by.pattern'), ['sign-a', 'sign-b'])
  assert.deepEqual(built.warnings, [
    '/heap/0: no alias of the keystore matches what the secret id "nothing" is mapped to',
  ])
  await assert.rejects(idsOf(built.object, 'VERIFY', 'nothing'), { message: 'the secret id "nothing" has no secret' })
})

test('a named secret is one of the aliases of the id and no other', async () => {
  using folder = keyStoreFolder(keyStoreWith('a', 'b', 'c'))
  await using built = await store(folder, { mappings: [{ secretId: 'my.key', aliases: ['a', 'b'] }] })
  const provider = providerOf([built.object])
  const named = (stableId: string) => provider.named({ secretId: 'my.key', purpose: 'VERIFY', stableId })
  assert.equal((await named('b'))?.stableId, 'b')
  for (const kid of ['c', '__proto__', 'constructor', '../b', '']) assert.equal(await named(kid), null)
})

test('every missing alias is a load error with its pointer', async () => {
  using folder = keyStoreFolder()
  const mappings = [
    { secretId: 'my.key', aliases: ['mine', 'mien'] },
    { secretId: 'other', aliases: ['nothing-like-it'] },
  ]
  await assert.rejects(store(folder, { mappings }), {
    message:
      '/heap/0/config/mappings/0/aliases/1: the keystore has no alias "mien", which the secret id "my.key" is mapped to; did you mean "mine"?\n' +
      '/heap/0/config/mappings/1/aliases/0: the keystore has no alias "nothing-like-it", which the secret id "other" is mapped to',
  })
})

test('a certificate that is expired or not yet valid gives a warning', async () => {
  using folder = keyStoreFolder()
  await using late = await store(folder, {}, manualClock(Date.UTC(2055, 0)))
  assert.deepEqual(late.warnings, [
    '/heap/0: the certificate of the alias "mine" of the secret id "my.key" expired on 2049-12-31T23:59:59.000Z',
  ])
  assert.deepEqual(await idsOf(late.object, 'SIGN'), ['mine'])
  await using early = await store(folder, {}, manualClock(Date.UTC(2001, 0)))
  assert.match(early.warnings.join(), /is not valid before 2020-01-01/)
})

const failures: readonly [string, JsonObject, Buffer | null, RegExp][] = [
  ['no file', {}, null, /config\/file: the keystore ".*keys.p12" can not be read: ENOENT/],
  [
    'a file that was cut',
    {},
    samplePkcs12().subarray(0, 300),
    /config\/file: the keystore ".*keys.p12" can not be opened: /,
  ],
  [
    'another password',
    { storePasswordSecretId: 'wrong.password' },
    samplePkcs12(),
    /config\/file: the keystore ".*keys.p12" can not be opened: /,
  ],
  [
    'no password',
    { storePasswordSecretId: null },
    samplePkcs12(),
    /config\/file: the keystore ".*keys.p12" can not be opened: /,
  ],
  [
    'another password of the entries',
    { entryPasswordSecretId: 'wrong.password' },
    samplePkcs12(),
    /config\/mappings\/0\/aliases\/0: the alias "mine" of the secret id "my.key" can not be opened: /,
  ],
  [
    'a password that no store has',
    { storePasswordSecretId: 'unknown' },
    samplePkcs12(),
    /config\/storePasswordSecretId: the password of the keystore ".*keys.p12" can not be had: no secret store knows the secret id "unknown"/,
  ],
]

for (const [what, config, content, message] of failures) {
  test(`${what} is a load error without a password in the message`, async () => {
    using folder = content === null ? new Folder() : keyStoreFolder(content)
    await assert.rejects(store(folder, config), (error: Error) => {
      assert.match(error.message, message)
      assert.doesNotMatch(inspect(error, { depth: 9 }) + JSON.stringify(error), /hunter2|changeit/)
      return true
    })
  })
}

test('the old names of the password fields give a warning without their values', async () => {
  using folder = keyStoreFolder()
  await using built = await store(folder, {
    storePasswordSecretId: null,
    storePassword: 'store.password',
    keyEntryPassword: 'store.password',
  })
  assert.deepEqual(await idsOf(built.object, 'SIGN'), ['mine'])
  assert.deepEqual(built.warnings, [
    '/heap/0/config/storePassword: storePassword is deprecated; use storePasswordSecretId instead',
    '/heap/0/config/keyEntryPassword: keyEntryPassword is deprecated; use entryPasswordSecretId instead',
  ])
  await assert.rejects(store(folder, { storePasswordSecretId: null, storePassword: 'hunter2!' }), {
    message:
      '/heap/0/config/storePassword: expected the secret id of a password: letters, digits, "-" and "_" in words joined by dots',
  })
})

test('JKS, a security provider and an unlimited lease give warnings', async () => {
  using folder = keyStoreFolder(sampleJks())
  await using built = await store(folder, { storeType: 'jks', securityProvider: 'BC', leaseExpiry: 'unlimited' })
  assert.deepEqual(await idsOf(built.object, 'SIGN'), ['mine'])
  assert.match(built.warnings.join('\n'), /securityProvider .*keystores are read without a JVM/)
  assert.match(built.warnings.join('\n'), /keystores of type JKS are insecure; convert this one to PKCS12/)
  assert.match(built.warnings.join('\n'), /leaseExpiry can not be unlimited; the default of 5 minutes is used/)
})

test('a keystore without a password', async () => {
  using folder = keyStoreFolder(
    pkcs12([], [bag(3, certificateBag(identity(3).certificate), 'mine', undefined, 'trusted')], {
      encrypted: false,
      mac: 'none',
    }),
  )
  await using built = await store(folder, { storePasswordSecretId: null })
  assert.deepEqual(await idsOf(built.object), ['mine'])
})

test('an edit takes effect within two seconds with any lease, and no lookup fails meanwhile', async () => {
  using folder = keyStoreFolder(keyStoreWith('old'))
  await using built = await store(folder, {
    leaseExpiry: '1 day',
    mappings: [{ secretId: 'my.key', aliasesMatching: ['.*'] }],
  })
  for (const aliases of [['new', 'old'], ['new'], ['newer', 'new']]) {
    using time = new Stopwatch()
    const noticed = changed(built.object).then(() => true)
    replace(folder, keyStoreWith(...aliases))
    await waitUntil('the changed keystore was noticed', async () => {
      assert.ok((await idsOf(built.object)).length > 0)
      return Promise.race([noticed, new Promise<false>((resolve) => setImmediate(resolve, false))])
    })
    assert.ok(time.elapsed < 2_000, 'it took more than two seconds')
    assert.deepEqual(await idsOf(built.object), aliases.toSorted())
  }
})

/** Waits for a log line. */
async function until(log: { readonly lines: readonly string[] }, pattern: RegExp): Promise<void> {
  await waitUntil(`the log had ${pattern}`, () => log.lines.some((line) => pattern.test(line)), 5_000)
}

test('a keystore that is truncated, deleted and restored: the last good secrets are used until the lease ends', async () => {
  using folder = keyStoreFolder()
  const clock = manualClock()
  await using built = await store(folder, {}, clock)
  writeFileSync(folder.in('keys.p12'), samplePkcs12().subarray(0, 200))
  await until(built.log, /can not be opened.*its last good secrets are used until their lease ends/)
  assert.deepEqual(await idsOf(built.object, 'SIGN'), ['mine'])
  rmSync(folder.in('keys.p12'))
  await until(built.log, /ENOENT/)
  clock.advance(299_999)
  assert.deepEqual(await idsOf(built.object, 'SIGN'), ['mine'])
  clock.advance(1)
  await assert.rejects(
    idsOf(built.object, 'SIGN'),
    /gateway\+object: the keystore ".*keys.p12" can not be read: ENOENT/,
  )
  replace(folder, keyStoreWith('mine'))
  await until(built.log, /a keystore can be read again/)
  assert.deepEqual(await idsOf(built.object, 'SIGN'), ['mine'])
  assert.doesNotMatch(built.log.lines.join(''), /changeit/)
})

test('a keystore without a mapped alias is invalid', async () => {
  using folder = keyStoreFolder()
  await using built = await store(folder, {})
  replace(folder, keyStoreWith('other'))
  await until(
    built.log,
    /gateway\+object: the keystore has no alias .*mine.*, which the secret id .*my.key.* is mapped to/,
  )
  assert.deepEqual(await idsOf(built.object, 'SIGN'), ['mine'])
})

test('without autoRefresh an edit takes effect when the lease has ended', async () => {
  using folder = keyStoreFolder(keyStoreWith('a'))
  const clock = manualClock()
  const mappings = [{ secretId: 'my.key', aliasesMatching: ['.*'] }]
  await using built = await store(folder, { mappings, autoRefresh: { enabled: false }, leaseExpiry: '10 s' }, clock)
  replace(folder, keyStoreWith('b'))
  clock.advance(9_999)
  assert.deepEqual(await idsOf(built.object), ['a'])
  clock.advance(1)
  assert.deepEqual(await idsOf(built.object), ['b'])
})

test('store, log and secrets disclose no keys and passwords', async () => {
  using folder = keyStoreFolder()
  await using built = await store(folder, {})
  const secrets = await built.object.find({ secretId: 'my.key', purpose: 'SIGN' })
  const shown = [
    built.object,
    secrets,
    await providerOf([built.object]).active({ secretId: 'my.key', purpose: 'SIGN' }),
  ]
    .map((each) => `${each} ${JSON.stringify(each)} ${inspect(each, { depth: 20, showHidden: true })}`)
    .join()
  assert.doesNotMatch(shown + built.log.lines.join(''), /changeit|PRIVATE|AQEBAQEB/)
})

const refusals: readonly [string, JsonObject, string][] = [
  ['no file', { file: null }, 'file: expected a string; this field is required'],
  [
    'no provider',
    { secretsProvider: null },
    'secretsProvider: expected a SecretsProvider reference; this field is required',
  ],
  ['no mappings', { mappings: null }, 'mappings: expected an array of object; this field is required'],
  ['an empty list of mappings', { mappings: [] }, 'mappings: expected at least one element'],
  [
    'a type that is not read',
    { storeType: 'PKCS11' },
    'storeType: expected one of "PKCS12", "JKS", "JCEKS", got "PKCS11"',
  ],
  [
    'aliases and patterns together',
    { mappings: [{ secretId: 'a', aliases: ['mine'], aliasesMatching: ['m'] }] },
    'mappings/0: give exactly one of aliases, aliasesMatching',
  ],
  [
    'neither aliases nor patterns',
    { mappings: [{ secretId: 'a' }] },
    'mappings/0: give exactly one of aliases, aliasesMatching',
  ],
  ['no aliases', { mappings: [{ secretId: 'a', aliases: [] }] }, 'mappings/0/aliases: expected at least one element'],
  [
    'an id that is mapped twice',
    {
      mappings: [
        { secretId: 'a', aliases: ['mine'] },
        { secretId: 'a', aliases: ['mine'] },
      ],
    },
    'mappings/1/secretId: the secret id "a" is mapped twice',
  ],
  ['an invalid lease', { leaseExpiry: 'long' }, 'leaseExpiry: expected a duration such as "10 seconds", got "long"'],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    using folder = keyStoreFolder()
    await assert.rejects(store(folder, config), { message: `/heap/0/config/${message}` })
  })
}

test('random bytes instead of the keystore are logged and have no other effect', async () => {
  using folder = keyStoreFolder()
  await using built = await store(folder, {})
  replace(folder, randomBytes(500))
  await until(built.log, /can not be opened/)
  assert.deepEqual(await idsOf(built.object, 'SIGN'), ['mine'])
})
