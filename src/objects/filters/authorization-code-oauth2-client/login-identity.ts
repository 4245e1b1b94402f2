import { createHash } from 'node:crypto'
import { type Exchange, endUpgraded, type LoginMoment, type Response, watchUpgrade } from '#http'
import { claim, numericDate } from '#jose'
import type { JsonObject } from '#json'

/** RFC 6455 section 7.4.1. */
const POLICY_VIOLATION = 1008
const DIGEST_BYTES = 16

/** Identifies a login that its provider ends: digests of its session and its user, and the time it began. */
export interface LoginIdentity extends LoginMoment {
  readonly subjects: readonly string[]
}

/**
 * The identity of a login that began at the time `at` of the gateway's clock, null if unknown; null without an ID token.
 */
export function loginIdentity(claims: JsonObject | null, clientId: string, at: number | null): LoginIdentity | null {
  const subjects = claims === null ? [] : loginSubjects(claims, clientId)
  if (claims === null || subjects.length === 0) return null
  return { subjects, issuedAt: issuedAt(claims), at: at ?? issuedAt(claims) }
}

/** The subjects of a login: its session, else its user with unknown session; and its user. */
function loginSubjects(claims: JsonObject, clientId: string): readonly string[] {
  const { iss, sid, sub } = namesOf(claims)
  const session = sid === null ? digest(iss, clientId, 'user without sid', sub) : digest(iss, clientId, 'sid', sid)
  return [session, digest(iss, clientId, 'user', sub)].filter((subject) => subject !== null)
}

/**
 * The subjects that a logout token ends. A token with `sid` ends that session, and logins whose ID token had no `sid`, which may be
 * that session (OpenID Connect Back-Channel Logout 1.0 section 2.7).
 */
export function revokedSubjects(claims: JsonObject, clientId: string): readonly string[] {
  const { iss, sid, sub } = namesOf(claims)
  const revoked =
    sid === null
      ? [digest(iss, clientId, 'user', sub)]
      : [digest(iss, clientId, 'sid', sid), digest(iss, clientId, 'user without sid', sub)]
  return revoked.filter((subject) => subject !== null)
}

/** When a token was issued, by its `iat`. */
export function issuedAt(claims: JsonObject): number {
  return numericDate(claim(claims, 'iat') ?? null) ?? 0
}

/** When the login was last checked for revocations, in milliseconds since the epoch; null before the first check. */
interface CheckedLogin {
  readonly checkedAt: number | null
  setCheckedAt(time: number): void
}

/** Whether the login of a session was ended by its provider. Rejects where revocations are unavailable. */
export async function isRevoked(
  exchange: Exchange,
  loginSession: CheckedLogin,
  identity: LoginIdentity | null,
  now: number,
): Promise<boolean> {
  const { revocations } = exchange.session
  if (revocations === undefined || identity === null) return false
  // The session may have been used on other routes meanwhile, for longer than revocations are stored.
  const { lifetime } = revocations
  const checkedAt = loginSession.checkedAt ?? identity.at
  if (now - checkedAt >= lifetime || (await revocations.isRevoked(identity.subjects, identity))) return true
  if (now - checkedAt >= lifetime / 4) loginSession.setCheckedAt(now)
  return false
}

/** Closes an upgraded connection when the provider ends the login with which it was opened. */
export function endWithLogin(response: Response, exchange: Exchange, identity: LoginIdentity | null): void {
  const { revocations } = exchange.session
  if (response.upgrade === null || revocations === undefined || identity === null) return
  watchUpgrade(response, (connection) =>
    revocations.watch(identity.subjects, identity, () =>
      endUpgraded(connection, POLICY_VIOLATION, 'the user has logged out'),
    ),
  )
}

function namesOf(claims: JsonObject) {
  const text = (name: string): string | null => {
    const value = claim(claims, name)
    return typeof value === 'string' && value !== '' ? value : null
  }
  return { iss: text('iss'), sid: text('sid'), sub: text('sub') }
}

function digest(issuer: string | null, clientId: string, kind: string, name: string | null): string | null {
  if (issuer === null || name === null) return null
  const text = JSON.stringify([issuer, clientId, kind, name])
  return createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url')
}
