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
  /** The message without its heading, to be put behind a closer place. */
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

/** The bytes are not what the format prescribes. */
export function corrupt(detail: string): KeyStoreError {
  return new KeyStoreError('GW_KEYSTORE_CORRUPT', detail)
}

/** The bytes are well-formed and use something this reader does not know, or refuses to know. */
export function unsupported(detail: string): KeyStoreError {
  return new KeyStoreError('GW_KEYSTORE_UNSUPPORTED', detail)
}

/** The bytes ask for more time or memory than a keystore may have. */
export function overLimit(detail: string): KeyStoreError {
  return new KeyStoreError('GW_KEYSTORE_LIMIT', detail)
}

/** Runs `read` and puts the place in front of the message of a KeyStoreError it throws. */
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
