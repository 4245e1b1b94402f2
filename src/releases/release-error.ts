/** What is wrong with a key of the store. */
export type ReleaseErrorKind =
  /** The value is not JSON of the expected members. */
  | 'not-a-manifest'
  /** Written by a newer version of the gateway. */
  | 'newer-format'
  /** A path that a release may not have, for example one that leads out of its folder. */
  | 'path'
  /** A content that has another hash or size than its entry. */
  | 'wrong-hash'
  /** A record or content that is named elsewhere and does not exist. */
  | 'missing'
  /** A record, content or release beyond its limit. */
  | 'too-large'

/** A value of the store that is not used, since it is not what it must be. Nothing of the release takes effect. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError'
  readonly code = 'GW_RELEASE'
  readonly kind: ReleaseErrorKind
  /** Key of the store, or path in a release. */
  readonly where: string

  constructor(kind: ReleaseErrorKind, where: string, message: string) {
    super(`${where}: ${message}`)
    this.kind = kind
    this.where = where
  }
}
