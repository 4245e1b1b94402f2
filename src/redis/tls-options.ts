import { type ConnectionOptions, checkServerIdentity } from 'node:tls'
import { authorityOptions, type ClientTls, identityOptions } from '#contracts'

/** TLS options of Node, with the current keys and trust. */
export async function tlsOptions(tls: ClientTls | null): Promise<ConnectionOptions> {
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
