import { Certificate, exposed } from '#expression'

/**
 * The subject of the certificate that the client proved to hold: the first. Those behind it only vouch for it, and
 * a client may send any.
 */
export function subjectOf(certificates: readonly unknown[]): string | null {
  const [own] = certificates
  if (!(own instanceof Certificate)) return null
  const subject = own[exposed].get?.['subjectDN']?.(own)
  return typeof subject === 'string' && subject !== '' ? subject : null
}
