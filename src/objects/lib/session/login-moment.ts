import type { LoginMoment } from '#http'

/**
 * Whether a login began before a revocation. By the issuer's clock, which is the same for both, whatever the clocks of
 * gateways say; and by the gateway's, for logins of the same second and for tokens that were delivered late.
 */
export function isBefore(login: LoginMoment, revocation: LoginMoment): boolean {
  return login.issuedAt < revocation.issuedAt || login.at <= revocation.at
}
