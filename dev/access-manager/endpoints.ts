import type { Clock } from '#schema'
import type { Addresses } from './addresses.ts'
import { CallbackDialogue } from './authentication/callbacks.ts'
import { Logins } from './authentication/logins.ts'
import type { Endpoints } from './http/routing.ts'
import { Authenticate } from './json/authenticate.ts'
import { withRequestChecks } from './json/request-checks.ts'
import { serverInformation, serverVersion } from './json/server-information.ts'
import { SessionActions } from './json/session-actions.ts'
import { userProfiles } from './json/users.ts'
import { AuthorizeEndpoint } from './oauth2/authorization/authorize-endpoint.ts'
import { authorizationCode } from './oauth2/authorization/code-grant.ts'
import { AuthorizationCodes } from './oauth2/authorization/codes.ts'
import { endSession } from './oauth2/authorization/end-session.ts'
import { IdTokens } from './oauth2/authorization/id-tokens.ts'
import { PushedRequests } from './oauth2/authorization/pushed-requests.ts'
import { userInformation } from './oauth2/authorization/user-information.ts'
import { ClientAssertions } from './oauth2/client-assertion.ts'
import { ClientAuthentication } from './oauth2/client-authentication.ts'
import { discovery, publishedKeys } from './oauth2/discovery.ts'
import { DpopProofs } from './oauth2/dpop-proof.ts'
import { grantTypes } from './oauth2/grant-types.ts'
import { Introspection } from './oauth2/introspection.ts'
import { Revocation } from './oauth2/revocation.ts'
import { TokenEndpoint } from './oauth2/token-endpoint.ts'
import { tokenInformation } from './oauth2/token-information.ts'
import type { TokenIssuer } from './oauth2/token-issuer.ts'
import { LoginPage, logoutPage } from './pages/login-page.ts'
import { policyEndpoint, policySetEndpoint } from './policies/policy-endpoints.ts'
import type { RealmPolicies } from './policies/realm-policies.ts'
import type { CompleteSettings } from './settings.ts'
import type { Directory } from './state/accounts.ts'
import type { Sessions } from './state/sessions.ts'
import type { SigningKeys } from './state/signing-keys.ts'
import type { Tokens } from './state/tokens.ts'
import type { Transactions } from './state/transactions.ts'
import { securityTokenService } from './sts/security-token-service.ts'

/** State of the endpoints. */
export interface State {
  readonly settings: CompleteSettings
  readonly clock: Clock
  readonly directory: Directory
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly keys: SigningKeys
  readonly transactions: Transactions
  readonly policies: RealmPolicies
  readonly issuer: TokenIssuer
}

/** The endpoints of the server by path. */
export function endpointsOf(state: State, addresses: Addresses): Endpoints {
  const { settings, clock, directory, sessions, tokens, keys, issuer, transactions, policies } = state
  const { family, cookieName } = settings
  const { base, issuerOf, endpointOf } = addresses
  const now = (): number => clock.now()
  const isOpenAm = family === 'openam'
  const assertions = new ClientAssertions(directory, clock, {
    // OpenAM has one URL of its token endpoint, that of the discovery document.
    audiences: isOpenAm ? (realm) => [endpointOf(realm, 'access_token')] : addresses.audiences,
    needsKeyId: isOpenAm,
  })
  const clients = new ClientAuthentication(directory, assertions, family)
  const proofs = new DpopProofs(clock, addresses.tokenEndpoints)
  const codes = new AuthorizationCodes(clock)
  const idTokens = new IdTokens(keys, sessions, clock, issuerOf)
  const ways = {
    ...grantTypes({ directory, tokens, issuer, family }),
    authorization_code: authorizationCode(codes, issuer, idTokens, family),
  }
  const pushed = new PushedRequests(clients, clock)
  const dialogue = new CallbackDialogue(clock)
  const logins = new Logins(directory, sessions, transactions)
  const policyParts = { family, cookieName, sessions, directory, transactions, now, storeOf: policies.of }
  const policy = policyEndpoint(policyParts)
  const policySet = policySetEndpoint(policyParts)
  const pageParts = { settings, sessions, logins, dialogue, base }
  const login = new LoginPage(pageParts)
  const addressOf = (realm: string): string => endpointOf(realm, 'authorize')
  const authorizing = { settings, directory, sessions, tokens, codes, idTokens, pushed, base, addressOf }
  const sessionActions = new SessionActions(settings, sessions)
  return {
    json: withRequestChecks(settings, sessions, {
      'serverinfo/*': serverInformation(settings),
      'serverinfo/version': serverVersion(settings, sessions),
      authenticate: new Authenticate(settings, sessions, logins, dialogue),
      sessions: sessionActions,
      'sessions/{}': sessionActions,
      'users/{}': userProfiles(settings, sessions, directory),
      policies: policy,
      'policies/{}': policy,
      applications: policySet,
      'applications/{}': policySet,
    }),
    oauth2: {
      access_token: new TokenEndpoint(clients, proofs, ways),
      introspect: new Introspection(clients, tokens, { family, issuerOf, now }),
      'token/revoke': new Revocation(clients, tokens),
      tokeninfo: tokenInformation(tokens, now, family),
      'connect/jwk_uri': publishedKeys(keys),
      '.well-known/openid-configuration': discovery(issuerOf, endpointOf, Object.keys(ways), family),
      authorize: new AuthorizeEndpoint(authorizing),
      par: pushed,
      userinfo: userInformation(tokens, directory),
      'connect/endSession': endSession({ settings, directory, sessions, keys }),
    },
    pages: {
      'rest-sts/oidc-to-saml': securityTokenService(settings, sessions),
      '': login,
      'UI/Login': login,
      'UI/Logout': logoutPage(pageParts),
    },
  }
}
