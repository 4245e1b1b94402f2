import { randomBytes, randomUUID } from 'node:crypto'

/** An unguessable token, in letters that need no encoding anywhere. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A session token: like those of the real servers it holds `*` and `.`, which careless clients encode wrongly. */
export function sessionToken(): string {
  return `${randomToken()}.*AAJTSQACMDE.*`
}

let serial = 0

/** An audit id, `<uuid>-<n>`: AMCtxId of a session, auditTrackingId of a token. */
export function trackingId(): string {
  serial += 1
  return `${randomUUID()}-${serial}`
}
