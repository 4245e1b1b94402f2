// Certificates for tests, created without OpenSSL, with any validity and key usage.
import { generateKeyPairSync, type KeyObject, randomInt, sign, X509Certificate } from 'node:crypto'
import {
  bag,
  certificateBag,
  der,
  explicit,
  integer,
  octets,
  oid,
  pbes2,
  pkcs12,
  sequence,
  set,
} from './keystore-writer.ts'

/** A private key with the certificate of its public part. */
export interface TestIdentity {
  readonly key: KeyObject
  readonly certificate: X509Certificate
}

/** Differences from a plain self-signed certificate. */
export interface CertificateOptions {
  readonly issuer?: TestIdentity
  /** The key usage extension: the first byte of its bits, the first named bit being the highest. */
  readonly keyUsage?: number
  readonly authority?: boolean
  readonly from?: Date
  readonly to?: Date
  readonly key?: KeyObject
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))

/** A P-256 key and its certificate, valid from 2020 to 2049 by default. */
export function testIdentity(name: string, options: CertificateOptions = {}): TestIdentity {
  const key = options.key ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const { issuer, from = new Date(Date.UTC(2020, 0)), to = new Date(Date.UTC(2050, 0)) } = options
  const subject = distinguishedName(name)
  const issuerName = issuer === undefined ? subject : distinguishedName(issuer.certificate.subject.replace(/^CN=/, ''))
  const { publicKey } = keyPairOf(key)
  const signed = sequence(
    explicit(0, integer(2)),
    integer(randomInt(1, 2 ** 31)),
    ECDSA_SHA256,
    issuerName,
    sequence(time(from), time(to)),
    subject,
    publicKey,
    ...extensions(options),
  )
  const signature = sign('sha256', signed, issuer?.key ?? key)
  const certificate = new X509Certificate(sequence(signed, ECDSA_SHA256, bits(signature)))
  return { key, certificate }
}

function keyPairOf(key: KeyObject): { publicKey: Buffer } {
  const { x, y } = key.export({ format: 'jwk' })
  const point = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(x as string, 'base64url'),
    Buffer.from(y as string, 'base64url'),
  ])
  return { publicKey: sequence(sequence(oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7')), bits(point)) }
}

function extensions({ keyUsage, authority }: CertificateOptions): Buffer[] {
  const critical = der(0x01, Buffer.from([0xff]))
  const list = [
    ...(authority ? [sequence(oid('2.5.29.19'), critical, octets(sequence(critical)))] : []),
    ...(keyUsage === undefined ? [] : [sequence(oid('2.5.29.15'), critical, octets(bits(Buffer.from([keyUsage]))))]),
  ]
  return list.length === 0 ? [] : [explicit(3, sequence(...list))]
}

function bits(content: Uint8Array): Buffer {
  return der(0x03, Buffer.alloc(1), content)
}

function distinguishedName(name: string): Buffer {
  return sequence(set(sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(name)))))
}

function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`))
}

/** A PKCS #12 file with a key under each alias; its password is `changeit`. */
export function keyStoreWith(...aliases: readonly string[]): Buffer {
  const identities = aliases.map((alias) => ({ alias, ...testIdentity(alias) }))
  const keys = identities.map(({ alias, key }) => {
    const [algorithm, encrypted] = pbes2(key.export({ format: 'der', type: 'pkcs8' }), 'changeit', 1)
    return bag(2, sequence(algorithm, octets(encrypted)), alias, alias)
  })
  const certificates = identities.map(({ alias, certificate }) => bag(3, certificateBag(certificate.raw), alias, alias))
  return pkcs12(keys, certificates)
}
