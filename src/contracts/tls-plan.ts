import type { SecureVersion } from 'node:tls'
import type { ClientTls } from './tls.ts'
import { authorityOptions, identityOptions } from './tls-material.ts'

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

/** The trust of the platform, names verified, no client certificate. */
export const DEFAULT_TLS_PLAN: TlsPlan = {
  rejectUnauthorized: true,
  checkServerIdentity: true,
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  ciphers: null,
}

/** Reads keys and trust of `tls` once. */
export async function tlsPlanOf({
  keys,
  trust,
  minVersion,
  maxVersion,
  ciphers,
  hostnames,
}: ClientTls): Promise<TlsPlan> {
  const authorities = (await trust?.authorities()) ?? 'platform'
  return {
    ...(identityOptions((await keys?.identities()) ?? []) as Pick<TlsPlan, 'key' | 'cert'>),
    ...(authorityOptions(authorities) as Pick<TlsPlan, 'ca' | 'allowPartialTrustChain'>),
    rejectUnauthorized: authorities !== 'anything',
    checkServerIdentity: hostnames === 'STRICT',
    minVersion,
    maxVersion,
    ciphers,
  }
}
