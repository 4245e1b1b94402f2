import { Certificate } from './certificate.ts'

/**
 * Subject of the client certificate: of the first in the chain, since the client has proved possession of no other key. Null without one.
 */
export function clientSubject(certificates: readonly unknown[]): string | null {
  const [own] = certificates
  return own instanceof Certificate && own.subject !== '' ? own.subject : null
}
