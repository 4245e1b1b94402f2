import { createHash, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import {
  bits,
  implicit,
  integer,
  nullValue,
  octets,
  oid,
  sequence,
  set,
  tagged,
  time,
  trueValue,
  utf8,
} from './der-writer.ts'

/** A subject alternative name (RFC 5280 section 4.2.1.6). */
export interface AltName {
  readonly tag: number
  readonly bytes: Uint8Array
}

/** Content of a certificate. */
interface SelfSigned {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly commonName: string
  /** Null for a certificate without the extension, as old ones are. */
  readonly altNames: readonly AltName[] | null
  readonly notBefore: Date
  readonly notAfter: Date
}

const COMMON_NAME = '2.5.4.3'
const EXTENSION = {
  subjectKeyId: '2.5.29.14',
  authorityKeyId: '2.5.29.35',
  keyUsage: '2.5.29.15',
  altNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
}
const SERVER_AND_CLIENT = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']

/** The alternative name of a host name or an address. */
export function altName(host: string): AltName {
  const family = isIP(host)
  if (family === 0) return { tag: 2, bytes: Buffer.from(host, 'latin1') }
  return { tag: 7, bytes: family === 4 ? Buffer.from(host.split('.').map(Number)) : ipv6Bytes(host) }
}

function ipv6Bytes(host: string): Buffer {
  // The URL parser normalises: groups in hex, at most one `::`.
  const [left = '', right] = new URL(`http://[${host}]/`).hostname.slice(1, -1).split('::')
  const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'))
  const [before, after] = [groups(left), groups(right)]
  const gap = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return Buffer.concat([...before, ...gap, ...after].map((group) => Buffer.from(group.padStart(4, '0'), 'hex')))
}

/** RFC 5280 section 4.1. */
export function selfSigned(wish: SelfSigned): X509Certificate {
  const { privateKey, publicKey, commonName, notBefore, notAfter } = wish
  const algorithm = signatureAlgorithm(privateKey)
  const name = sequence(set(sequence(oid(COMMON_NAME), utf8(commonName))))
  const serial = randomBytes(16)
  serial[0] = (serial[0]! & 0x7f) | 0x40
  const content = sequence(
    tagged(0, integer(2)),
    integer(serial),
    algorithm,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensions(wish))),
  )
  const hash = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  return new X509Certificate(sequence(content, algorithm, bits(sign(hash, content, privateKey))))
}

function signatureAlgorithm({ asymmetricKeyType }: KeyObject): Buffer {
  if (asymmetricKeyType === 'rsa') return sequence(oid('1.2.840.113549.1.1.11'), nullValue())
  if (asymmetricKeyType === 'ec') return sequence(oid('1.2.840.10045.4.3.2'))
  if (asymmetricKeyType === 'ed25519') return sequence(oid('1.3.101.112'))
  throw new TypeError(`expected a key of type rsa, ec or ed25519, got ${asymmetricKeyType}`)
}

function extensions({ altNames, privateKey, publicKey }: SelfSigned): Buffer[] {
  const keyId = keyIdentifier(publicKey)
  const names = altNames?.map(({ tag, bytes }) => implicit(tag, bytes))
  // digitalSignature, and keyEncipherment for RSA.
  const usage = privateKey.asymmetricKeyType === 'rsa' ? bits(Buffer.from([0xa0]), 5) : bits(Buffer.from([0x80]), 7)
  return [
    sequence(oid(EXTENSION.basicConstraints), trueValue(), octets(sequence())),
    sequence(oid(EXTENSION.keyUsage), trueValue(), octets(usage)),
    sequence(oid(EXTENSION.extendedKeyUsage), octets(sequence(...SERVER_AND_CLIENT.map(oid)))),
    sequence(oid(EXTENSION.subjectKeyId), octets(octets(keyId))),
    sequence(oid(EXTENSION.authorityKeyId), octets(sequence(implicit(0, keyId)))),
    ...(names === undefined ? [] : [sequence(oid(EXTENSION.altNames), octets(sequence(...names)))]),
  ]
}

/** RFC 7093 section 2: a hash of the key, truncated to the length of SHA-1. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const key = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest().subarray(0, 20)
}
