import { X509Certificate } from 'node:crypto'
import type { ConnectionOptions, PeerCertificate } from 'node:tls'
import { identityProblem } from './server-identity.ts'
import type { ClientTls } from './tls.ts'
import { authorityOptions, identityOptions } from './tls-material.ts'

/** TLS options of Node, with the current keys and trust. */
export async function tlsConnectionOptions(tls: ClientTls | null): Promise<ConnectionOptions> {
  if (tls === null) return { minVersion: 'TLSv1.2', checkServerIdentity: checkIdentity }
  const identities = (await tls.keys?.identities()) ?? []
  const authorities = (await tls.trust?.authorities()) ?? 'platform'
  return {
    minVersion: tls.minVersion,
    maxVersion: tls.maxVersion,
    ...(tls.ciphers === null ? {} : { ciphers: tls.ciphers }),
    ...identityOptions(identities),
    ...authorityOptions(authorities),
    rejectUnauthorized: authorities !== 'anything',
    checkServerIdentity: tls.hostnames === 'STRICT' ? checkIdentity : acceptAnyIdentity,
  }
}

/** The check of names under STRICT, for `tls.connect`: that of Node accepts wildcards within a label, and the CN beside addresses. */
export function checkIdentity(host: string, { raw }: PeerCertificate): Error | undefined {
  const problem = identityProblem(host, new X509Certificate(raw))
  return problem === null ? undefined : new Error(problem)
}

/** In the place of `checkIdentity` under ALLOW_ALL. A constant, so that libraries with a switch of their own can recognize it. */
export function acceptAnyIdentity(): undefined {
  return undefined
}
