/** A point in time by two clocks, those of the issuer and of the gateway. */
export interface LoginMoment {
  /** Milliseconds since the epoch by the clock of the issuer, to the second. */
  readonly issuedAt: number
  /** Milliseconds since the epoch by the clock of the gateway. */
  readonly at: number
}

/**
 * Revocations of logins, seen by all units, and by all gateways where the sessions are shared. A login is identified by subjects:
 * digests of its session or user at the issuer. Every method rejects if the store is unresponsive.
 */
export interface SessionRevocations {
  /** Lifetime of a revocation in milliseconds. A login that was not checked for so long counts as revoked. */
  readonly lifetime: number
  /** False where revocations are lost in a restart and unknown to other gateways with the same sessions. */
  readonly isShared: boolean
  /** Whether this is the first use of an id within a lifetime; atomic. */
  claim(id: string, lifetime: number): Promise<boolean>
  /** Undoes a claim. */
  release(id: string): Promise<void>
  /** Revokes the logins of these subjects that began before a moment. */
  revoke(subjects: readonly string[], moment: LoginMoment): Promise<void>
  /** Whether a login that began at a moment was revoked by one of its subjects. */
  isRevoked(subjects: readonly string[], login: LoginMoment): Promise<boolean>
  /** Calls back, within seconds, when a login is revoked; returns the unsubscriber. */
  watch(subjects: readonly string[], login: LoginMoment, onRevoked: () => void): () => void
}
