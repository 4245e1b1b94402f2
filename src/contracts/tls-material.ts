import type { SecureContextOptions } from 'node:tls'
import type { Authorities, TlsIdentity } from './tls.ts'

/**
 * Identities as options of Node. A TLS endpoint has one identity for each type of key, so the first of each type is used;
 * the handshake selects the one that the peer can verify.
 */
export function identityOptions(identities: readonly TlsIdentity[]): Pick<SecureContextOptions, 'key' | 'cert'> {
  const first = new Map<string | undefined, TlsIdentity>()
  for (const identity of identities) {
    const type = identity.key.asymmetricKeyType
    if (!first.has(type)) first.set(type, identity)
  }
  const chosen = [...first.values()]
  if (chosen.length === 0) return {}
  return {
    key: chosen.map(({ key }) => key.export({ type: 'pkcs8', format: 'pem' }) as string),
    cert: chosen.map(({ chain }) => chain.map((certificate) => certificate.toString()).join('\n')),
  }
}

/** Authorities as options of Node: without `ca` it uses those of the platform. */
export function authorityOptions(
  authorities: Authorities,
): SecureContextOptions & { allowPartialTrustChain?: boolean } {
  if (typeof authorities === 'string') return {}
  return {
    ca: authorities.map((certificate) => certificate.toString()),
    // A certificate in a trust store is trusted without regard to its issuer.
    allowPartialTrustChain: true,
  }
}
