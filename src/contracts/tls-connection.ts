import { type ConnectionOptions, checkServerIdentity } from 'node:tls'
import type { ClientTls } from './tls.ts'
import { authorityOptions, identityOptions } from './tls-material.ts'

/** TLS options of Node, with the current keys and trust. */
export async function tlsConnectionOptions(tls: ClientTls | null): Promise<ConnectionOptions> {
  if (tls === null) return { minVersion: 'TLSv1.2' }
  const identities = (await tls.keys?.identities()) ?? []
  const authorities = (await tls.trust?.authorities()) ?? 'platform'
  return {
    minVersion: tls.minVersion,
    maxVersion: tls.maxVersion,
    ...(tls.ciphers === null ? {} : { ciphers: tls.ciphers }),
    ...identityOptions(identities),
    ...authorityOptions(authorities),
    rejectUnauthorized: authorities !== 'anything',
    checkServerIdentity: tls.hostnames === 'STRICT' ? checkServerIdentity : () => undefined,
  }
}
