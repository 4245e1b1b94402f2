import { FilterKind, secretsProvider } from '#contracts'
import { chain, type Handler } from '#http'
import { config, defineType, needs, renames, secretId, string } from '#schema'
import { clientSecretBasic } from '../../lib/outbound-auth/client-secret.ts'
import { ClientToken } from '../../lib/outbound-auth/client-token.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/outbound-auth/log-events.ts'
import { authorizeWithToken, checkScopes, TOKEN_REQUEST_FIELDS } from '../../lib/outbound-auth/token-authorization.ts'
import { requestToken } from '../../lib/outbound-auth/token-request.ts'

const FILTERS = 'use a filter such as ClientSecretBasicAuthenticationFilter in endpointHandler instead'

/** Adds an access token of the gateway itself to requests. */
export const ClientCredentialsOAuth2ClientFilter = defineType({
  name: 'ClientCredentialsOAuth2ClientFilter',
  kind: FilterKind,
  summary: 'Adds an access token of the gateway itself (client_credentials grant) to requests.',
  metrics: ['gw_oauth2_client_token_requests_total'],
  events: [LIB_EVENTS.TOKEN_REQUEST_FAILED],
  config: {
    ...TOKEN_REQUEST_FIELDS,
    secretsProvider: secretsProvider('the secret of `clientSecretId`'),
    clientId: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'The `client_id`; sent in the form where there is no `clientSecretId`.' }),
    clientSecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret ID of the client secret, sent by client_secret_basic.', replacement: FILTERS }),
  },
  older: renames({ handler: 'endpointHandler' }),
  migrations: [
    {
      fields: ['clientSecretId'],
      migrate: ({ clientSecretId = null }, { clientId = null, secretsProvider = null, endpointHandler }) => {
        const config = { clientId, clientSecretId, secretsProvider }
        const filters = [{ type: 'ClientSecretBasicAuthenticationFilter', config }]
        const handler = endpointHandler ?? 'ForgeRockClientHandler'
        return {
          clientId: null,
          secretsProvider: null,
          endpointHandler: { type: 'Chain', config: { filters, handler } },
        }
      },
    },
  ],
  rules: [needs('clientSecretId', 'clientId', 'secretsProvider')],
  check: ({ scopes }, report) => checkScopes(scopes, report),
  create: (settings, env) => {
    const { tokenEndpoint, scopes, endpointHandler, clientId, clientSecretId, secretsProvider } = settings
    const authenticates = clientId !== undefined && clientSecretId !== undefined
    const authentication = authenticates ? [clientSecretBasic({ clientId, clientSecretId, secretsProvider })] : []
    const handler: Handler = chain(authentication, endpointHandler)
    const fields = {
      grant_type: 'client_credentials',
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      ...(clientId !== undefined && !authenticates && { client_id: clientId }),
    }
    const token = new ClientToken({
      clock: env.clock,
      logger: env.logger,
      fetches: env.metrics.counter('gw_oauth2_client_token_requests_total', 'requests to token endpoints', {
        name: env.localName,
      }),
      fetch: () => requestToken({ endpoint: tokenEndpoint, handler, fields, onBehalfOf: null }),
    })
    return authorizeWithToken(token, env)
  },
})
