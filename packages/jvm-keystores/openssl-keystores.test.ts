// PKCS #12 files of openssl: each cipher, MAC and type of key, with and without password.
import assert from 'node:assert/strict'
import { createPublicKey, type KeyObject, sign, verify, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { opensslMissing } from '../../test/support/certificates.ts'
import { Folder } from '../../test/support/folder.ts'
import { chainedKeys, inLanes, openssl } from '../../test/support/keystore-tools.ts'
import { bag, pkcs12 } from '../../test/support/keystore-writer.ts'
import { type PrivateKeyEntry, readKeyStore } from './index.ts'

const keys = opensslMissing ? [] : chainedKeys()
const p256 = keys.find(({ alias }) => alias === 'p256')

const ciphers = [
  'PBE-SHA1-RC2-40',
  'PBE-SHA1-RC2-128',
  'PBE-SHA1-3DES',
  'PBE-SHA1-2DES',
  'DES-EDE3-CBC',
  'AES-128-CBC',
  'AES-192-CBC',
  'AES-256-CBC',
]
const macs = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512']
const prfs = ['hmacWithSHA1', 'hmacWithSHA224', 'hmacWithSHA256', 'hmacWithSHA384', 'hmacWithSHA512']

const pem = (certificate: Buffer): string => new X509Certificate(certificate).toString()

/** The same content in BER with indefinite lengths and split octet strings, as streaming encoders write it. */
function streamed(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at]!
    const first = bytes[at + 1]!
    const extra = first < 0x80 ? 0 : first & 0x7f
    const start = at + 2 + extra
    const end = start + (extra === 0 ? first : bytes.readUIntBE(at + 2, extra))
    const content = bytes.subarray(start, end)
    const open = (inner: Buffer): Buffer => Buffer.concat([Buffer.from([tag | 0x20, 0x80]), inner, Buffer.alloc(2)])
    if ((tag & 0x20) !== 0) parts.push(open(streamed(content)))
    else if ((tag === 0x04 || tag === 0x80) && content.length > 40) parts.push(open(inPieces(content)))
    else parts.push(bytes.subarray(at, end))
    at = end
  }
  return Buffer.concat(parts)
}

function inPieces(content: Buffer): Buffer {
  const pieces = Array.from({ length: Math.ceil(content.length / 100) }, (_, at) =>
    content.subarray(at * 100, at * 100 + 100),
  )
  return Buffer.concat(pieces.map((piece) => Buffer.concat([Buffer.from([0x04, piece.length]), piece])))
}

function fits(entry: PrivateKeyEntry, opened: KeyObject): void {
  const kind = opened.asymmetricKeyType
  assert.ok(createPublicKey(opened).equals(entry.chain[0]!.publicKey))
  if (kind === 'x25519') return
  const hash = kind?.startsWith('ed') ? null : 'sha256'
  assert.ok(verify(hash, Buffer.from('data'), entry.chain[0]!.publicKey, sign(hash, Buffer.from('data'), opened)))
}

describe('PKCS #12 files of openssl', { skip: opensslMissing }, () => {
  const folder = new Folder()
  const fingerprints = new Map<string, string>()
  const read = (name: string): Buffer => readFileSync(folder.in(name))
  const keyEntry = (name: string, alias: string, password: string | null = 'changeit'): PrivateKeyEntry => {
    const entry = readKeyStore(read(name), 'PKCS12', password).entry(alias)
    assert.ok(entry?.kind === 'key', `${name} has no key ${alias}`)
    return entry
  }
  const pack = (alias: string, file: string, options: string, password = 'changeit'): Promise<string> =>
    openssl(
      folder.path,
      `pkcs12 -export -inkey ${alias}.key -in ${alias}.crt -certfile chain.pem -name ${alias} -out ${file} -passout pass:${password} ${options}`.trim(),
    )

  before(async () => {
    folder.write('chain.pem', keys[0]!.chain.slice(1).map(pem).join(''))
    for (const { alias, key, chain } of keys) {
      folder.write(`${alias}.key`, key.export({ format: 'pem', type: 'pkcs8' }).toString())
      folder.write(`${alias}.crt`, pem(chain[0]!))
    }
    await inLanes([
      ...keys.map(
        ({ alias }) =>
          () =>
            pack(alias, `${alias}.p12`, ''),
      ),
      ...keys.map(({ alias }) => async () => {
        fingerprints.set(alias, await openssl(folder.path, `x509 -in ${alias}.crt -noout -fingerprint -sha256`))
      }),
      ...ciphers.map((cipher) => () => pack('p256', `${cipher}.p12`, `-legacy -certpbe ${cipher} -keypbe ${cipher}`)),
      ...macs.map((mac) => () => pack('p256', `${mac}.p12`, `-macalg ${mac} -iter 1`)),
      ...prfs.map(
        (prf) => () =>
          openssl(
            folder.path,
            `pkcs8 -topk8 -in p256.key -outform DER -v2 aes-192-cbc -v2prf ${prf} -passout pass:changeit -out ${prf}.der`,
          ),
      ),
      () =>
        openssl(folder.path, 'pkcs8 -topk8 -in p256.key -outform DER -scrypt -passout pass:changeit -out scrypt.der'),
      () => pack('p256', 'rc4.p12', '-legacy -certpbe PBE-SHA1-RC4-128 -keypbe PBE-SHA1-RC4-128'),
      () => pack('p256', 'rc4-key.p12', '-legacy -keypbe PBE-SHA1-RC4-40'),
      () => pack('p256', 'old.p12', '-legacy'),
      () => pack('p256', 'nomac.p12', '-nomac'),
      () => pack('p256', 'open.p12', '-nomac -certpbe NONE -keypbe NONE', ''),
      () => pack('p256', 'empty.p12', '', ''),
      () => pack('p256', 'empty-old.p12', '-legacy', ''),
      () => pack('p256', 'unicode.p12', '', 'pässwörd€𝄞'),
      () => pack('p256', 'unicode-old.p12', '-legacy', 'pässwörd€𝄞'),
      () => openssl(folder.path, 'pkcs12 -export -nokeys -in chain.pem -out nokeys.p12 -passout pass:changeit'),
    ])
  })
  after(() => folder[Symbol.dispose]())

  for (const { alias, chain } of keys) {
    test(`${alias}: key, chain and fingerprint`, () => {
      const entry = keyEntry(`${alias}.p12`, alias)
      assert.equal(`sha256 Fingerprint=${entry.chain[0]!.fingerprint256}`, fingerprints.get(alias)!.trim())
      assert.deepEqual(
        entry.chain.map(({ raw }) => raw.toString('hex')),
        chain.map((certificate) => certificate.toString('hex')),
      )
      fits(entry, entry.privateKey(null))
    })
  }

  for (const name of [...ciphers, ...macs, 'old']) {
    test(`${name}: is read, and a wrong password is rejected`, () => {
      const entry = keyEntry(`${name}.p12`, 'p256')
      assert.equal(entry.chain.length, 3)
      fits(entry, entry.privateKey(null))
      assert.throws(() => entry.privateKey('guess'), { code: 'GW_KEYSTORE_PASSWORD' })
      assert.throws(() => keyEntry(`${name}.p12`, 'p256', 'guess'), { code: 'GW_KEYSTORE_PASSWORD' })
    })
  }

  for (const prf of prfs) {
    test(`PBKDF2 with ${prf} is derived`, () => {
      const store = readKeyStore(pkcs12([bag(2, read(`${prf}.der`), 'k')], []), 'PKCS12', 'changeit')
      const entry = store.entry('k')
      assert.ok(entry?.kind === 'key')
      assert.ok(createPublicKey(entry.privateKey(null)).equals(createPublicKey(p256!.key)))
    })
  }

  test('content encrypted with RC4 or scrypt is rejected with a remedy', () => {
    assert.throws(() => keyEntry('rc4.p12', 'p256'), {
      code: 'GW_KEYSTORE_UNSUPPORTED',
      message: /RC4; write the keystore again/,
    })
    const entry = keyEntry('rc4-key.p12', 'p256')
    assert.throws(() => entry.privateKey(null), {
      code: 'GW_KEYSTORE_UNSUPPORTED',
      message: /entry "p256": encryption with RC4/,
    })
    const scrypt = readKeyStore(pkcs12([bag(2, read('scrypt.der'), 'k')], []), 'PKCS12', 'changeit').entry('k')
    assert.ok(scrypt?.kind === 'key')
    assert.throws(() => scrypt.privateKey(null), { code: 'GW_KEYSTORE_UNSUPPORTED', message: /scrypt/ })
  })

  test('without MAC, without password, and with an empty one', () => {
    assert.match(readKeyStore(read('nomac.p12'), 'PKCS12', 'changeit').warnings.join(), /no integrity check/)
    for (const name of ['open.p12', 'empty.p12', 'empty-old.p12']) {
      for (const password of [null, '']) {
        const entry = keyEntry(name, 'p256', password)
        fits(entry, entry.privateKey(null))
      }
    }
  })

  test('passwords beyond ASCII are encoded as in openssl', () => {
    for (const name of ['unicode.p12', 'unicode-old.p12']) {
      const entry = keyEntry(name, 'p256', 'pässwörd€𝄞')
      fits(entry, entry.privateKey(null))
    }
  })

  test('certificates without the trusted attribute are no entries, as in Java', () => {
    const store = readKeyStore(read('nokeys.p12'), 'PKCS12', 'changeit')
    assert.deepEqual(store.entries, [])
    assert.match(store.warnings.join(), /2 certificates belong to no key/)
  })

  test('BER with indefinite lengths and split octet strings gives the same as DER', () => {
    for (const name of ['old.p12', 'p256.p12']) {
      writeFileSync(folder.in('streamed.p12'), streamed(read(name)))
      const entry = keyEntry('streamed.p12', 'p256')
      assert.equal(entry.chain.length, 3)
      fits(entry, entry.privateKey(null))
    }
  })

  test('one changed byte never gives another key', () => {
    const original = read('sha256.p12')
    const genuine = keyEntry('sha256.p12', 'p256').privateKey(null)
    for (let at = 0; at < original.length; at += 7) {
      const bytes = Buffer.from(original)
      bytes[at] = bytes[at]! ^ 0x40
      try {
        const entry = readKeyStore(bytes, 'PKCS12', 'changeit').entry('p256')
        assert.ok(entry?.kind === 'key' && entry.privateKey(null).equals(genuine), `offset ${at}`)
      } catch (error) {
        assert.equal((error as Error).name, 'KeyStoreError', `offset ${at}: ${error}`)
      }
    }
  })
})
