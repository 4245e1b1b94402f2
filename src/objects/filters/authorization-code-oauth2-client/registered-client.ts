import type { ClientRegistration } from '#contracts'
import { OpenIdClient, OpenIdError } from '#openid'
import type { Clock } from '#schema'

/** The client of a registration, with the current metadata of its server. */
export async function clientOf(registration: ClientRegistration, clock: Clock): Promise<OpenIdClient> {
  const { clientId, scopes, pkce, handler, authenticatedHandler, issuer } = registration
  return new OpenIdClient({
    metadata: await issuer.metadata(),
    clientId,
    scopes,
    pkce,
    tokenHandler: authenticatedHandler,
    userInfoHandler: handler,
    responseMode: registration.responseMode,
    skew: issuer.idTokenSkew,
    clock,
    decrypt: registration.decrypt,
    signatureProblem: registration.signatureProblem,
  })
}

/** Throws unless the ID token has a valid signature of its issuer. */
export async function verifySignature(registration: ClientRegistration, idToken: string): Promise<void> {
  const problem = await registration.idTokenProblem(idToken)
  if (problem !== null) throw new OpenIdError('invalid_token', `the ID token is invalid: ${problem}`, false)
}
