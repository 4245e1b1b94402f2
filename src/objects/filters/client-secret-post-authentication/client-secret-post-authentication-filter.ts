import { FilterKind, type SecretsProvider, secretsProvider } from '#contracts'
import type { Filter } from '#http'
import { config, defineType, secretId, string } from '#schema'
import { withFormFields } from '../../lib/oauth2-client/form-content.ts'

/** Authenticates an OAuth 2.0 client with `client_secret_post`. */
export const ClientSecretPostAuthenticationFilter = defineType({
  name: 'ClientSecretPostAuthenticationFilter',
  kind: FilterKind,
  summary: 'Authenticates the gateway at an authorization server with client_secret_post.',
  config: {
    clientId: config(string({ nonEmpty: true })).meta({ description: 'The `client_id` obtained at registration.' }),
    clientSecretId: config(secretId()).meta({ description: 'Secret ID of the client secret, a `GenericSecret`.' }),
    secretsProvider: secretsProvider('the client secret', 'fails'),
  },
  create: ({ clientId, clientSecretId, secretsProvider }) =>
    postClientSecret(clientId, clientSecretId, secretsProvider),
})

/** Adds `client_id` and `client_secret` to the form of each request (RFC 6749 section 2.3.1). */
function postClientSecret(clientId: string, secretId: string, provider: SecretsProvider): Filter {
  return async (exchange, next) => {
    const secret = await provider.active({ secretId, purpose: 'GENERIC' })
    const fields = { client_id: clientId, client_secret: secret.revealText() }
    const changed = await withFormFields(exchange, fields)
    // Servers reject requests with two client authentication methods (RFC 6749 section 2.3).
    changed.request.headers.delete('Authorization')
    return next(changed)
  }
}
