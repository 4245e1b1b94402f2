// java.security.cert: X.509 certificates in PEM or DER. They are read, not validated: a chain is checked by TLS and by secret stores.
import { X509Certificate } from 'node:crypto'
import { spend } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { andThen } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass, declareInterface } from '../../values/classes.ts'
import { ListValue } from '../../values/collection.ts'
import { ByteArray } from '../../values/java-array.ts'
import { BigIntegerValue } from '../../values/numbers.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import type { InputStreamValue } from '../io/input.ts'
import { currentMillis } from '../system/system.ts'
import { DateValue } from '../time/date.ts'
import { alternativeNames, distinguishedName } from './distinguished-name.ts'
import { GeneralSecurityException, InvalidKeyException, type PairKeyValue, pairKey } from './keys.ts'

const FactoryClass = declareClass('java.security.cert.CertificateFactory')
const CertificateClass = declareClass('java.security.cert.Certificate')
const X509Class = declareClass('java.security.cert.X509Certificate', { parent: CertificateClass })
const PrincipalInterface = declareInterface('java.security.Principal')
const X500PrincipalClass = declareClass('javax.security.auth.x500.X500Principal', { interfaces: [PrincipalInterface] })

const CertificateException = declareException('java.security.cert.CertificateException', GeneralSecurityException)
declareException('java.security.cert.CertificateParsingException', CertificateException)
const Expired = declareException('java.security.cert.CertificateExpiredException', CertificateException)
const NotYetValid = declareException('java.security.cert.CertificateNotYetValidException', CertificateException)

/** Larger ones are no certificates. */
const MAX_BYTES = 100_000

/** A certificate. */
export class CertificateValue extends GroovyObject {
  readonly x509: X509Certificate

  constructor(x509: X509Certificate) {
    super()
    this.x509 = x509
  }

  get klass(): ClassInfo {
    return X509Class
  }

  override equalityKey(): string {
    return this.x509.fingerprint256
  }

  /** Throws InvalidKeyException where its algorithm is not supported. */
  publicKey(): PairKeyValue {
    const key = pairKey(this.x509.publicKey)
    if (key !== null) return key
    throw throwable(InvalidKeyException, `unsupported key of type ${this.x509.publicKey.asymmetricKeyType}`)
  }
}

/** The subject or issuer of a certificate; `nameSeparator` is that of `getName`. */
class PrincipalValue extends GroovyObject {
  readonly lines: string
  readonly nameSeparator: ', ' | ','

  constructor(lines: string | undefined, nameSeparator: ', ' | ',') {
    super()
    this.lines = lines ?? ''
    this.nameSeparator = nameSeparator
  }

  get klass(): ClassInfo {
    return X500PrincipalClass
  }

  override equalityKey(): string {
    return this.lines
  }
}

class FactoryValue extends GroovyObject {
  get klass(): ClassInfo {
    return FactoryClass
  }
}

function factory(type: string): FactoryValue {
  if (/^X\.?509$/i.test(type)) return new FactoryValue()
  throw throwable(CertificateException, `${type} not found; available: X.509`)
}

function parsed(rest: Uint8Array): CertificateValue {
  spend(rest.length)
  try {
    if (rest.length <= MAX_BYTES) return new CertificateValue(new X509Certificate(Buffer.from(rest)))
  } catch {
    // Reported below, as a text that is too long is.
  }
  throw throwable(CertificateException, 'Could not parse certificate: expected one in PEM or DER')
}

function checkValidity({ x509 }: CertificateValue, millis: number): void {
  const [from, to] = [x509.validFromDate, x509.validToDate]
  if (millis < from.getTime()) throw throwable(NotYetValid, `NotBefore: ${from.toISOString()}`)
  if (millis > to.getTime()) throw throwable(Expired, `NotAfter: ${to.toISOString()}`)
}

extend(FactoryClass, {
  'static getInstance(String type): CertificateFactory': factory,
  'generateCertificate(InputStream stream): X509Certificate': (_: FactoryValue, stream: InputStreamValue) =>
    andThen(
      stream.read((rest) => [rest.length, new ByteArray(Uint8Array.from(rest))]),
      (bytes) => parsed((bytes as ByteArray).bytes),
    ),
})

extend(CertificateClass, {
  'getPublicKey(): PublicKey': (self: CertificateValue) => self.publicKey(),
  'getEncoded(): byte[]': ({ x509 }: CertificateValue) => new ByteArray(Uint8Array.from(x509.raw)),
  'getType(): String': () => 'X.509',
  'verify(PublicKey key): void': ({ x509 }: CertificateValue, { key }: PairKeyValue) => {
    if (!x509.verify(key)) throw throwable(CertificateException, 'Signature does not match.')
  },
})

/** Names that Java has for algorithms of signatures; others are named by their object identifier. */
const SIGNATURE_NAMES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.5': 'SHA1withRSA',
  '1.2.840.113549.1.1.10': 'RSASSA-PSS',
  '1.2.840.113549.1.1.11': 'SHA256withRSA',
  '1.2.840.113549.1.1.12': 'SHA384withRSA',
  '1.2.840.113549.1.1.13': 'SHA512withRSA',
  '1.2.840.10045.4.3.2': 'SHA256withECDSA',
  '1.2.840.10045.4.3.3': 'SHA384withECDSA',
  '1.2.840.10045.4.3.4': 'SHA512withECDSA',
  '1.3.101.112': 'Ed25519',
  '1.3.101.113': 'Ed448',
}

/** The version field of RFC 5280 (4.1.2.1): `[0] INTEGER` first in the second sequence, absent for version 1. */
function versionOf(der: Uint8Array): number {
  const afterHeader = (at: number) => at + 2 + ((der[at + 1] as number) > 0x80 ? (der[at + 1] as number) & 0x7f : 0)
  const field = afterHeader(afterHeader(0))
  return der[field] === 0xa0 ? (der[field + 4] as number) + 1 : 1
}

const nullIfEmpty = (items: readonly Value[]): Value => (items.length === 0 ? null : new ListValue([...items]))

extend(X509Class, {
  'getSubjectDN(): Principal': ({ x509 }: CertificateValue) => new PrincipalValue(x509.subject, ', '),
  'getIssuerDN(): Principal': ({ x509 }: CertificateValue) => new PrincipalValue(x509.issuer, ', '),
  'getSubjectX500Principal(): X500Principal': ({ x509 }: CertificateValue) => new PrincipalValue(x509.subject, ','),
  'getIssuerX500Principal(): X500Principal': ({ x509 }: CertificateValue) => new PrincipalValue(x509.issuer, ','),
  'getSerialNumber(): BigInteger': ({ x509 }: CertificateValue) =>
    new BigIntegerValue(BigInt(`0x${x509.serialNumber}`)),
  'getNotBefore(): Date': ({ x509 }: CertificateValue) => new DateValue(x509.validFromDate.getTime()),
  'getNotAfter(): Date': ({ x509 }: CertificateValue) => new DateValue(x509.validToDate.getTime()),
  'checkValidity(): void': (self: CertificateValue) => checkValidity(self, currentMillis()),
  'checkValidity(Date date): void': (self: CertificateValue, { millis }: DateValue) => checkValidity(self, millis),
  'getSubjectAlternativeNames(): Collection': ({ x509 }: CertificateValue) =>
    nullIfEmpty(alternativeNames(x509.subjectAltName).map((each) => new ListValue([...each]))),
  'getExtendedKeyUsage(): List': ({ x509 }: CertificateValue) => nullIfEmpty(x509.keyUsage ?? []),
  'getSigAlgName(): String': ({ x509 }: CertificateValue) => {
    const oid = x509.signatureAlgorithmOid
    return (oid === undefined ? null : SIGNATURE_NAMES[oid]) ?? oid ?? null
  },
  'getSigAlgOID(): String': ({ x509 }: CertificateValue) => x509.signatureAlgorithmOid ?? null,
  'getVersion(): int': ({ x509 }: CertificateValue) => versionOf(x509.raw),
  'toString(): String': ({ x509 }: CertificateValue) => x509.toString(),
})

extend(PrincipalInterface, {
  'getName(): String': ({ lines, nameSeparator }: PrincipalValue) => distinguishedName(lines, nameSeparator),
})

extend(X500PrincipalClass, {
  'toString(): String': ({ lines }: PrincipalValue) => distinguishedName(lines, ', '),
})
