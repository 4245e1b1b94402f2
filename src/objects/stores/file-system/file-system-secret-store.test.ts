import assert from 'node:assert/strict'
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { providerOf, type SecretStore } from '#contracts'
import type { JsonObject } from '#json'
import { build, type ManualClock, manualClock } from '#test/build'
import { Folder } from '#test/folder'
import { Stopwatch } from '#test/stopwatch'
import { testIdentity } from '#test/test-identity'
import { waitUntil, within } from '#test/waiting'
import { Base64PropertyFormat } from '../../formats/base64/base64-property-format.ts'
import { JwkPropertyFormat } from '../../formats/jwk/jwk-property-format.ts'
import { PemPropertyFormat } from '../../formats/pem/pem-property-format.ts'
import { PlainPropertyFormat } from '../../formats/plain/plain-property-format.ts'
import { ScheduledExecutorService } from '../../services/scheduled-executor/scheduled-executor-service.ts'
import { FileSystemSecretStore } from './file-system-secret-store.ts'

const store = (folder: Folder, config: JsonObject = {}, clock: ManualClock = manualClock()) =>
  build<SecretStore>(
    FileSystemSecretStore,
    { directory: folder.path, format: 'PLAIN', ...config },
    {
      clock,
      types: [
        Base64PropertyFormat,
        JwkPropertyFormat,
        PemPropertyFormat,
        PlainPropertyFormat,
        ScheduledExecutorService,
      ],
      heap: [
        { name: 'BASE64', type: 'Base64PropertyFormat' },
        { name: 'PLAIN', type: 'PlainPropertyFormat' },
        { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
      ],
    },
  )

const words = async (store: SecretStore, secretId: string) =>
  (await store.find({ secretId, purpose: 'GENERIC' }))?.map((secret) => secret.revealText()) ?? null

const changed = (store: SecretStore) =>
  within('the change was noticed', new Promise<void>((resolve) => store.onChange(resolve)))

test('the file of an id holds its secret', async () => {
  using folder = new Folder({ 'my.id': 'hunter2', 'encoded.txt': btoa('x') })
  await using built = await store(folder)
  assert.deepEqual(await words(built.object, 'my.id'), ['hunter2'])
  assert.equal(await words(built.object, 'other'), null)
  await using encoded = await store(folder, { format: 'BASE64', suffix: '.txt' })
  assert.deepEqual(await words(encoded.object, 'encoded'), ['x'])
  assert.equal(await words(encoded.object, 'my.id'), null)
})

test('BASE64 is the default', async () => {
  using folder = new Folder({ id: btoa('hunter2') })
  const { format: _, ...config } = { format: null, leaseExpiry: '1 minute' }
  await using built = await build<SecretStore>(
    FileSystemSecretStore,
    { directory: folder.path, autoRefresh: { enabled: false }, ...config },
    {
      types: [Base64PropertyFormat, ScheduledExecutorService],
      heap: [
        { name: 'BASE64', type: 'Base64PropertyFormat' },
        { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
      ],
    },
  )
  assert.deepEqual(await words(built.object, 'id'), ['hunter2'])
})

test('B52: ids can not lead out of the directory', async () => {
  using outside = new Folder({ passwd: 'hunter2' })
  using folder = new Folder({ inside: 'x', '.hidden': 'x', 'sub/below': 'x' })
  symlinkSync(outside.in('passwd'), folder.in('link'))
  await using built = await store(folder)
  const ids = [
    '../passwd',
    '..',
    '.',
    '',
    '.hidden',
    'sub/below',
    '/etc/passwd',
    'a\0b',
    'a..b',
    'inside.',
    'sub\\below',
  ]
  for (const secretId of ids) assert.equal(await words(built.object, secretId), null, secretId)
  await assert.rejects(words(built.object, 'link'), {
    message: `gateway+object: the secret id "link" in the file "${folder.in('link')}": it is a link to a file outside of the directory; set followLinks of the store to follow it`,
  })
  await assert.rejects(words(built.object, 'sub'), /expected a regular file/)
})

test('symbolic links inside the directory are followed, as for secrets mounted into containers', async () => {
  using folder = new Folder({ '..2026/id': 'first', '..2027/id': 'second' })
  symlinkSync('..2026', folder.in('..data'))
  symlinkSync('..data/id', folder.in('id'))
  await using built = await store(folder)
  assert.deepEqual(await words(built.object, 'id'), ['first'])
  const noticed = changed(built.object)
  symlinkSync('..2027', folder.in('..tmp'))
  renameSync(folder.in('..tmp'), folder.in('..data'))
  await noticed
  assert.deepEqual(await words(built.object, 'id'), ['second'])
})

for (const [text, ending] of [
  ['hunter2\n', 'a line break'],
  ['hunter2 ', 'a space'],
] as const) {
  test(`B52: a password file that ends in ${ending} is reported as such`, async () => {
    using folder = new Folder({ id: text })
    await using built = await store(folder)
    await assert.rejects(words(built.object, 'id'), (error: Error) => {
      assert.equal(
        error.message,
        `gateway+object: the secret id "id" in the file "${folder.in('id')}": expected only the password, but it ends in ${ending}; write it with printf '%s', without that`,
      )
      assert.doesNotMatch(inspect(error, { depth: 9 }) + built.log.lines.join(''), /hunter2/)
      return true
    })
  })
}

test('formats of single secrets', async () => {
  using folder = new Folder({ key: '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----' })
  await using built = await store(folder, { mappings: [{ secretId: 'key', format: { type: 'PemPropertyFormat' } }] })
  await assert.rejects(words(built.object, 'key'), (error: Error) => {
    assert.match(error.message, /expected a private key in PEM/)
    assert.doesNotMatch(inspect(error, { depth: 9 }) + built.log.lines.join(''), /hunter2/)
    return true
  })
})

for (const format of ['PemPropertyFormat', 'JwkPropertyFormat']) {
  test(`the end of a certificate in ${format} is exported, and follows the file`, async () => {
    const contentOf = ({ key, certificate }: ReturnType<typeof testIdentity>) =>
      format === 'PemPropertyFormat'
        ? `${key.export({ type: 'pkcs8', format: 'pem' })}${certificate}`
        : JSON.stringify({ ...key.export({ format: 'jwk' }), x5c: [certificate.raw.toString('base64')] })
    const [soon, later] = [new Date(Date.UTC(2031, 0)), new Date(Date.UTC(2032, 0))]
    using folder = new Folder({ 'my.key': contentOf(testIdentity('app', { to: soon })), password: btoa('secret') })
    await using built = await store(folder, { mappings: [{ secretId: 'my.key', format: { type: format } }] })
    const provider = providerOf([built.object])
    await provider.active({ secretId: 'password', purpose: 'GENERIC' })
    assert.equal(built.metrics.readings.size, 0, 'a password has no end')
    await provider.active({ secretId: 'my.key', purpose: 'SIGN' })
    const { labels, read } = built.metrics.readings.get('gw_secret_not_after_seconds')!
    assert.equal(labels?.['secret'], 'my.key')
    assert.equal(read(), soon.getTime() / 1000)
    folder.write('my.key', contentOf(testIdentity('app', { to: later })))
    await waitUntil('the new end is exported', () => read() === later.getTime() / 1000)
  })
}

test('the newest version is the active one, the file without a version the oldest', async () => {
  using folder = new Folder({
    'id.v2.txt': 'two',
    'id.v10.txt': 'ten',
    'id.txt': 'none',
    'id.vx.txt': 'no',
    'id.v1': 'no',
  })
  await using built = await store(folder, { suffix: '.txt', versionSuffix: '.v' })
  assert.deepEqual(await words(built.object, 'id'), ['ten', 'two', 'none'])
  const provider = providerOf([built.object])
  const named = await provider.named({ secretId: 'id', purpose: 'GENERIC', stableId: 'id.v2.txt' })
  assert.equal(named?.revealText(), 'two')
  const noticed = changed(built.object)
  folder.write('id.v11.txt', 'eleven')
  await noticed
  assert.equal((await words(built.object, 'id'))?.[0], 'eleven')
})

test('an edit takes effect within two seconds, with any lease', async () => {
  using folder = new Folder({ id: 'first' })
  await using built = await store(folder, { leaseExpiry: '1 day' })
  assert.deepEqual(await words(built.object, 'id'), ['first'])
  using time = new Stopwatch()
  const noticed = changed(built.object)
  folder.write('new', 'second')
  renameSync(folder.in('new'), folder.in('id'))
  await noticed
  assert.ok(time.elapsed < 2_000)
  assert.deepEqual(await words(built.object, 'id'), ['second'])
})

test('a deleted secret stays in use until its lease ends, and is then unknown', async () => {
  using folder = new Folder({ id: 'hunter2' })
  const clock = manualClock()
  await using built = await store(folder, { autoRefresh: { enabled: false } }, clock)
  await words(built.object, 'id')
  rmSync(folder.in('id'))
  clock.advance(299_999)
  assert.deepEqual(await words(built.object, 'id'), ['hunter2'])
  clock.advance(1)
  assert.equal(await words(built.object, 'id'), null)
})

test('a secret whose file became invalid stays in use until its lease ends, then lookups fail, and it recovers', async () => {
  using folder = new Folder({ id: 'hunter2' })
  const clock = manualClock()
  await using built = await store(folder, {}, clock)
  await words(built.object, 'id')
  folder.write('id', 'hunter3\n')
  // The check that read the invalid file has ended when it is logged.
  const isLogged = () => built.log.lines.some((line) => line.includes('the last good one counts'))
  await waitUntil('the invalid file was logged', isLogged, 5_000)
  assert.deepEqual(await words(built.object, 'id'), ['hunter2'])
  clock.advance(300_000)
  await assert.rejects(words(built.object, 'id'), /ends in a line break/)
  const noticed = changed(built.object)
  folder.write('id', 'hunter4')
  await noticed
  assert.deepEqual(await words(built.object, 'id'), ['hunter4'])
  assert.doesNotMatch(built.log.lines.join(''), /hunter\d/)
  assert.match(built.log.lines.join(''), /secret can be read again/)
})

test('without autoRefresh an edit takes effect when the lease has ended', async () => {
  using folder = new Folder({ id: 'first' })
  const clock = manualClock()
  await using built = await store(folder, { autoRefresh: { enabled: false }, leaseExpiry: '10 s' }, clock)
  await words(built.object, 'id')
  folder.write('id', 'second')
  clock.advance(9_999)
  assert.deepEqual(await words(built.object, 'id'), ['first'])
  clock.advance(1)
  assert.deepEqual(await words(built.object, 'id'), ['second'])
})

test('a missing directory gives a warning', async () => {
  using folder = new Folder()
  await using built = await store(folder, { directory: 'nowhere' })
  assert.match(built.warnings.join(), /there is no directory ".*nowhere"; its secrets are not known until there is/)
  assert.equal(await words(built.object, 'id'), null)
})

const refusals: readonly [string, JsonObject, string][] = [
  [
    'a suffix with a separator',
    { suffix: '/../x' },
    'suffix: expected the end of a file name, such as ".txt": letters, digits and . _ ~ + -',
  ],
  [
    'a versionSuffix that is empty',
    { versionSuffix: '' },
    'versionSuffix: expected the end of a file name, such as ".txt": letters, digits and . _ ~ + -',
  ],
  ['an empty directory', { directory: '' }, 'directory: expected a string that is not empty'],
  ['an invalid lease', { leaseExpiry: 'soon' }, 'leaseExpiry: expected a duration such as "10 seconds", got "soon"'],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    using folder = new Folder()
    await assert.rejects(store(folder, config), { message: `/heap/0/config/${message}` })
  })
}
