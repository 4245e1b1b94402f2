import type { SecureContextOptions } from 'node:tls'
import type { Authorities, TlsIdentity } from './tls.ts'

/**
 * Identities as Node takes them. A TLS end holds one identity for each type of key, so the first of each type counts;
 * which of them is shown depends on what the other end can verify.
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

/** Authorities as Node takes them: nothing stands for those of the platform. */
export function authorityOptions(
  authorities: Authorities,
): SecureContextOptions & { allowPartialTrustChain?: boolean } {
  if (typeof authorities === 'string') return {}
  return {
    ca: authorities.map((certificate) => certificate.toString()),
    // A certificate that was put into a trust store is trusted as it stands, whatever its issuer.
    allowPartialTrustChain: true,
  }
}
