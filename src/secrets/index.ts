export type { KeyStoreEntry, PrivateKeyEntry, SecretKeyEntry, TrustedEntry } from './keystore/entries.ts'
export { KeyStore, type KeyStoreType, readKeyStore } from './keystore/keystore.ts'
export { KeyStoreError, type KeyStoreErrorCode } from './keystore/keystore-error.ts'
