import type { KeyObject, X509Certificate } from 'node:crypto'

interface Named {
  readonly alias: string
  /** Creation date, where the file has one. */
  readonly created: Date | null
}

/** A private key and the certificates that lead from it to its authority. */
export interface PrivateKeyEntry extends Named {
  readonly kind: 'key'
  readonly chain: readonly X509Certificate[]
  /** Opens the key; null stands for the password the store was read with. */
  privateKey(password: string | null): KeyObject
}

/** A certificate that is trusted by itself. */
interface TrustedEntry extends Named {
  readonly kind: 'trusted'
  readonly certificate: X509Certificate
}

/** A secret key, or a password stored as one: its algorithm then starts with `PBE` and its bytes are the password. */
interface SecretKeyEntry extends Named {
  readonly kind: 'secret'
  /** Opens the secret; null stands for the password the store was read with. */
  secret(password: string | null): { readonly algorithm: string; readonly bytes: Buffer }
}

/** What a keystore holds under one alias. */
export type KeyStoreEntry = PrivateKeyEntry | TrustedEntry | SecretKeyEntry

/** What a reader of one format gives back. */
export interface Contents {
  readonly entries: readonly KeyStoreEntry[]
  readonly warnings: readonly string[]
}
