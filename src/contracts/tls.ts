import type { KeyObject, X509Certificate } from 'node:crypto'
import type { SecureVersion } from 'node:tls'
import { adapter, kind } from '#schema'

/** A private key with its certificate chain, the key's own certificate first. */
export interface TlsIdentity {
  readonly key: KeyObject
  readonly chain: readonly X509Certificate[]
}

/** Returns the identities that a TLS endpoint may present. */
export interface KeyManager {
  identities(): Promise<readonly TlsIdentity[]>
  /** Why its source can not be read now, while the last good identities are returned; null where it can. */
  problem?(): Error | null
  onChange(listener: () => void): () => void
}

/** Trusted certificate authorities: all, those of the platform, or these certificates. */
export type Authorities = 'anything' | 'platform' | readonly X509Certificate[]

/** Returns the authorities that a TLS endpoint trusts. */
export interface TrustManager {
  authorities(): Promise<Authorities>
  onChange(listener: () => void): () => void
}

/** Options of both client and server; Node's names for cipher suites and versions. */
export interface TlsLimits {
  readonly minVersion: SecureVersion
  readonly maxVersion: SecureVersion
  /** OpenSSL names joined by colons; null for the defaults of the gateway. */
  readonly ciphers: string | null
  readonly alpn: boolean
}

/** TLS of outgoing connections. */
export interface ClientTls extends TlsLimits {
  readonly keys: KeyManager | null
  readonly trust: TrustManager | null
  readonly hostnames: 'STRICT' | 'ALLOW_ALL'
}

/** TLS on a connector. */
export interface ServerTls extends TlsLimits {
  /**
   * The identities for the server name (SNI) of the client, null without one. Returns the same array until the identities
   * change, so that derived values can be cached by it.
   */
  identitiesFor(serverName: string | null): Promise<readonly TlsIdentity[]>
  readonly clientAuth: 'NONE' | 'REQUEST' | 'REQUIRED'
  readonly trust: TrustManager | null
  onChange(listener: () => void): () => void
}

/** Options for both client and server; `server` is null where they have no identity. */
export interface BidirectionalTls {
  readonly client: ClientTls
  readonly server: ServerTls | null
}

/** One entry of a keystore: a key with its chain, or a trusted certificate. */
export interface KeyStoreItem {
  readonly alias: string
  readonly key: KeyObject | null
  readonly certificates: readonly X509Certificate[]
}

/** A keystore that key and trust managers read. */
export interface KeyStore {
  /** Keys are decrypted with `keyPassword`, or with the password of the store where that is null. */
  items(keyPassword: Buffer | null): Promise<readonly KeyStoreItem[]>
  /** Why the file can not be read now, while the last good content is used; null where it can. */
  readonly problem: Error | null
  onChange(listener: () => void): () => void
}

export const KeyStoreKind = kind<KeyStore>('KeyStore')

export const KeyManagerKind = kind<KeyManager>('KeyManager')

export const TrustManagerKind = kind<TrustManager>('TrustManager')

/** Deprecated: options for both client and server. */
export const TlsOptionsKind = kind<BidirectionalTls>('TlsOptions')

export const ClientTlsKind = kind<ClientTls>('ClientTlsOptions', [adapter(TlsOptionsKind, ({ client }) => client)])

export const ServerTlsKind = kind<ServerTls>('ServerTlsOptions', [
  adapter(TlsOptionsKind, ({ server }) => {
    if (server === null) throw new TypeError('expected TlsOptions with keyManager or sni, got neither')
    return server
  }),
])
