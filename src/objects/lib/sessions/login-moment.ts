import type { LoginMoment } from '#http'

/**
 * Whether a login began before a revocation: by the clock of the issuer, which is the same for both and independent of gateway
 * clocks, or by that of the gateway, for logins within the same second and for logout tokens that arrive late.
 */
export function isBefore(login: LoginMoment, revocation: LoginMoment): boolean {
  return login.issuedAt < revocation.issuedAt || login.at <= revocation.at
}
