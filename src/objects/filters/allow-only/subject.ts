import { Certificate, exposed } from '#expression'

/**
 * The subject of the client certificate: the first of the chain. For the others the client has proved no possession of a key.
 */
export function subjectOf(certificates: readonly unknown[]): string | null {
  const [own] = certificates
  if (!(own instanceof Certificate)) return null
  const subject = own[exposed].get?.['subjectDN']?.(own)
  return typeof subject === 'string' && subject !== '' ? subject : null
}
