import { FilterKind, secretsProvider } from '#contracts'
import { config, defineType, secretId, string } from '#schema'
import { basicAuthentication } from '../../lib/oauth2-client/basic-credentials.ts'

/** Authenticates an OAuth 2.0 client with `client_secret_basic`. */
export const ClientSecretBasicAuthenticationFilter = defineType({
  name: 'ClientSecretBasicAuthenticationFilter',
  kind: FilterKind,
  summary: 'Authenticates the gateway at an authorization server with client_secret_basic.',
  config: {
    clientId: config(string({ nonEmpty: true })).meta({ description: 'The `client_id` obtained at registration.' }),
    clientSecretId: config(secretId()).meta({ description: 'Secret ID of the client secret, a `GenericSecret`.' }),
    secretsProvider: secretsProvider('the client secret', 'fails'),
  },
  create: ({ clientId, clientSecretId, secretsProvider }) =>
    basicAuthentication({
      username: clientId,
      passwordSecretId: clientSecretId,
      secretsProvider,
      encoding: 'form',
    }),
})
