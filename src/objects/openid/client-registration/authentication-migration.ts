import type { JsonObject } from '#json'
import type { FieldMigration } from '#schema'

const FIELDS = [
  'tokenEndpointAuthMethod',
  'tokenEndpointAuthSigningAlg',
  'privateKeyJwtSecretId',
  'jwtExpirationTimeout',
]

/** Deprecated fields for client authentication become a filter in `authenticatedRegistrationHandler`. */
export const AUTHENTICATION_MIGRATIONS: readonly FieldMigration[] = [
  {
    fields: FIELDS,
    migrate: (given, others) => {
      const { clientSecretId, authenticatedRegistrationHandler } = others
      const method = given['tokenEndpointAuthMethod'] ?? (clientSecretId === undefined ? 'none' : 'client_secret_basic')
      // Without such a handler a client with a secret authenticates by client_secret_basic, any other one not at all.
      const isDefault = method === (clientSecretId === undefined ? 'none' : 'client_secret_basic')
      if (authenticatedRegistrationHandler !== undefined || isDefault) return {}
      const filter = method === 'client_secret_post' ? secretByForm(others) : null
      // An assertion needs the URL of the token endpoint, which only the provider's metadata have.
      if (filter === null) return null
      const handler = others['registrationHandler'] ?? 'ForgeRockClientHandler'
      return { authenticatedRegistrationHandler: { type: 'Chain', config: { filters: [filter], handler } } }
    },
  },
]

function secretByForm({ clientId, clientSecretId, secretsProvider }: JsonObject): JsonObject | null {
  if (clientId === undefined || clientSecretId === undefined || secretsProvider === undefined) return null
  return { type: 'ClientSecretPostAuthenticationFilter', config: { clientId, clientSecretId, secretsProvider } }
}
