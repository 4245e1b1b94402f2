import { createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto'
import { inspect } from 'node:util'

/** Intended use of a secret; a key that does not fit it is not returned. */
export type Purpose = 'SIGN' | 'VERIFY' | 'ENCRYPT' | 'DECRYPT' | 'GENERIC'

/** A private key that stays inside of a security module, which signs and decrypts by JWA names of algorithms. */
export interface ModuleKey {
  /** Rejects with a SecretError where the module can not be used. */
  sign(algorithm: string, data: Buffer): Promise<Buffer>
  /** Null where the data is not encrypted to the key. */
  decrypt(algorithm: string, data: Buffer): Promise<Buffer | null>
}

export interface SecretParts {
  readonly secretId: string
  /** Distinguishes the secrets of one id: an alias, a `kid`. */
  readonly stableId?: string | null
  /** Origin in messages, such as the qualified name of a store. */
  readonly source?: string | null
  /** Location within the source in messages, such as `the file "/secrets/x"`. */
  readonly place?: string | null
  /** Bytes of a password, passphrase or API key. */
  readonly bytes?: Buffer
  /** A private, public or symmetric key. */
  readonly key?: KeyObject
  /** The private key of a public `key`, inside of a security module. */
  readonly moduleKey?: ModuleKey
  /** The certificate chain of a key, its own certificate first; or a trusted certificate. */
  readonly certificates?: readonly X509Certificate[]
  /** Purposes that its source allows (key usage of a certificate, `use` of a JWK); null for all of its type. */
  readonly purposes?: readonly Purpose[] | null
  /** The algorithm that its source names: a JWA name limits the key to that algorithm. */
  readonly algorithm?: string | null
}

const HIDDEN = '[redacted]'

/**
 * A password or a key. Only the explicit methods return its content: logs, errors, captures, inspection and JSON show
 * `[redacted]`.
 */
export class Secret {
  readonly secretId: string
  readonly stableId: string | null
  readonly source: string | null
  readonly place: string | null
  readonly certificates: readonly X509Certificate[]
  readonly purposes: readonly Purpose[] | null
  readonly algorithm: string | null
  /** The private key where it is inside of a security module; `privateOrSecretKey` is null then. */
  readonly moduleKey: ModuleKey | null
  readonly #bytes: Buffer | null
  readonly #key: KeyObject | null
  #publicKey: KeyObject | null = null

  constructor(parts: SecretParts) {
    this.secretId = parts.secretId
    this.stableId = parts.stableId ?? null
    this.source = parts.source ?? null
    this.place = parts.place ?? null
    this.certificates = parts.certificates ?? []
    this.purposes = parts.purposes ?? null
    this.algorithm = parts.algorithm ?? null
    this.moduleKey = parts.moduleKey ?? null
    this.#bytes = parts.bytes ?? null
    this.#key = parts.key ?? null
  }

  /** Whether it is a key (`CryptoKey` in the configuration) or plain bytes (`GenericSecret`). */
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
    if (own === undefined && this.#key === null) return null
    this.#publicKey ??= own === undefined ? createPublicKey(this.#key as KeyObject) : own.publicKey
    return this.#publicKey
  }

  /** Why it does not fit a purpose; null where it does. */
  refusal(purpose: Purpose): string | null {
    if (purpose === 'GENERIC') {
      const hasBytes = this.#bytes !== null || this.#key?.type === 'secret'
      return hasBytes ? null : 'it is a key, not a password'
    }
    if (this.kind === 'generic') {
      return 'it is a password, not a key; a format such as SecretKeyPropertyFormat makes a key of it'
    }
    const needsPrivate = purpose === 'SIGN' || purpose === 'DECRYPT'
    if (needsPrivate && this.privateOrSecretKey === null && this.moduleKey === null) return 'it has no private key'
    if (this.purposes === null || this.purposes.includes(purpose)) return null
    return `its key usage allows ${this.purposes.join(', ') || 'nothing of the kind'} only`
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
