import { createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto'
import { inspect } from 'node:util'

/** What a secret is wanted for; a key that can not serve the purpose is not handed out for it. */
export type Purpose = 'SIGN' | 'VERIFY' | 'ENCRYPT' | 'DECRYPT' | 'GENERIC'

/** What a secret is made from. */
export interface SecretParts {
  readonly secretId: string
  /** Tells the secrets of one id apart: an alias, a `kid`. */
  readonly stableId?: string | null
  /** Bytes of a password, passphrase or API key. */
  readonly bytes?: Buffer
  /** A private, public or symmetric key. */
  readonly key?: KeyObject
  /** The certificates that go with a key, the key's own first; or the one that is trusted. */
  readonly certificates?: readonly X509Certificate[]
}

const HIDDEN = '[redacted]'

/**
 * A password or a key. Its content leaves only through the methods that say so: logs, errors, captures, inspection
 * and JSON show `[redacted]`.
 */
export class Secret {
  readonly secretId: string
  readonly stableId: string | null
  readonly certificates: readonly X509Certificate[]
  readonly #bytes: Buffer | null
  readonly #key: KeyObject | null

  constructor(parts: SecretParts) {
    this.secretId = parts.secretId
    this.stableId = parts.stableId ?? null
    this.certificates = parts.certificates ?? []
    this.#bytes = parts.bytes ?? null
    this.#key = parts.key ?? null
  }

  /** Whether it is a key (a `CryptoKey` in the words of the configuration) or plain bytes (a `GenericSecret`). */
  get kind(): 'key' | 'generic' {
    return this.#key === null && this.certificates.length === 0 ? 'generic' : 'key'
  }

  /** The bytes of a generic secret, or of a symmetric key. */
  revealBytes(): Buffer {
    if (this.#bytes !== null) return this.#bytes
    if (this.#key?.type === 'secret') return this.#key.export()
    throw new TypeError(`the secret ${this.secretId} is a key, not a password`)
  }

  revealText(): string {
    return this.revealBytes().toString('utf8')
  }

  /** The key to sign or decrypt with: private or symmetric; null where the secret has none. */
  get privateOrSecretKey(): KeyObject | null {
    if (this.#key === null || this.#key.type === 'public') return null
    return this.#key
  }

  /** The key to verify or encrypt with: public or symmetric; null where the secret has none. */
  get publicOrSecretKey(): KeyObject | null {
    if (this.#key?.type === 'secret' || this.#key?.type === 'public') return this.#key
    const [own] = this.certificates
    if (own !== undefined) return own.publicKey
    return this.#key === null ? null : createPublicKey(this.#key)
  }

  toString(): string {
    return HIDDEN
  }

  toJSON(): string {
    return HIDDEN
  }

  [inspect.custom](): string {
    return HIDDEN
  }
}
