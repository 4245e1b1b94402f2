import type { X509Certificate } from 'node:crypto'
import { type Exposure, exposed } from './exposed.ts'
import { Instant } from './instant.ts'

const exposure: Exposure<Certificate> = {
  kind: 'certificate',
  get: {
    subjectDN: (self) => self.subject,
    issuerDN: (self) => distinguishedName(self.x509.issuer),
    serialNumber: (self) => self.x509.serialNumber,
    notBefore: (self) => new Instant(self.x509.validFromDate.getTime()),
    notAfter: (self) => new Instant(self.x509.validToDate.getTime()),
    subjectAlternativeNames: (self) => alternativeNames(self.x509.subjectAltName),
    fingerprint256: (self) => self.x509.fingerprint256,
    pem: (self) => self.x509.toString(),
  },
}

/** An X.509 certificate for expressions. */
export class Certificate {
  readonly x509: X509Certificate

  constructor(x509: X509Certificate) {
    this.x509 = x509
  }

  /** Distinguished name in the form of RFC 4514. */
  get subject(): string {
    return distinguishedName(this.x509.subject)
  }

  get [exposed](): Exposure<Certificate> {
    return exposure
  }
}

/** Node prints one attribute per line, the most general first; RFC 4514 has them on one line in reverse order. */
function distinguishedName(lines: string | undefined): string {
  return (lines ?? '').split('\n').reverse().join(', ')
}

/** Splits `DNS:a, IP Address:b` at its commas, except those within quotes. */
function alternativeNames(names: string | undefined): string[] {
  if (names === undefined || names === '') return []
  return names.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g)?.map((name) => name.trim()) ?? []
}
