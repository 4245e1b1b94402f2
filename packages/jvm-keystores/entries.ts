import type { KeyObject, X509Certificate } from 'node:crypto'

interface Named {
  readonly alias: string
  /** Creation date; null without one in the file. */
  readonly created: Date | null
}

/** A private key and its certificate chain. */
export interface PrivateKeyEntry extends Named {
  readonly kind: 'key'
  readonly chain: readonly X509Certificate[]
  /** Decrypts the key; null for the password of the store. */
  privateKey(password: string | null): KeyObject
}

/** A trusted certificate. */
interface TrustedEntry extends Named {
  readonly kind: 'trusted'
  readonly certificate: X509Certificate
}

/** A secret key, or a password stored as one: its algorithm then starts with `PBE` and its bytes are the password. */
interface SecretKeyEntry extends Named {
  readonly kind: 'secret'
  /** Decrypts the secret; null for the password of the store. */
  secret(password: string | null): { readonly algorithm: string; readonly bytes: Buffer }
}

export type KeyStoreEntry = PrivateKeyEntry | TrustedEntry | SecretKeyEntry

/** Result of the reader of a format. */
export interface Contents {
  readonly entries: readonly KeyStoreEntry[]
  readonly warnings: readonly string[]
}
