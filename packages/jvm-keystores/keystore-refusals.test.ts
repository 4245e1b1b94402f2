import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSecureContext } from 'node:tls'
import {
  other,
  own,
  sampleJceks,
  sampleJks,
  samplePassword,
  samplePkcs12,
  sampleSecret,
} from '../../test/support/keystore-samples.ts'
import {
  bag,
  certificateBag,
  der,
  explicit,
  identity,
  integer,
  javaKey,
  javaKeyStore,
  javaObject,
  javaSecret,
  javaTrusted,
  octets,
  oid,
  pbes2,
  pbkdf2Algorithm,
  pfx,
  pkcs12,
  sequence,
  withJavaDigest,
} from '../../test/support/keystore-writer.ts'
import { threadTime } from '../../test/support/loop-watch.ts'
import { type KeyStoreErrorCode, type KeyStoreType, readKeyStore } from './index.ts'
import { decryptRc2Cbc } from './rc2.ts'

const samples: Readonly<Record<KeyStoreType, Buffer>> = {
  PKCS12: samplePkcs12(),
  JKS: sampleJks(),
  JCEKS: sampleJceks(),
}
const types = Object.keys(samples) as KeyStoreType[]

function refused(
  bytes: Buffer,
  code: KeyStoreErrorCode,
  message: RegExp,
  password: string | null = samplePassword,
): void {
  assert.throws(() => readKeyStore(bytes, 'PKCS12', password), { name: 'KeyStoreError', code, message })
}

/** Milliseconds within which a hostile file must be rejected. */
function quickly(run: () => void): void {
  const start = threadTime()
  run()
  assert.ok(threadTime() - start < 2_000)
}

for (const type of types) {
  test(`${type}: key, certificates and secret are read`, () => {
    const store = readKeyStore(samples[type], type, samplePassword)
    const mine = store.entry('MINE')
    const theirs = store.entry('theirs')

    assert.deepEqual(store.warnings, [])
    assert.ok(mine?.kind === 'key' && theirs?.kind === 'trusted')
    assert.equal(mine.privateKey(null).asymmetricKeyType, 'ed25519')
    assert.deepEqual(
      mine.chain.map(({ raw }) => raw.toString('hex')),
      [own.certificate.toString('hex')],
    )
    assert.deepEqual(mine.created, new Date(1_700_000_000_000))
    assert.equal(theirs.certificate.raw.toString('hex'), other.certificate.toString('hex'))
    const secret = store.entry('secret')
    if (type === 'JKS') return assert.equal(secret, undefined)
    assert.ok(secret?.kind === 'secret')
    assert.deepEqual(secret.secret(samplePassword), { algorithm: 'AES', bytes: Buffer.alloc(32, 7) })
  })

  test(`${type}: wrong password, missing password and damaged file are distinguished`, () => {
    refused(samples[type], 'GW_KEYSTORE_PASSWORD', /the password is wrong, or the file was changed/, 'guess')
    refused(samples[type], 'GW_KEYSTORE_PASSWORD', /protected by a password, and none was given/, null)
    const damaged = Buffer.from(samples[type])
    const at = damaged.indexOf(Buffer.from('mine', type === 'PKCS12' ? 'utf16le' : 'latin1').subarray(0, 3))
    damaged[at] = damaged[at]! ^ 1
    refused(damaged, 'GW_KEYSTORE_CORRUPT', /the password is right, but the integrity check fails/)
  })

  test(`${type}: the error of a wrong entry password names the entry and contains no secret`, () => {
    const store = readKeyStore(samples[type], type, samplePassword)
    const mine = store.entry('mine')
    assert.ok(mine?.kind === 'key')
    assert.throws(
      () => mine.privateKey('hunter2'),
      (error: Error & { code?: string }) =>
        error.code === 'GW_KEYSTORE_PASSWORD' &&
        /entry "mine"/.test(error.message) &&
        !/hunter2|changeit/.test(error.message),
    )
  })

  test(`${type}: a truncated file is rejected at any length`, () => {
    const whole = samples[type]
    for (let part = 0; part < 50; part++) {
      const cut = whole.subarray(0, Math.floor((whole.length * part) / 50))
      refused(cut, 'GW_KEYSTORE_CORRUPT', /./)
    }
  })

  test(`${type}: the content decides the format, and a wrong declaration is a warning`, () => {
    for (const declared of types.filter((name) => name !== type)) {
      const store = readKeyStore(samples[type], declared, samplePassword)
      assert.equal(store.type, type)
      assert.deepEqual(store.warnings, [`this file is a ${type} keystore, not ${declared}; set storeType to ${type}`])
    }
  })
}

test('the error for a file that is no keystore names its format', () => {
  refused(Buffer.alloc(0), 'GW_KEYSTORE_CORRUPT', /the file is empty/)
  refused(Buffer.from('-----BEGIN CERTIFICATE-----'), 'GW_KEYSTORE_UNSUPPORTED', /PEM file/)
  refused(Buffer.from('hello'), 'GW_KEYSTORE_CORRUPT', /not a PKCS12, JKS or JCEKS keystore/)
  refused(Buffer.alloc(16 * 1024 * 1024 + 1, 0x30), 'GW_KEYSTORE_LIMIT', /bytes of the file/)
})

test('PBMAC1 is verified, as OpenSSL does', () => {
  const bytes = samplePkcs12({ mac: 'pbmac1', iterations: 2048 })
  createSecureContext({ pfx: bytes, passphrase: samplePassword })
  assert.throws(() => createSecureContext({ pfx: bytes, passphrase: 'guess' }))
  assert.equal(readKeyStore(bytes, 'PKCS12', samplePassword).entries.length, 3)
  refused(bytes, 'GW_KEYSTORE_PASSWORD', /the password is wrong/, 'guess')
})

test('B50: PBMAC1 with a key that is too long or too short is rejected (CVE-2025-11187)', () => {
  for (const macKeyLength of [0, 1, 19, 65, 4096, 2 ** 31 - 1, 2 ** 40]) {
    refused(samplePkcs12({ mac: 'pbmac1', macKeyLength }), 'GW_KEYSTORE_CORRUPT', /PBMAC1 key length/)
  }
})

test('both encodings of the empty password are accepted', () => {
  for (const bmpPassword of [Buffer.alloc(2), Buffer.alloc(0)]) {
    const bytes = samplePkcs12({ password: '', bmpPassword })
    for (const password of [null, '']) {
      const mine = readKeyStore(bytes, 'PKCS12', password).entry('mine')
      assert.ok(mine?.kind === 'key')
      assert.equal(mine.privateKey(null).asymmetricKeyType, 'ed25519')
    }
  }
})

test('a PKCS12 file without a MAC is read, with a warning if there is a password', () => {
  const bytes = samplePkcs12({ mac: 'none' })
  assert.match(readKeyStore(bytes, 'PKCS12', samplePassword).warnings.join(), /no integrity check/)
  refused(bytes, 'GW_KEYSTORE_PASSWORD', /part 2: the password is wrong/, 'guess')
  const open = samplePkcs12({ mac: 'none', encrypted: false })
  assert.deepEqual(readKeyStore(open, 'PKCS12', null).warnings, [])
})

test('unrelated certificates and bags of unknown type are skipped with a warning', () => {
  const bytes = pkcs12([bag(4, sequence(), 'crl')], [bag(3, certificateBag(own.certificate), 'stray')])
  const store = readKeyStore(bytes, 'PKCS12', samplePassword)
  assert.deepEqual(store.entries, [])
  assert.match(store.warnings.join(), /1 certificates belong to no key.*1\.2\.840\.113549\.1\.12\.10\.1\.4/)
})

test('a key without local key id gets the certificate of its name, or the first one if it is the only key', () => {
  for (const name of ['mine', undefined]) {
    const certificates = [bag(3, certificateBag(own.certificate), name), bag(3, certificateBag(other.certificate))]
    const store = readKeyStore(pkcs12([bag(1, own.pkcs8, name)], certificates), 'PKCS12', samplePassword)
    const entry = store.entry(name ?? '1')
    assert.ok(entry?.kind === 'key')
    assert.equal(entry.chain[0]?.raw.toString('hex'), own.certificate.toString('hex'))
    assert.equal(entry.privateKey(null).asymmetricKeyType, 'ed25519')
  }
})

test('a private key with the certificate of another key is rejected', () => {
  const bytes = javaKeyStore('JKS', [javaKey('mine', own.pkcs8, [other.certificate])])
  const entry = readKeyStore(bytes, 'JKS', samplePassword).entry('mine')
  assert.ok(entry?.kind === 'key')
  assert.throws(() => entry.privateKey(null), {
    code: 'GW_KEYSTORE_CORRUPT',
    message: /does not belong to its certificate/,
  })
})

test('unsupported keys have an error that names them', () => {
  const keyOf = (algorithm: Buffer): Buffer => sequence(integer(0), algorithm, octets(Buffer.alloc(64, 1)))
  const cases = [
    [sequence(oid('1.2.840.113549.1.3.1')), 'GW_KEYSTORE_UNSUPPORTED', /private key of algorithm 1\.2\.840/],
    [sequence(oid('1.2.840.10045.2.1'), oid('1.3.132.0.1')), 'GW_KEYSTORE_UNSUPPORTED', /EC key/],
    [sequence(oid('1.2.840.10045.2.1'), sequence()), 'GW_KEYSTORE_UNSUPPORTED', /curve without a name/],
    [sequence(oid('1.2.840.113549.1.1.1')), 'GW_KEYSTORE_CORRUPT', /not a valid RSA key/],
  ] as const
  for (const [algorithm, code, message] of cases) {
    const entry = readKeyStore(pkcs12([bag(1, keyOf(algorithm), 'odd')], []), 'PKCS12', samplePassword).entry('odd')
    assert.ok(entry?.kind === 'key')
    assert.throws(() => entry.privateKey(null), { code, message })
  }
})

test('of several entries with one alias the last is used, with a warning', () => {
  const entries = [javaTrusted('same', own.certificate), javaTrusted('SAME', other.certificate)]
  const store = readKeyStore(javaKeyStore('JKS', entries), 'JKS', samplePassword)
  const entry = store.entry('same')
  assert.equal(store.entries.length, 1)
  assert.ok(entry?.kind === 'trusted' && entry.certificate.raw.equals(other.certificate))
  assert.match(store.warnings.join(), /entry "same" is there 2 times/)
})

test('version 1 of JKS, where certificates have no type, is read', () => {
  const current = javaKeyStore('JKS', [javaTrusted('theirs', other.certificate)]).subarray(0, -20)
  const at = current.indexOf('X.509') - 2
  const first = Buffer.concat([current.subarray(0, at), current.subarray(at + 7)])
  first.writeUInt32BE(1, 4)
  const entry = readKeyStore(withJavaDigest(first), 'JKS', samplePassword).entry('theirs')
  assert.ok(entry?.kind === 'trusted' && entry.certificate.raw.equals(other.certificate))
})

test('later changes of the buffer have no effect', () => {
  for (const type of types) {
    const bytes = Buffer.from(samples[type])
    const entry = readKeyStore(bytes, type, samplePassword).entry('mine')
    bytes.fill(0)
    assert.ok(entry?.kind === 'key')
    assert.ok(entry.privateKey(null).equals(own.key))
  }
})

test('B50: iteration counts beyond the budget are rejected before any work', () => {
  for (const iterations of [5_000_001, 2 ** 31 - 1, 2 ** 40]) {
    const salt = Buffer.alloc(8)
    const macs = [
      sequence(
        sequence(sequence(oid('2.16.840.1.101.3.4.2.1')), octets(Buffer.alloc(32))),
        octets(salt),
        integer(iterations),
      ),
      sequence(
        sequence(
          sequence(
            oid('1.2.840.113549.1.5.14'),
            sequence(pbkdf2Algorithm(salt, iterations, 32), sequence(oid('1.2.840.113549.2.9'))),
          ),
          octets(Buffer.alloc(32)),
        ),
        octets(salt),
      ),
    ]
    for (const mac of macs) {
      const content = sequence(oid('1.2.840.113549.1.7.1'), explicit(0, octets(sequence())))
      quickly(() => refused(sequence(integer(3), content, mac), 'GW_KEYSTORE_LIMIT', /iterations/))
    }
  }
})

test('the iteration count of a JCEKS secret is limited too', () => {
  const bytes = javaKeyStore('JCEKS', [javaSecret('s', sampleSecret, 3)])
  const at = bytes.indexOf(Buffer.from('0708020103', 'hex')) + 4
  // Few bytes are left for the count: the INTEGER of one byte grows to four, and so do the lengths around it.
  const grown = Buffer.concat([
    bytes.subarray(0, at - 1),
    Buffer.from('047fffffff', 'hex'),
    bytes.subarray(at + 1, -20),
  ])
  const lengths = at - 2 - 12
  grown.writeUInt8(grown[lengths + 1]! + 3, lengths + 1)
  grown.writeUInt32BE(grown.readUInt32BE(lengths - 4) + 3, lengths - 4)
  const entry = readKeyStore(withJavaDigest(grown), 'JCEKS', samplePassword).entry('s')
  assert.ok(entry?.kind === 'secret')
  quickly(() =>
    assert.throws(() => entry.secret(null), { code: 'GW_KEYSTORE_LIMIT', message: /entry "s": iterations/ }),
  )
})

test('the parts of a file share one budget of iterations', () => {
  const part = (iterations: number, [, ciphertext]: readonly [Buffer, Buffer]): Buffer => {
    const scheme = sequence(oid('2.16.840.1.101.3.4.1.42'), octets(Buffer.alloc(16, 0xa5)))
    const derivation = pbkdf2Algorithm(Buffer.alloc(16, 0x5a), iterations)
    const algorithm = sequence(oid('1.2.840.113549.1.5.13'), sequence(derivation, scheme))
    const info = sequence(oid('1.2.840.113549.1.7.1'), algorithm, der(0x80, ciphertext))
    return sequence(oid('1.2.840.113549.1.7.6'), explicit(0, sequence(integer(0), info)))
  }
  const content = pbes2(sequence(), samplePassword, 200_000)
  const bytes = pfx(sequence(part(200_000, content), part(4_900_000, content)))
  refused(bytes, 'GW_KEYSTORE_LIMIT', /part 2: the iteration counts need 5100002 units of work/)
})

test('B50: lengths, nesting and identifiers that would exhaust memory are rejected quickly', () => {
  const nested = (depth: number): Buffer => (depth === 0 ? integer(1) : sequence(nested(depth - 1)))
  const cases: readonly (readonly [Buffer, KeyStoreErrorCode])[] = [
    [nested(100), 'GW_KEYSTORE_LIMIT'],
    [Buffer.concat(Array.from({ length: 1_000_000 }, () => Buffer.from([0x30, 0x80]))), 'GW_KEYSTORE_LIMIT'],
    [sequence(der(0x06, Buffer.alloc(8_000_000, 1))), 'GW_KEYSTORE_LIMIT'],
    [sequence(der(0x02, Buffer.alloc(8_000_000, 1))), 'GW_KEYSTORE_LIMIT'],
    [sequence(Buffer.alloc(4_000_000, der(0x05))), 'GW_KEYSTORE_LIMIT'],
    [Buffer.from('3084ffffffff02', 'hex'), 'GW_KEYSTORE_CORRUPT'],
    [Buffer.from('3088ffffffffffffffff', 'hex'), 'GW_KEYSTORE_CORRUPT'],
    [Buffer.concat([samplePkcs12(), Buffer.alloc(1)]), 'GW_KEYSTORE_CORRUPT'],
    [javaKeyStore('JKS', [Buffer.from('00000002ffff', 'hex')]), 'GW_KEYSTORE_CORRUPT'],
    [
      javaKeyStore(
        'JKS',
        Array.from({ length: 10_001 }, () => Buffer.alloc(1)),
      ),
      'GW_KEYSTORE_LIMIT',
    ],
  ]
  for (const [bytes, code] of cases) quickly(() => refused(bytes, code, /./))
})

test('a child that is longer than its parent is rejected', () => {
  const bytes = Buffer.from(samplePkcs12())
  bytes[3] = bytes[3]! - 4
  refused(bytes, 'GW_KEYSTORE_CORRUPT', /ASN\.1/)
})

test('only the classes of a secret key are read from a Java serialisation stream', () => {
  const opened = (serialised: Buffer): (() => unknown) => {
    const entry = readKeyStore(javaKeyStore('JCEKS', [javaSecret('s', serialised, 5)]), 'JCEKS', samplePassword).entry(
      's',
    )
    assert.ok(entry?.kind === 'secret')
    return () => entry.secret(null)
  }
  const unknownClass = javaObject('java.util.HashMap', { table: 'x' })
  assert.throws(opened(unknownClass), {
    code: 'GW_KEYSTORE_UNSUPPORTED',
    message: /entry "s": a serialised Java class/,
  })
  assert.throws(opened(javaObject('javax.crypto.SealedObject', {})), { code: 'GW_KEYSTORE_UNSUPPORTED' })
  assert.throws(opened(Buffer.concat([sampleSecret, Buffer.alloc(1)])), { code: 'GW_KEYSTORE_PASSWORD' })
  assert.throws(opened(javaObject('javax.crypto.spec.SecretKeySpec', { algorithm: 'AES' })), {
    code: 'GW_KEYSTORE_CORRUPT',
  })
  const alien = Buffer.concat([Buffer.from('00000003000161', 'hex'), Buffer.alloc(8), unknownClass])
  refused(javaKeyStore('JCEKS', [alien]), 'GW_KEYSTORE_UNSUPPORTED', /entry "a": a serialised Java class/)
  refused(javaKeyStore('JKS', [javaSecret('s', sampleSecret, 5)]), 'GW_KEYSTORE_CORRUPT', /which JKS does not have/)
})

test('a store of a thousand trusted certificates is read', () => {
  const certificates = Array.from({ length: 1_000 }, (_, at) => identity(1 + (at % 100), `authority ${at}`).certificate)
  const bags = certificates.map((certificate, at) =>
    bag(3, certificateBag(certificate), `ca ${at}`, undefined, 'trusted'),
  )
  assert.equal(readKeyStore(pkcs12([], bags), 'PKCS12', samplePassword).entries.length, 1_000)
})

test('RC2 decrypts the vectors of RFC 2268 section 5', () => {
  const vectors = [['88bca90e90875a7f0f79c384627bafb2', '2269552ab0f85ca6', '0000000000000000']] as const
  for (const [key, ciphertext, plain] of vectors) {
    const decrypted = decryptRc2Cbc(Buffer.from(ciphertext, 'hex'), Buffer.from(key, 'hex'), Buffer.alloc(8))
    assert.equal(decrypted.toString('hex'), plain)
  }
})
