import { type SecretsProvider, secretsProvider } from '#contracts'
import type { Filter } from '#http'
import { config, secretId, string } from '#schema'
import { basicAuthentication } from './basic-credentials.ts'
import { withFormFields } from './form-content.ts'

/** Fields of filters that authenticate a client with its secret. */
export const CLIENT_SECRET_FIELDS = {
  clientId: config(string({ nonEmpty: true })).meta({ description: 'The `client_id` obtained at registration.' }),
  clientSecretId: config(secretId()).meta({ description: 'Secret ID of the client secret, a `GenericSecret`.' }),
  secretsProvider: secretsProvider('the client secret', 'fails'),
}

interface ClientSecret {
  readonly clientId: string
  readonly clientSecretId: string
  readonly secretsProvider: SecretsProvider
}

/** Authenticates a client with `client_secret_basic` (RFC 6749 section 2.3.1). */
export function clientSecretBasic({ clientId: username, clientSecretId, secretsProvider }: ClientSecret): Filter {
  return basicAuthentication({ username, passwordSecretId: clientSecretId, secretsProvider, encoding: 'form' })
}

/** Authenticates a client with `client_secret_post`: adds `client_id` and `client_secret` to the form of each request. */
export function clientSecretPost({ clientId, clientSecretId: secretId, secretsProvider }: ClientSecret): Filter {
  return async (exchange, next) => {
    const secret = await secretsProvider.active({ secretId, purpose: 'GENERIC' })
    const changed = await withFormFields(exchange, { client_id: clientId, client_secret: secret.revealText() })
    // Servers reject requests with two client authentication methods (RFC 6749 section 2.3).
    changed.request.headers.delete('Authorization')
    return next(changed)
  }
}
