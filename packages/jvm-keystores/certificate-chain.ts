import { X509Certificate } from 'node:crypto'
import { corrupt } from './keystore-error.ts'
import { type Budget, checkLimit, limits } from './limits.ts'

/** Candidates with the same subject that are tried as issuer; limits the comparisons that a hostile file can cause. */
const issuersTried = 16

/** Reads one certificate; no bytes may follow it. */
export function readCertificate(bytes: Buffer, budget: Budget): X509Certificate {
  budget.spendCertificate()
  checkLimit('bytes of a certificate', bytes.length, limits.certificateBytes)
  const certificate = parse(bytes)
  if (certificate.raw.length !== bytes.length) throw corrupt('certificate: bytes follow its end')
  return certificate
}

function parse(bytes: Buffer): X509Certificate {
  // OpenSSL accepts PEM as well, and the certificate would not be the bytes of the file.
  if (bytes[0] !== 0x30) throw corrupt('certificate: not X.509')
  try {
    return new X509Certificate(bytes)
  } catch {
    throw corrupt('certificate: not valid X.509')
  }
}

/** The certificates of a PKCS #12 file, which are not ordered. */
export class CertificatePool {
  readonly #bySubject: Map<string, X509Certificate[]>
  readonly #issuers = new Map<X509Certificate, X509Certificate | undefined>()

  constructor(certificates: readonly X509Certificate[]) {
    // Java repeats the certificates of an authority for each key below it.
    const distinct = new Map(certificates.map((certificate) => [certificate.fingerprint256, certificate])).values()
    this.#bySubject = Map.groupBy(distinct, (certificate) => certificate.subject ?? '')
  }

  /** The chain from a certificate up to the last known issuer. */
  chainFrom(leaf: X509Certificate): readonly X509Certificate[] {
    const chain = new Set<X509Certificate>()
    let next: X509Certificate | undefined = leaf
    while (next !== undefined && !chain.has(next) && chain.size < limits.chainLength) {
      chain.add(next)
      next = this.#issuerOf(next)
    }
    return [...chain]
  }

  #issuerOf(certificate: X509Certificate): X509Certificate | undefined {
    if (this.#issuers.has(certificate)) return this.#issuers.get(certificate)
    const candidates = this.#bySubject.get(certificate.issuer ?? '')?.slice(0, issuersTried) ?? []
    const issuer = certificate.checkIssued(certificate)
      ? undefined
      : candidates.find((candidate) => certificate.checkIssued(candidate))
    this.#issuers.set(certificate, issuer)
    return issuer
  }
}
