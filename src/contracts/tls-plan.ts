import type { SecureVersion } from 'node:tls'

/** TLS of a connection as plain data, for a thread that has no objects of the heap. */
export interface TlsPlan {
  /** Private keys and certificate chains, PEM, in the same order. */
  readonly key?: readonly string[]
  readonly cert?: readonly string[]
  /** Trusted certificates, PEM; without them those of the platform. */
  readonly ca?: readonly string[]
  readonly allowPartialTrustChain?: boolean
  /** If false, any certificate is trusted. */
  readonly rejectUnauthorized: boolean
  /** Whether the certificate must name the host. */
  readonly checkServerIdentity: boolean
  readonly minVersion: SecureVersion
  readonly maxVersion: SecureVersion
  /** OpenSSL names joined by colons; null for the defaults. */
  readonly ciphers: string | null
}
