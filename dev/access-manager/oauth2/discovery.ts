import type { Endpoint } from '../http/call.ts'
import { json } from '../http/endpoint-response.ts'
import type { Family } from '../settings.ts'
import type { SigningKeys } from '../state/signing-keys.ts'

/** `connect/jwk_uri`: the public keys. */
export function publishedKeys(keys: SigningKeys): Endpoint {
  return { name: 'jwk_uri', methods: ['GET'], handle: async () => json(await keys.published()) }
}

/** `.well-known/openid-configuration`. OpenAM does not list all its endpoints. */
export function discovery(
  issuerOf: (realm: string) => string,
  addressOf: (realm: string, path: string) => string,
  grantTypes: readonly string[],
  family: Family,
): Endpoint {
  const algorithms = ['RS256', 'ES256', 'EdDSA']
  return {
    name: 'well-known',
    methods: ['GET'],
    handle: ({ realm }) =>
      json({
        issuer: issuerOf(realm),
        authorization_endpoint: addressOf(realm, 'authorize'),
        userinfo_endpoint: addressOf(realm, 'userinfo'),
        end_session_endpoint: addressOf(realm, 'connect/endSession'),
        token_endpoint: addressOf(realm, 'access_token'),
        jwks_uri: addressOf(realm, 'connect/jwk_uri'),
        grant_types_supported: grantTypes,
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
        dpop_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA'],
        subject_types_supported: ['public'],
        response_types_supported: ['code', 'id_token'],
        response_modes_supported: ['query', 'fragment', 'form_post'],
        code_challenge_methods_supported: ['S256'],
        id_token_signing_alg_values_supported: family === 'openam' ? ['HS256', ...algorithms] : algorithms,
        scopes_supported: ['openid', 'profile'],
        ...(family === 'openam'
          ? {}
          : {
              pushed_authorization_request_endpoint: addressOf(realm, 'par'),
              introspection_endpoint: addressOf(realm, 'introspect'),
              revocation_endpoint: addressOf(realm, 'token/revoke'),
            }),
        authorization_response_iss_parameter_supported: true,
      }),
  }
}
