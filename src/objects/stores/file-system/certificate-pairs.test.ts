// Certificates and keys in separate files, as certbot, cert-manager and Kubernetes write them.
import assert from 'node:assert/strict'
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import type { SecretStore } from '#contracts'
import type { JsonObject } from '#json'
import { build, type ManualClock, manualClock } from '#test/build'
import { Folder } from '#test/folder'
import { testIdentity } from '#test/test-identity'
import { waitUntil, within } from '#test/waiting'
import { Base64PropertyFormat } from '../../formats/base64/base64-property-format.ts'
import { PemPropertyFormat } from '../../formats/pem/pem-property-format.ts'
import { PlainPropertyFormat } from '../../formats/plain/plain-property-format.ts'
import { ScheduledExecutorService } from '../../services/scheduled-executor/scheduled-executor-service.ts'
import { FileSystemSecretStore } from './file-system-secret-store.ts'

const PEM = { type: 'PemPropertyFormat' }

const store = (folder: Folder, config: JsonObject = {}, clock: ManualClock = manualClock()) =>
  build<SecretStore>(
    FileSystemSecretStore,
    { directory: folder.path, format: PEM, ...config },
    {
      clock,
      types: [Base64PropertyFormat, PlainPropertyFormat, PemPropertyFormat, ScheduledExecutorService],
      heap: [
        { name: 'BASE64', type: 'Base64PropertyFormat' },
        { name: 'PLAIN', type: 'PlainPropertyFormat' },
        { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
      ],
    },
  )

/** Certificate and key as texts. */
const pair = (name: string) => {
  const { key, certificate } = testIdentity(name)
  return { crt: certificate.toString(), key: key.export({ type: 'pkcs8', format: 'pem' }) as string }
}

/** The subject of the active secret, whose key is that of its certificate. */
async function subject(store: SecretStore, secretId = 'tls'): Promise<string | null> {
  const [secret] = (await store.find({ secretId, purpose: 'SIGN' })) ?? []
  if (secret === undefined) return null
  assert.ok(secret.certificates[0]?.checkPrivateKey(secret.privateOrSecretKey!), 'certificate and key match')
  return secret.certificates[0]?.subject ?? ''
}

const changed = (store: SecretStore) =>
  within('the change was noticed', new Promise<void>((resolve) => store.onChange(resolve)))

const [first, second, third] = [pair('first'), pair('second'), pair('third')]

test('an id is its file, else the files .crt and .key', async () => {
  using folder = new Folder({
    'tls.crt': first.crt,
    'tls.key': first.key,
    'both.crt': first.crt,
    'both.key': first.key,
  })
  folder.write('both', second.key + second.crt)
  await using built = await store(folder)
  assert.equal(await subject(built.object), 'CN=first')
  assert.equal(await subject(built.object, 'both'), 'CN=second')
  assert.equal(await subject(built.object, 'none'), null)
  const [certificate] = (await built.object.find({ secretId: 'tls.crt', purpose: 'VERIFY' })) ?? []
  assert.equal(certificate?.certificates[0]?.subject, 'CN=first', 'each file is also a secret of its own')
  const noticed = changed(built.object)
  rmSync(folder.in('both'))
  await noticed
  assert.equal(await subject(built.object, 'both'), 'CN=first')
})

test('formats without certificates have no pairs', async () => {
  using folder = new Folder({ 'word.crt': 'a', 'word.key': 'b' })
  await using built = await store(folder, { format: 'PLAIN' })
  assert.equal(await built.object.find({ secretId: 'word', purpose: 'GENERIC' }), null)
})

test('a mapping names the files of a pair, also in folders below, and in a store of another format', async () => {
  using folder = new Folder({ 'live/fullchain.pem': first.crt, 'live/privkey.pem': first.key })
  const mappings = [
    { secretId: 'my.key', certificateFile: 'live/fullchain.pem', keyFile: 'live/privkey.pem' },
    { secretId: 'gone', certificateFile: 'live/gone.pem', keyFile: 'live/none.pem' },
  ]
  for (const format of [PEM, 'PLAIN']) {
    await using built = await store(folder, { format, mappings })
    assert.equal(await subject(built.object, 'my.key'), 'CN=first')
    await assert.rejects(subject(built.object, 'gone'), {
      message: `gateway+object: the secret id "gone" in the files "${folder.in('live/gone.pem')}" and "${folder.in('live/none.pem')}": neither of them exists`,
    })
  }
})

test('a certificate of another key, and a pair with one file, are one sentence with both files', async () => {
  using folder = new Folder({
    'tls.crt': first.crt,
    'tls.key': second.key,
    'half.crt': first.crt,
    'only.key': first.key,
  })
  folder.write('swapped.crt', first.key)
  folder.write('swapped.key', first.key)
  await using built = await store(folder)
  const failure = (secretId: string) => subject(built.object, secretId).catch(({ message }: Error) => message)
  const files = (id: string) => `"${folder.in(`${id}.crt`)}" and "${folder.in(`${id}.key`)}"`
  const start = (id: string) => `gateway+object: the secret id "${id}" in the files ${files(id)}: `
  assert.equal(await failure('tls'), `${start('tls')}none of the certificates belongs to the private key`)
  assert.equal(await failure('half'), `${start('half')}the second does not exist`)
  assert.equal(await failure('only'), `${start('only')}the first does not exist`)
  assert.match(String(await failure('swapped')), /expected one private key in PEM, got 2/)
  folder.write('bare.crt', first.crt)
  folder.write('bare.key', first.crt)
  assert.match(String(await failure('bare')), /in the file ".*bare\.key": expected a private key, found none/)
})

test('files that are replaced one after the other: the last good pair is served, logged once', async () => {
  using folder = new Folder({ 'tls.crt': first.crt, 'tls.key': first.key })
  await using built = await store(folder)
  assert.equal(await subject(built.object), 'CN=first')
  const failures = () => built.log.entries.filter(({ level }) => level === 'error').length
  folder.write('tls.crt', second.crt)
  await waitUntil('the mismatch was logged', () => failures() > 0)
  assert.equal(await subject(built.object), 'CN=first')
  // Several checks of the unchanged files.
  await waitUntil('another file was read', async () => {
    folder.write('other', `${first.key}${first.crt}`)
    return (await subject(built.object, 'other')) === 'CN=first'
  })
  assert.equal(failures(), 1)
  const noticed = changed(built.object)
  folder.write('tls.key', second.key)
  await noticed
  assert.equal(await subject(built.object), 'CN=second')
  assert.equal(failures(), 1)
})

test('an atomic swap of ..data is never seen as a pair of two renewals', async () => {
  const ROUNDS = 60
  // A directory for each renewal, as kubelet has.
  const tree = Array.from({ length: ROUNDS }, (_, at) => {
    const { crt, key } = [first, second, third][at % 3]!
    return { [`..${at}/tls.crt`]: crt, [`..${at}/tls.key`]: key }
  })
  using folder = new Folder(Object.assign({}, ...tree))
  symlinkSync('..0', folder.in('..data'))
  symlinkSync('..data/tls.crt', folder.in('tls.crt'))
  symlinkSync('..data/tls.key', folder.in('tls.key'))
  await using built = await store(folder)
  for (let round = 1; round < ROUNDS; round++) {
    symlinkSync(`..${round}`, folder.in('..tmp'))
    renameSync(folder.in('..tmp'), folder.in('..data'))
    await subject(built.object)
    await new Promise(setImmediate)
  }
  await waitUntil('the last swap took effect', async () => (await subject(built.object)) === 'CN=third')
})

test('links out of the directory need followLinks, and their renewal is noticed', async () => {
  using outside = new Folder({
    'cert1.pem': first.crt,
    'key1.pem': first.key,
    'cert2.pem': second.crt,
    'key2.pem': second.key,
  })
  using folder = new Folder()
  const link = (name: string, target: string) => {
    symlinkSync(outside.in(target), folder.in(`${name}.new`))
    renameSync(folder.in(`${name}.new`), folder.in(name))
  }
  link('tls.crt', 'cert1.pem')
  link('tls.key', 'key1.pem')
  await using strict = await store(folder)
  await assert.rejects(
    subject(strict.object),
    /in the file ".*tls\.crt": it is a link to a file outside of the directory; set followLinks of the store to follow it/,
  )
  await using built = await store(folder, { followLinks: true })
  assert.equal(await subject(built.object), 'CN=first')
  const noticed = changed(built.object)
  link('tls.crt', 'cert2.pem')
  link('tls.key', 'key2.pem')
  await noticed
  assert.equal(await subject(built.object), 'CN=second')
})

const refusals: readonly [string, JsonObject, RegExp][] = [
  ['one file of a pair', { certificateFile: 'a' }, /mappings\/0\/keyFile: required beside certificateFile/],
  ['the other file alone', { keyFile: 'a' }, /mappings\/0\/certificateFile: required beside keyFile/],
  ['a mapping without effect', {}, /mappings\/0: give format, or certificateFile and keyFile/],
  ['another format', { certificateFile: 'a', keyFile: 'b', format: 'PLAIN' }, /need the format PemPropertyFormat/],
  ['an absolute path', { certificateFile: '/etc/a', keyFile: 'b' }, /expected a file below directory, got "\/etc\/a"/],
  ['a path upwards', { certificateFile: 'a', keyFile: 'c/../../b' }, /expected a file below directory/],
]

for (const [what, mapping, message] of refusals) {
  test(`refuses ${what} in mappings`, async () => {
    using folder = new Folder()
    await assert.rejects(store(folder, { mappings: [{ secretId: 'id', ...mapping }] }), message)
  })
}
