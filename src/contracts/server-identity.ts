import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/** Why a certificate does not name a host under STRICT; null where it does (decisions, "Host names under STRICT"). */
export function identityProblem(host: string, certificate: X509Certificate | undefined): string | null {
  if (certificate === undefined) return 'the server showed no certificate'
  const plain = host.replace(/\.$/, '')
  if (names(certificate, plain)) return null
  return `the certificate of the server does not name "${plain}"; it is for ${describe(certificate)}`
}

function names(certificate: X509Certificate, host: string): boolean {
  if (isIP(host) !== 0) return certificate.checkIP(host) !== undefined
  // A name with NUL or other invalid bytes is not a host name (threats B49).
  if (certificate.subjectAltName !== undefined) return certificate.checkHost(host, SUBJECT_ALT_NAMES) !== undefined
  const name = firstName(certificate)
  return name !== null && matches(name.toLowerCase(), host.toLowerCase())
}

const SUBJECT_ALT_NAMES = {
  subject: 'never',
  wildcards: true,
  partialWildcards: false,
  multiLabelWildcards: false,
  singleLabelSubdomains: false,
} as const

function firstName(certificate: X509Certificate): string | null {
  const { CN } = certificate.toLegacyObject().subject as { CN?: string | readonly string[] }
  return (typeof CN === 'string' ? CN : CN?.[0]) ?? null
}

const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/

/** A wildcard matches one label, and no public suffix. */
function matches(name: string, host: string): boolean {
  if (!name.startsWith('*.')) return HOST_NAME.test(name) && name === host
  const parent = name.slice(2)
  return HOST_NAME.test(parent) && parent.includes('.') && host.replace(/^[^.]+\./, '') === parent && host !== parent
}

function describe(certificate: X509Certificate): string {
  const text = certificate.subjectAltName ?? certificate.subject ?? 'an unnamed subject'
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}...` : text)
}
