import { FilterKind } from '#contracts'
import { defineType } from '#schema'
import { CLIENT_SECRET_FIELDS, clientSecretPost } from '../../lib/outbound-auth/client-secret.ts'

/** Authenticates an OAuth 2.0 client with `client_secret_post`. */
export const ClientSecretPostAuthenticationFilter = defineType({
  name: 'ClientSecretPostAuthenticationFilter',
  kind: FilterKind,
  summary: 'Authenticates the gateway at an authorization server with client_secret_post.',
  config: CLIENT_SECRET_FIELDS,
  create: (settings) => clientSecretPost(settings),
})
