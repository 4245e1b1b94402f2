/** Why a keystore, or an entry of one, could not be read. */
export type KeyStoreErrorCode =
  | 'GW_KEYSTORE_PASSWORD'
  | 'GW_KEYSTORE_CORRUPT'
  | 'GW_KEYSTORE_UNSUPPORTED'
  | 'GW_KEYSTORE_LIMIT'

/** A keystore that cannot be read. The message has location and reason, never a password or a key. */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError'
  readonly code: KeyStoreErrorCode
  /** The message without its prefix, to which a location can be added. */
  readonly detail: string

  constructor(code: KeyStoreErrorCode, detail: string) {
    super(`keystore: ${detail}`)
    this.code = code
    this.detail = detail
  }
}

/** Wrong password or changed content: the formats cannot always distinguish them. */
export function wrongPassword(detail: string): KeyStoreError {
  return new KeyStoreError('GW_KEYSTORE_PASSWORD', detail)
}

/** Malformed content. */
export function corrupt(detail: string): KeyStoreError {
  return new KeyStoreError('GW_KEYSTORE_CORRUPT', detail)
}

/** Well-formed content with a feature that is not supported. */
export function unsupported(detail: string): KeyStoreError {
  return new KeyStoreError('GW_KEYSTORE_UNSUPPORTED', detail)
}

/** Reading the content would take more time or memory than allowed. */
export function overLimit(detail: string): KeyStoreError {
  return new KeyStoreError('GW_KEYSTORE_LIMIT', detail)
}

/** Runs `read` and prefixes the message of a KeyStoreError with a location. */
export function at<T>(place: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof KeyStoreError) throw new KeyStoreError(error.code, `${place}: ${error.detail}`)
    throw error
  }
}

/** Name of an entry in messages; the alias is untrusted, so it is quoted and truncated. */
export function entryPlace(alias: string): string {
  return `entry ${JSON.stringify(alias.length > 64 ? `${alias.slice(0, 64)}...` : alias)}`
}
