import { randomBytes, randomUUID } from 'node:crypto'

/** A random token in URL-safe characters. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A session token with `*` and `.`, as those of real servers, which some clients encode wrongly. */
export function sessionToken(): string {
  return `${randomToken()}.*AAJTSQACMDE.*`
}

let serial = 0

/** An audit id, `<uuid>-<n>`: AMCtxId of a session, auditTrackingId of a token. */
export function trackingId(): string {
  serial += 1
  return `${randomUUID()}-${serial}`
}
