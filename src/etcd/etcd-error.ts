/** What failed, as far as a caller decides by it. */
export type EtcdErrorKind =
  /** No endpoint answered as a member with a leader. A write with this kind was not applied. */
  | 'unavailable'
  /** A write was sent and may or may not have been applied: read before it is repeated. */
  | 'unknown-outcome'
  /** User and password were refused or are missing. */
  | 'authentication'
  /** The user has no permission for the key. */
  | 'denied'
  /** The database has reached its quota (alarm NOSPACE). */
  | 'no-space'
  /** The history of the wanted revision was removed: read the current state, then watch from there. */
  | 'compacted'
  /** The store has not reached the wanted revision: it was restored from a backup, or is another one. */
  | 'future-revision'
  /** The request, or its response, exceeds a limit: split it. */
  | 'too-large'
  /** The lease has expired or was revoked. */
  | 'lease-not-found'
  /** The request was refused for another reason. */
  | 'invalid'

/** A failed request to etcd. The message has no value, password or token; text of the peer is bounded and on one line. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError'
  readonly code = 'GW_ETCD'
  readonly kind: EtcdErrorKind
  /** The last endpoint that was tried; null where none was. */
  readonly endpoint: string | null
  /**
   * Whether a write may have been applied in spite of the failure: always for `unknown-outcome`, and for `no-space`, since etcd
   * applies a write that exceeds the quota only by the writes before it, and then reports it as failed. Without meaning for reads.
   */
  readonly uncertain: boolean

  constructor(
    kind: EtcdErrorKind,
    message: string,
    {
      endpoint = null,
      uncertain = false,
      cause,
    }: { endpoint?: string | null; uncertain?: boolean; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.endpoint = endpoint
    this.uncertain = uncertain
  }
}
