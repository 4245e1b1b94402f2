/** A point in time by two clocks; neither alone is right where several servers have part in a login. */
export interface LoginMoment {
  /** Milliseconds since the epoch by the clock of the issuer, to the second. */
  readonly issuedAt: number
  /** Milliseconds since the epoch by the clock of the gateway. */
  readonly at: number
}

/**
 * Revocations of logins, seen by all units, and by all gateways where the sessions are shared. A login is known by subjects:
 * digests of its session or user at the issuer. Every method rejects where the store does not answer.
 */
export interface SessionRevocations {
  /** Milliseconds a revocation is kept. A login that was not checked for so long counts as revoked. */
  readonly lifetime: number
  /** False where other gateways that read the same sessions, and this one after a restart, do not know the revocations. */
  readonly isShared: boolean
  /** Whether this is the first use of an id within a lifetime; of several at the same moment one is the first. */
  claim(id: string, lifetime: number): Promise<boolean>
  /** Undoes a claim. */
  release(id: string): Promise<void>
  /** Revokes the logins of these subjects that began before a moment. */
  revoke(subjects: readonly string[], moment: LoginMoment): Promise<void>
  /** Whether a login that began at a moment was revoked by one of its subjects. */
  isRevoked(subjects: readonly string[], login: LoginMoment): Promise<boolean>
  /** Calls back, within seconds, when a login is revoked; returns the way to stop. */
  watch(subjects: readonly string[], login: LoginMoment, onRevoked: () => void): () => void
}
