import type { KeyObject, X509Certificate } from 'node:crypto'
import type { SecureVersion } from 'node:tls'
import { kind } from '#schema'

/** A private key with its certificate chain, the key's own certificate first. */
export interface TlsIdentity {
  readonly key: KeyObject
  readonly chain: readonly X509Certificate[]
}

/** Gives the identities a TLS end may present. */
export interface KeyManager {
  identities(): Promise<readonly TlsIdentity[]>
  onChange(listener: () => void): () => void
}

/** What a TLS end trusts: everything, the platform's authorities, or these certificates. */
export interface TrustManager {
  authorities(): Promise<'anything' | 'platform' | readonly X509Certificate[]>
  readonly checkRevocation: boolean
  onChange(listener: () => void): () => void
}

/** What both ends have in common; Node's names for suites and versions. */
export interface TlsLimits {
  readonly minVersion: SecureVersion
  readonly maxVersion: SecureVersion
  /** Suites in OpenSSL spelling joined by colons; null = the defaults of the gateway. */
  readonly ciphers: string | null
  readonly alpn: boolean
}

/** TLS towards other servers. */
export interface ClientTls extends TlsLimits {
  readonly keys: KeyManager | null
  readonly trust: TrustManager | null
  readonly hostnames: 'STRICT' | 'ALLOW_ALL'
}

/** TLS on a connector. */
export interface ServerTls extends TlsLimits {
  /** The identity for a server name the client asks for; null = the default one. */
  identityFor(serverName: string | null): Promise<TlsIdentity>
  readonly clientAuth: 'NONE' | 'REQUEST' | 'REQUIRED'
  readonly trust: TrustManager | null
  onChange(listener: () => void): () => void
}

/** Objects that hold keys for TLS. */
export const KeyManagerKind = kind<KeyManager>('KeyManager')

/** Objects that decide whom to trust in TLS. */
export const TrustManagerKind = kind<TrustManager>('TrustManager')

/** Options of TLS towards other servers. */
export const ClientTlsKind = kind<ClientTls>('ClientTlsOptions')

/** Options of TLS on connectors. */
export const ServerTlsKind = kind<ServerTls>('ServerTlsOptions')
