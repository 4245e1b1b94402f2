import { FilterKind, secretsProvider } from '#contracts'
import { config, defineType, secretId, string } from '#schema'
import { ClientToken } from '../../lib/outbound-auth/client-token.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/outbound-auth/log-events.ts'
import { authorizeWithToken, checkScopes, TOKEN_REQUEST_FIELDS } from '../../lib/outbound-auth/token-authorization.ts'
import { requestToken, type TokenResult } from '../../lib/outbound-auth/token-request.ts'

/** Adds an access token of one resource owner to requests. */
export const ResourceOwnerOAuth2ClientFilter = defineType({
  name: 'ResourceOwnerOAuth2ClientFilter',
  kind: FilterKind,
  summary: 'Adds an access token of a resource owner (password grant) to requests.',
  metrics: ['gw_oauth2_client_token_requests_total'],
  events: [LIB_EVENTS.TOKEN_REQUEST_FAILED],
  config: {
    ...TOKEN_REQUEST_FIELDS,
    username: config(string({ nonEmpty: true })).meta({ description: 'Name of the resource owner.' }),
    passwordSecretId: config(secretId()).meta({ description: 'Secret ID of the password of the resource owner.' }),
    secretsProvider: secretsProvider('the password', 'fails'),
  },
  check: ({ scopes }, report) => checkScopes(scopes, report),
  create: (settings, env) => {
    const { tokenEndpoint, username, passwordSecretId, scopes, endpointHandler } = settings
    const fetch = async (): Promise<TokenResult> => {
      let password: string
      try {
        password = (
          await settings.secretsProvider.active({ secretId: passwordSecretId, purpose: 'GENERIC' })
        ).revealText()
      } catch (error) {
        return { outcome: 'unavailable', reason: 'the password can not be read', cause: error as Error }
      }
      const scope = scopes.length > 0 && { scope: scopes.join(' ') }
      const fields = { grant_type: 'password', username, password, ...scope }
      return requestToken({ endpoint: tokenEndpoint, handler: endpointHandler, fields, onBehalfOf: null })
    }
    const { clock, logger, metrics, localName: name } = env
    const fetches = metrics.counter('gw_oauth2_client_token_requests_total', 'requests to token endpoints', { name })
    return authorizeWithToken(new ClientToken({ clock, logger, fetches, fetch }), env)
  },
})
