// Keystores of keytool: every format, generation of encryption, type of key and of secret.
import assert from 'node:assert/strict'
import { createPublicKey, sign, verify, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { Folder } from '../../test/support/folder.ts'
import { chainedKeys, inLanes, keytool, keytoolMissing, sourceOf } from '../../test/support/keystore-tools.ts'
import { identity } from '../../test/support/keystore-writer.ts'
import { type KeyStore, type KeyStoreType, readKeyStore } from './index.ts'

const password = 'changeit'
const keys = keytoolMissing ? [] : chainedKeys()
const trusted = identity(20, 'trusted')

interface Written {
  readonly file: string
  readonly type: KeyStoreType
  readonly options: string
  readonly secrets: boolean
}

const strong = ['key', 'cert'].map(
  (part) => `-J-Dkeystore.pkcs12.${part}ProtectionAlgorithm=PBEWithHmacSHA512AndAES_128`,
)
const older = ['key', 'cert'].map((part) => `-J-Dkeystore.pkcs12.${part}ProtectionAlgorithm=PBEWithSHA1AndRC2_128`)
/** The settings of `-J-Dkeystore.pkcs12.legacy`, which has fixed iteration counts. */
const legacy = [
  '-J-Dkeystore.pkcs12.keyProtectionAlgorithm=PBEWithSHA1AndDESede',
  '-J-Dkeystore.pkcs12.certProtectionAlgorithm=PBEWithSHA1AndRC2_40',
]
const fewer = '-J-Dkeystore.pkcs12.macIterationCount=1 -J-Dkeystore.pkcs12.keyPbeIterationCount=100'

/** The same entries in every format of keytool. */
const written: readonly Written[] = [
  { file: 'current.p12', type: 'PKCS12', options: '', secrets: true },
  {
    file: 'legacy.p12',
    type: 'PKCS12',
    options: `${legacy.join(' ')} -J-Dkeystore.pkcs12.macAlgorithm=HmacPBESHA1 ${fewer}`,
    secrets: true,
  },
  {
    file: 'strong.p12',
    type: 'PKCS12',
    options: `${strong.join(' ')} -J-Dkeystore.pkcs12.macAlgorithm=HmacPBESHA512`,
    secrets: false,
  },
  {
    file: 'older.p12',
    type: 'PKCS12',
    options: `${older.join(' ')} -J-Dkeystore.pkcs12.macAlgorithm=HmacPBESHA1 ${fewer}`,
    secrets: false,
  },
  { file: 'all.jks', type: 'JKS', options: '', secrets: false },
  { file: 'all.jceks', type: 'JCEKS', options: '-J-Djdk.jceks.iterationCount=10000', secrets: true },
]

/** Fingerprints by alias, as `keytool -list -v` prints them. */
function printed(listing: string): Map<string, readonly string[]> {
  const parts = listing.split(/^Alias name: /m).slice(1)
  return new Map(
    parts.map((part) => [
      part.split('\n')[0]!.trim(),
      [...part.matchAll(/SHA256: ([0-9A-F:]{95})/g)].map(([, hex]) => hex!),
    ]),
  )
}

// Each of about thirty calls of keytool starts a Java virtual machine.
describe('keystores of keytool', { skip: keytoolMissing, timeout: 180_000 }, () => {
  const folder = new Folder()
  const listings = new Map<string, Map<string, readonly string[]>>()
  const read = (file: string, type: KeyStoreType, secret: string | null = password): KeyStore =>
    readKeyStore(readFileSync(folder.in(file)), type, secret)
  const stores = new Map<string, KeyStore>()
  const storeOf = ({ file, type }: Written): KeyStore => stores.getOrInsertComputed(file, () => read(file, type))

  before(async () => {
    writeFileSync(folder.in('source.p12'), sourceOf(keys, trusted.certificate))
    writeFileSync(folder.in('trusted.der'), trusted.certificate)
    const inSecrets = '-keystore secrets.p12 -storetype PKCS12 -storepass changeit'
    const copy = (from: string, { file, type, options }: Written) =>
      keytool(
        folder.path,
        `${options} -importkeystore -noprompt -srckeystore ${from} -srcstoretype PKCS12 -srcstorepass changeit -destkeystore ${file} -deststoretype ${type} -deststorepass changeit`.trim(),
      )
    const secretsReady = (async () => {
      await keytool(folder.path, `-genseckey -alias aes -keyalg AES -keysize 256 ${inSecrets}`)
      await keytool(folder.path, `-genseckey -alias hmac -keyalg HmacSHA256 -keysize 256 ${inSecrets}`)
      await keytool(folder.path, `-genseckey -alias desede -keyalg DESede -keysize 168 ${inSecrets}`)
      await keytool(folder.path, `-importpass -alias pass ${inSecrets}`, 'open sesame\nopen sesame\n')
    })()
    await inLanes([
      () => secretsReady,
      // JCEKS with fewer iterations than the 200,000 of default.jceks, which take a second to compute.
      ...['JKS', 'JCEKS'].map(
        (type) => () =>
          keytool(
            folder.path,
            `-J-Djdk.jceks.iterationCount=10000 -genkeypair -alias own -keyalg EC -groupname secp256r1 -dname CN=own -storetype ${type} -keystore own.${type} -storepass changeit -keypass different`,
          ),
      ),
      () =>
        keytool(
          folder.path,
          '-J-Dkeystore.pkcs12.legacy -genkeypair -alias own -keyalg EC -groupname secp256r1 -dname CN=own -storetype PKCS12 -keystore own-legacy.p12 -storepass changeit',
        ),
      () =>
        keytool(
          folder.path,
          '-genseckey -alias aes -keyalg AES -keysize 128 -storetype JCEKS -keystore default.jceks -storepass changeit -keypass different',
        ),
      () =>
        keytool(
          folder.path,
          '-J-Dkeystore.pkcs12.certProtectionAlgorithm=NONE -J-Dkeystore.pkcs12.macAlgorithm=NONE -importcert -noprompt -alias open -file trusted.der -storetype PKCS12 -keystore open.p12 -storepass changeit',
        ),
      () =>
        keytool(
          folder.path,
          '-importcert -noprompt -alias größe -file trusted.der -storetype PKCS12 -keystore unicode.p12 -storepass changeit',
        ),
      () =>
        keytool(
          folder.path,
          '-importcert -noprompt -alias größe -file trusted.der -storetype JKS -keystore unicode.jks -storepass pässwörd€',
        ),
      ...written.map((store) => async () => {
        await copy('source.p12', store)
        if (store.secrets) {
          await secretsReady
          await copy('secrets.p12', store)
        }
        // One listing per format: the other files are compared with the input.
        if (store.type === 'PKCS12' && store.options !== '') return
        const listing = await keytool(
          folder.path,
          `-list -v -keystore ${store.file} -storetype ${store.type} -storepass changeit`,
        )
        listings.set(store.file, printed(listing))
      }),
    ])
  })
  after(() => folder[Symbol.dispose]())

  for (const item of written) {
    const { file, type, secrets } = item
    test(`${file}: aliases and fingerprints are those ${type === 'PKCS12' && item.options !== '' ? 'of the input' : 'that keytool lists'}`, () => {
      const store = storeOf(item)
      const found = store.entries.map((entry): [string, readonly string[]] => {
        if (entry.kind === 'secret') return [entry.alias, []]
        const certificates = entry.kind === 'key' ? entry.chain : [entry.certificate]
        return [entry.alias, certificates.map((certificate) => certificate.fingerprint256)]
      })
      assert.deepEqual(store.warnings, [])
      assert.equal(found.length, keys.length + 1 + (secrets ? 4 : 0))
      const expected = [...(listings.get(file) ?? listings.get('current.p12')!)]
      const present = expected.filter(([, fingerprints]) => secrets || fingerprints.length > 0)
      assert.deepEqual(new Map(found.toSorted()), new Map(present.toSorted()))
    })

    test(`${file}: each private key equals the input, and fits its certificate`, () => {
      const store = storeOf(item)
      for (const { alias, key, chain } of keys) {
        const entry = store.entry(alias)
        assert.ok(entry?.kind === 'key', alias)
        assert.deepEqual(
          entry.chain.map(({ raw }) => raw.toString('hex')),
          chain.map((certificate) => certificate.toString('hex')),
        )
        const opened = entry.privateKey(null)
        assert.ok(createPublicKey(opened).equals(createPublicKey(key)), alias)
        if (alias === 'x25519') continue
        const hash = alias.startsWith('ed') ? null : 'sha256'
        assert.ok(verify(hash, Buffer.from('data'), entry.chain[0]!.publicKey, sign(hash, Buffer.from('data'), opened)))
      }
    })

    test(`${file}: trusted certificates are trusted, and times of creation are read`, () => {
      const store = storeOf(item)
      const entry = store.entry('trusted')
      assert.ok(entry?.kind === 'trusted' && entry.certificate.raw.equals(trusted.certificate))
      for (const { alias, kind, created } of store.entries) {
        if (type === 'PKCS12' && kind === 'trusted') assert.equal(created, null)
        else assert.ok(Math.abs(created!.getTime() - Date.now()) < 600_000, alias)
      }
    })

    test(`${file}: a wrong password is rejected`, () => {
      assert.throws(() => read(file, type, 'guess'), { code: 'GW_KEYSTORE_PASSWORD' })
      assert.throws(() => read(file, type, null), { code: 'GW_KEYSTORE_PASSWORD' })
    })
  }

  test('reads secret keys and passwords of PKCS12 and JCEKS', () => {
    const opened = written
      .filter(({ secrets }) => secrets)
      .map(storeOf)
      .map((store) =>
        ['aes', 'hmac', 'desede', 'pass'].map((alias) => {
          const entry = store.entry(alias)
          assert.ok(entry?.kind === 'secret', alias)
          return entry.secret(null)
        }),
      )
    assert.deepEqual(
      opened[0]!.map(({ algorithm, bytes }) => `${algorithm} ${bytes.length}`),
      ['AES 32', 'HmacSHA256 32', 'DESede 24', 'PBEWithMD5AndDES 11'],
    )
    assert.equal(opened[0]![3]!.bytes.toString(), 'open sesame')
    for (const other of opened.slice(1)) assert.deepEqual(other, opened[0])
  })

  for (const type of ['JKS', 'JCEKS'] as const) {
    test(`${type}: an entry with a separate password needs that password`, () => {
      const entry = read(`own.${type}`, type).entry('own')
      assert.ok(entry?.kind === 'key')
      assert.throws(() => entry.privateKey(null), { code: 'GW_KEYSTORE_PASSWORD', message: /entry "own"/ })
      assert.equal(entry.privateKey('different').asymmetricKeyType, 'ec')
    })
  }

  test("a secret with keytool's default of 200,000 iterations is decrypted", () => {
    const entry = read('default.jceks', 'JCEKS').entry('aes')
    assert.ok(entry?.kind === 'secret')
    assert.equal(entry.secret('different').bytes.length, 16)
    assert.throws(() => entry.secret(password), { code: 'GW_KEYSTORE_PASSWORD' })
  })

  test('the iteration counts of older versions of Java are within the limits', () => {
    const entry = read('own-legacy.p12', 'PKCS12').entry('own')
    assert.ok(entry?.kind === 'key')
    assert.equal(entry.privateKey(null).asymmetricKeyType, 'ec')
  })

  test('a keystore without any password is read without one', () => {
    const store = read('open.p12', 'PKCS12', null)
    const entry = store.entry('open')
    assert.ok(entry?.kind === 'trusted')
    assert.equal(entry.certificate.fingerprint256, new X509Certificate(trusted.certificate).fingerprint256)
    assert.deepEqual(store.warnings, [])
  })

  test('aliases and passwords beyond ASCII are read', () => {
    assert.equal(read('unicode.p12', 'PKCS12').entry('Größe')?.kind, 'trusted')
    assert.equal(read('unicode.jks', 'JKS', 'pässwörd€').entry('größe')?.kind, 'trusted')
  })
})
