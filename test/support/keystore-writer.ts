// Writes keystores for tests: small, deterministic, and with configurable faults.
import {
  createCipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  pbkdf2Sync,
  sign,
} from 'node:crypto'

/** One element of DER. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const length = Buffer.from(
    body.length.toString(16).padStart(2 * Math.ceil(body.length.toString(16).length / 2), '0'),
    'hex',
  )
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body])
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => der(0x30, ...content)
export const set = (...content: readonly Uint8Array[]): Buffer => der(0x31, ...content)
export const octets = (content: Uint8Array): Buffer => der(0x04, content)
export const explicit = (tag: number, content: Uint8Array): Buffer => der(0xa0 | tag, content)
const nothing = der(0x05)

export function integer(value: number): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.padStart(2 * Math.ceil(hex.length / 2), '0'), 'hex')
  return der(0x02, bytes[0]! > 0x7f ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes)
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const arcs = [40 * first + second, ...rest].map((arc) => {
    const bytes = [arc % 128]
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) bytes.unshift(0x80 | (left % 128))
    return Buffer.from(bytes)
  })
  return der(0x06, ...arcs)
}

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

/** A certificate for a key, signed by an Ed25519 key; names are common names. */
export function certificateOf(subject: string, publicKey: KeyObject, issuer: string, signer: KeyObject): Buffer {
  const algorithm = sequence(oid('1.3.101.112'))
  const named = (name: string): Buffer => sequence(set(sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(name)))))
  const time = (text: string): Buffer => der(0x17, Buffer.from(text))
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const tbs = sequence(
    explicit(0, integer(2)),
    integer(createHash('sha1').update(spki).digest().readUIntBE(0, 6)),
    algorithm,
    named(issuer),
    sequence(time('200101000000Z'), time('491231235959Z')),
    named(subject),
    spki,
  )
  return sequence(tbs, algorithm, der(0x03, Buffer.alloc(1), sign(null, tbs, signer)))
}

/** A key with its certificate. */
export interface Identity {
  readonly pkcs8: Buffer
  readonly key: KeyObject
  readonly certificate: Buffer
}

/** An Ed25519 key derived from one byte, with a self-signed certificate. */
export function identity(seed: number, name = `key ${seed}`): Identity {
  const pkcs8 = sequence(integer(0), sequence(oid('1.3.101.112')), octets(octets(Buffer.alloc(32, seed))))
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  return { pkcs8, key, certificate: certificateOf(name, createPublicKey(key), name, key) }
}

/** Differences from a usual PKCS #12 file. */
export interface Pkcs12Options {
  readonly password?: string
  readonly iterations?: number
  readonly mac?: 'pkcs12' | 'pbmac1' | 'none'
  readonly encrypted?: boolean
  /** What PBMAC1 says its key is long; the MAC is made with it. */
  readonly macKeyLength?: number
  /** The password as the key derivation of PKCS #12 gets it; null where a tool leaves the two zero bytes out. */
  readonly bmpPassword?: Buffer
}

/** PBKDF2 with HMAC-SHA-256 as an AlgorithmIdentifier. */
export function pbkdf2Algorithm(salt: Buffer, iterations: number, keyLength?: number): Buffer {
  const length = keyLength === undefined ? [] : [integer(keyLength)]
  const prf = sequence(oid('1.2.840.113549.2.9'), nothing)
  return sequence(oid('1.2.840.113549.1.5.12'), sequence(octets(salt), integer(iterations), ...length, prf))
}

/** PBES2 with AES-256-CBC: the AlgorithmIdentifier and the encrypted content. */
export function pbes2(content: Buffer, password: string, iterations: number): readonly [Buffer, Buffer] {
  const salt = Buffer.alloc(16, 0x5a)
  const iv = Buffer.alloc(16, 0xa5)
  const cipher = createCipheriv('aes-256-cbc', pbkdf2Sync(password, salt, iterations, 32, 'sha256'), iv)
  const scheme = sequence(oid('2.16.840.1.101.3.4.1.42'), octets(iv))
  return [
    sequence(oid('1.2.840.113549.1.5.13'), sequence(pbkdf2Algorithm(salt, iterations), scheme)),
    Buffer.concat([cipher.update(content), cipher.final()]),
  ]
}

const bagType = (number: number): Buffer => oid(`1.2.840.113549.1.12.10.1.${number}`)

/** A bag with friendly name and local key id. */
export function bag(number: number, content: Buffer, name?: string, keyId?: string, trusted?: 'trusted'): Buffer {
  const attributes = [
    ...(name === undefined ? [] : [sequence(oid('1.2.840.113549.1.9.20'), set(der(0x1e, utf16be(name))))]),
    ...(keyId === undefined ? [] : [sequence(oid('1.2.840.113549.1.9.21'), set(octets(Buffer.from(keyId))))]),
    ...(trusted === undefined ? [] : [sequence(oid('2.16.840.1.113894.746875.1.1'), set(oid('2.5.29.37.0')))]),
  ]
  return sequence(bagType(number), explicit(0, content), ...(attributes.length > 0 ? [set(...attributes)] : []))
}

export const certificateBag = (certificate: Buffer): Buffer =>
  sequence(oid('1.2.840.113549.1.9.22.1'), explicit(0, octets(certificate)))

/** A PKCS #12 file with safe contents; the first are plain, the others encrypted by option. */
export function pkcs12(plain: readonly Buffer[], others: readonly Buffer[], options: Pkcs12Options = {}): Buffer {
  const { password = 'changeit', iterations = 1, encrypted = true } = options
  const data = (content: Buffer): Buffer => sequence(oid('1.2.840.113549.1.7.1'), explicit(0, octets(content)))
  const safe = sequence(...others)
  const [algorithm, ciphertext] = pbes2(safe, password, iterations)
  const info = sequence(oid('1.2.840.113549.1.7.1'), algorithm, der(0x80, ciphertext))
  const sealed = sequence(oid('1.2.840.113549.1.7.6'), explicit(0, sequence(integer(0), info)))
  return pfx(sequence(data(sequence(...plain)), encrypted ? sealed : data(safe)), options)
}

/** The outermost layer of PKCS #12 around an AuthenticatedSafe, with its MAC. */
export function pfx(authenticatedSafe: Buffer, options: Pkcs12Options = {}): Buffer {
  const content = sequence(oid('1.2.840.113549.1.7.1'), explicit(0, octets(authenticatedSafe)))
  return sequence(integer(3), content, ...macOf(authenticatedSafe, options))
}

function macOf(
  content: Buffer,
  { password = 'changeit', iterations = 1, mac = 'pkcs12', macKeyLength = 32, bmpPassword }: Pkcs12Options,
): Buffer[] {
  const salt = Buffer.alloc(8, 0x33)
  const digestInfo = (algorithm: Buffer, key: Buffer): Buffer =>
    sequence(algorithm, octets(createHmac('sha256', key).update(content).digest()))
  if (mac === 'none') return []
  if (mac === 'pbmac1') {
    const parameters = sequence(
      pbkdf2Algorithm(salt, iterations, macKeyLength),
      sequence(oid('1.2.840.113549.2.9'), nothing),
    )
    const key = pbkdf2Sync(password, salt, iterations, Math.max(1, Math.min(macKeyLength, 4096)), 'sha256')
    return [sequence(digestInfo(sequence(oid('1.2.840.113549.1.5.14'), parameters), key), octets(salt), integer(1))]
  }
  const bmp = bmpPassword ?? utf16be(`${password}\0`)
  const filled = bmp.length === 0 ? bmp : Buffer.alloc(64 * Math.ceil(bmp.length / 64), bmp)
  let key = createHash('sha256').update(Buffer.alloc(64, 3)).update(Buffer.alloc(64, salt)).update(filled).digest()
  for (let round = 1; round < iterations; round++) key = createHash('sha256').update(key).digest()
  return [
    sequence(digestInfo(sequence(oid('2.16.840.1.101.3.4.2.1'), nothing), key), octets(salt), integer(iterations)),
  ]
}

/** The digest at the end of JKS and JCEKS. */
export function withJavaDigest(body: Buffer, password = 'changeit'): Buffer {
  return Buffer.concat([
    body,
    createHash('sha1').update(utf16be(password)).update('Mighty Aphrodite').update(body).digest(),
  ])
}

const int = (value: number): Buffer => Buffer.from(value.toString(16).padStart(8, '0'), 'hex')
const utf = (text: string): Buffer => Buffer.concat([int(text.length).subarray(2), Buffer.from(text, 'latin1')])
const counted = (bytes: Buffer): Buffer => Buffer.concat([int(bytes.length), bytes])
const date = Buffer.from('0000018bcfe56800', 'hex')
const x509 = (certificate: Buffer): Buffer => Buffer.concat([utf('X.509'), counted(certificate)])

/** A JKS or JCEKS file of these entries, with its digest. */
export function javaKeyStore(type: 'JKS' | 'JCEKS', entries: readonly Buffer[], password = 'changeit'): Buffer {
  const magic = Buffer.from(type === 'JKS' ? 'feedfeed' : 'cececece', 'hex')
  return withJavaDigest(Buffer.concat([magic, int(2), int(entries.length), ...entries]), password)
}

export const javaTrusted = (alias: string, certificate: Buffer): Buffer =>
  Buffer.concat([int(2), utf(alias), date, x509(certificate)])

/** A private key under Sun's protector or, with iterations, under PBEWithMD5AndTripleDES. */
export function javaKey(alias: string, pkcs8: Buffer, chain: readonly Buffer[], iterations?: number): Buffer {
  const protectedKey = iterations === undefined ? sunProtected(pkcs8) : tripleDesProtected(pkcs8, iterations)
  return Buffer.concat([int(1), utf(alias), date, counted(protectedKey), int(chain.length), ...chain.map(x509)])
}

function sunProtected(pkcs8: Buffer): Buffer {
  const chars = utf16be('changeit')
  const hashed = (bytes: Buffer): Buffer => createHash('sha1').update(chars).update(bytes).digest()
  const salt = Buffer.alloc(20, 0x77)
  const links = [hashed(salt)]
  while (links.length * 20 < pkcs8.length) links.push(hashed(links.at(-1)!))
  const stream = Buffer.concat(links)
  const data = Buffer.concat([salt, pkcs8.map((byte, at) => byte ^ stream[at]!), hashed(pkcs8)])
  return sequence(sequence(oid('1.3.6.1.4.1.42.2.17.1.1'), nothing), octets(data))
}

const tripleDesSalt = Buffer.from('0102030405060708', 'hex')
const tripleDesParameters = (iterations: number): Buffer => sequence(octets(tripleDesSalt), integer(iterations))

function tripleDes(content: Buffer, iterations: number): Buffer {
  const material = [tripleDesSalt.subarray(0, 4), tripleDesSalt.subarray(4)].map((half) => {
    let link: Buffer = half
    for (let round = 0; round < iterations; round++) link = createHash('md5').update(link).update('changeit').digest()
    return link
  })
  const bytes = Buffer.concat(material)
  const cipher = createCipheriv('des-ede3-cbc', bytes.subarray(0, 24), bytes.subarray(24))
  return Buffer.concat([cipher.update(content), cipher.final()])
}

function tripleDesProtected(pkcs8: Buffer, iterations: number): Buffer {
  const algorithm = sequence(oid('1.3.6.1.4.1.42.2.19.1'), tripleDesParameters(iterations))
  return sequence(algorithm, octets(tripleDes(pkcs8, iterations)))
}

const byteArrayClass = Buffer.concat([
  Buffer.from([0x72]),
  utf('[B'),
  Buffer.alloc(8),
  Buffer.from('0200007870', 'hex'),
])
const javaBytes = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0x75]), byteArrayClass, counted(bytes)])
const javaText = (text: string): Buffer => Buffer.concat([Buffer.from([0x74]), utf(text)])

/** One serialised Java object whose fields are text and bytes. */
export function javaObject(className: string, fields: Readonly<Record<string, string | Buffer>>): Buffer {
  const values = Object.entries(fields)
  const described = values.map(([name, value]) => {
    const bytes = Buffer.isBuffer(value)
    return Buffer.concat([Buffer.from(bytes ? '[' : 'L'), utf(name), javaText(bytes ? '[B' : 'Ljava/lang/String;')])
  })
  return Buffer.concat([
    Buffer.from('aced00057372', 'hex'),
    utf(className),
    Buffer.alloc(8),
    Buffer.from([0x02]),
    int(values.length).subarray(2),
    ...described,
    Buffer.from([0x78, 0x70]),
    ...values.map(([, value]) => (Buffer.isBuffer(value) ? javaBytes(value) : javaText(value))),
  ])
}

/** A secret entry of JCEKS: a serialised object, sealed as by Java. */
export function javaSecret(alias: string, serialised: Buffer, iterations: number): Buffer {
  const sealed = javaObject('javax.crypto.SealedObject', {
    encodedParams: tripleDesParameters(iterations),
    encryptedContent: tripleDes(serialised, iterations),
    paramsAlg: 'PBEWithMD5AndTripleDES',
    sealAlg: 'PBEWithMD5AndTripleDES',
  })
  return Buffer.concat([int(3), utf(alias), date, sealed])
}
