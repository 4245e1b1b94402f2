import type { KeyObject, X509Certificate } from 'node:crypto'
import type { SecureVersion } from 'node:tls'
import { adapter, kind } from '#schema'

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
export type Authorities = 'anything' | 'platform' | readonly X509Certificate[]

/** Decides whom a TLS end trusts. */
export interface TrustManager {
  authorities(): Promise<Authorities>
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
  /**
   * The identities for a server name the client asks for, null where it asks for none. The same list for the same
   * choice, until something changes, so that values derived from it can be cached with the list.
   */
  identitiesFor(serverName: string | null): Promise<readonly TlsIdentity[]>
  readonly clientAuth: 'NONE' | 'REQUEST' | 'REQUIRED'
  readonly trust: TrustManager | null
  onChange(listener: () => void): () => void
}

/** Options that serve at either end; `server` is null where they name no identity to show. */
export interface BidirectionalTls {
  readonly client: ClientTls
  readonly server: ServerTls | null
}

/** One entry of a keystore: a key with its chain, or a certificate that is trusted. */
export interface KeyStoreItem {
  readonly alias: string
  readonly key: KeyObject | null
  readonly certificates: readonly X509Certificate[]
}

/** A keystore that key and trust managers read. */
export interface KeyStore {
  /** Every entry; keys are opened with `keyPassword`, or with the password of the store where that is null. */
  items(keyPassword: Buffer | null): Promise<readonly KeyStoreItem[]>
  onChange(listener: () => void): () => void
}

/** Keystores that key and trust managers refer to. */
export const KeyStoreKind = kind<KeyStore>('KeyStore')

/** Objects that hold keys for TLS. */
export const KeyManagerKind = kind<KeyManager>('KeyManager')

/** Objects that decide whom to trust in TLS. */
export const TrustManagerKind = kind<TrustManager>('TrustManager')

/** Options of the past that served both ends. */
export const TlsOptionsKind = kind<BidirectionalTls>('TlsOptions')

/** Options of TLS towards other servers. */
export const ClientTlsKind = kind<ClientTls>('ClientTlsOptions', [adapter(TlsOptionsKind, ({ client }) => client)])

/** Options of TLS on connectors. */
export const ServerTlsKind = kind<ServerTls>('ServerTlsOptions', [
  adapter(TlsOptionsKind, ({ server }) => {
    if (server === null) throw new TypeError('expected TlsOptions with keyManager or sni, got neither')
    return server
  }),
])
