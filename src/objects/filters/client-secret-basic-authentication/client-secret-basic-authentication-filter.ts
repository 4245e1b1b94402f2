import { FilterKind } from '#contracts'
import { defineType } from '#schema'
import { CLIENT_SECRET_FIELDS, clientSecretBasic } from '../../lib/outbound-auth/client-secret.ts'

/** Authenticates an OAuth 2.0 client with `client_secret_basic`. */
export const ClientSecretBasicAuthenticationFilter = defineType({
  name: 'ClientSecretBasicAuthenticationFilter',
  kind: FilterKind,
  summary: 'Authenticates the gateway at an authorization server with client_secret_basic.',
  config: CLIENT_SECRET_FIELDS,
  create: (settings) => clientSecretBasic(settings),
})
