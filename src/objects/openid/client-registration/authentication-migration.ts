import type { JsonObject, JsonValue } from '#json'
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
      const filter = method === 'private_key_jwt' ? assertion(given, others) : secretByForm(method, others)
      if (filter === null) return null
      const handler = others['registrationHandler'] ?? 'ForgeRockClientHandler'
      return { authenticatedRegistrationHandler: { type: 'Chain', config: { filters: [filter], handler } } }
    },
  },
]

function assertion(given: JsonObject, { clientId, issuer, secretsProvider }: JsonObject): JsonObject | null {
  const { privateKeyJwtSecretId: signingSecretId, tokenEndpointAuthSigningAlg: signingAlgorithm } = given
  const { jwtExpirationTimeout } = given
  if (clientId === undefined || issuer === undefined || signingSecretId === undefined || secretsProvider === undefined)
    return null
  const config = {
    clientId,
    issuer,
    signingSecretId,
    ...(signingAlgorithm !== undefined && { signingAlgorithm }),
    ...(jwtExpirationTimeout !== undefined && { jwtExpirationTimeout }),
    secretsProvider,
  }
  return { type: 'PrivateKeyJwtClientAuthenticationFilter', config }
}

function secretByForm(method: JsonValue, others: JsonObject): JsonObject | null {
  const { clientId, clientSecretId, secretsProvider } = others
  if (method !== 'client_secret_post') return null
  if (clientId === undefined || clientSecretId === undefined || secretsProvider === undefined) return null
  return { type: 'ClientSecretPostAuthenticationFilter', config: { clientId, clientSecretId, secretsProvider } }
}
