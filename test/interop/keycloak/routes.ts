// Routes as operators write them.
import type { Addresses } from './suite.ts'

export const SECRETS = {
  name: 'secrets',
  type: 'FileSystemSecretStore',
  config: { directory: '&{gateway.instance.dir}/secrets', format: 'PLAIN' },
}

export const KEYS = {
  name: 'keys',
  type: 'FileSystemSecretStore',
  config: { directory: '&{gateway.instance.dir}/keys', format: { type: 'PemPropertyFormat' } },
}

export const text = (entity: string): object => ({
  type: 'StaticResponseHandler',
  config: { status: 200, headers: { 'Content-Type': ['text/plain; charset=utf-8'] }, entity },
})

export const wellKnown = (provider: string): string => `${provider}/.well-known/openid-configuration`

/** A heap with this name behind filters. */
export const chain = (filters: readonly unknown[], handler: unknown): object => ({
  type: 'Chain',
  config: { filters, handler },
})

export interface LoginParts {
  readonly heap?: readonly object[]
  readonly issuer?: object
  readonly registration?: object
  readonly filter?: object
  readonly session?: object
  /** Response of the application. */
  readonly entity?: string
  readonly filters?: readonly object[]
}

/** A route below `/<clientId>` that logs users in, with the client secret unless the registration says otherwise. */
export function loginRoute(at: Addresses, clientId: string, parts: LoginParts = {}): object {
  const { registration = { clientSecretId: clientId, secretsProvider: 'secrets' } } = parts
  return {
    name: clientId,
    condition: `\${find(request.uri.path, '^/${clientId}/')}`,
    heap: [
      SECRETS,
      KEYS,
      ...(parts.heap ?? []),
      {
        name: 'keycloak',
        type: 'Issuer',
        config: { wellKnownEndpoint: wellKnown(at.provider), issuer: at.issuer, ...parts.issuer },
      },
      {
        name: 'registration',
        type: 'ClientRegistration',
        config: { clientId, issuer: 'keycloak', scopes: ['openid', 'profile'], ...registration },
      },
    ],
    ...(parts.session === undefined ? {} : { session: parts.session }),
    handler: chain(
      [
        {
          type: 'AuthorizationCodeOAuth2ClientFilter',
          config: {
            clientEndpoint: `/${clientId}/oidc`,
            requireHttps: false,
            registrations: ['registration'],
            ...parts.filter,
          },
        },
        ...(parts.filters ?? []),
      ],
      text(
        parts.entity ??
          '${request.uri.path} ${contexts.oauth2Info.id_token_claims.preferred_username} ${contexts.oauth2Info.access_token}',
      ),
    ),
  }
}

/** A route for one path whose requests bring an access token. */
export function resourceRoute(
  path: string,
  resolver: object,
  fields: object = {},
  heap: readonly object[] = [],
): object {
  return {
    name: path.slice(1),
    condition: `\${request.uri.path == '${path}'}`,
    heap: [SECRETS, KEYS, ...heap],
    handler: chain(
      [
        {
          type: 'OAuth2ResourceServerFilter',
          config: { requireHttps: false, scopes: [], accessTokenResolver: resolver, ...fields },
        },
      ],
      text('${contexts.oauth2.accessToken.info.sub}'),
    ),
  }
}

/** Endpoints at the public name, which has no TLS here: metadata by TLS may not name such ones. */
export function publicEndpoints({ issuer, secureProvider }: Addresses): Record<string, string> {
  const path = 'protocol/openid-connect'
  return {
    authorizeEndpoint: `${issuer}/${path}/auth`,
    endSessionEndpoint: `${issuer}/${path}/logout`,
    tokenEndpoint: `${secureProvider}/${path}/token`,
    revocationEndpoint: `${secureProvider}/${path}/revoke`,
  }
}
