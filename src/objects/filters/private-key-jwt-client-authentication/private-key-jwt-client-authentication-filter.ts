import { FilterKind, SecretsProviderKind } from '#contracts'
import { KEY_PAIR_ALGORITHMS } from '#jose'
import { config, defineType, duration, json, map, oneOf, ref, secretId, string, url } from '#schema'
import { assertClient } from '../../lib/oauth2-client/client-assertion.ts'
import { claimsProblems } from './extra-claims.ts'

/** Authenticates an OAuth 2.0 client with `private_key_jwt`. */
export const PrivateKeyJwtClientAuthenticationFilter = defineType({
  name: 'PrivateKeyJwtClientAuthenticationFilter',
  kind: FilterKind,
  summary: 'Authenticates the gateway at an authorization server with private_key_jwt.',
  config: {
    clientId: config(string({ nonEmpty: true })).meta({ description: 'The `client_id` obtained at registration.' }),
    tokenEndpoint: config(url()).meta({
      description: 'URL of the token endpoint of the authorization server: the audience of the JWT.',
    }),
    secretsProvider: ref(SecretsProviderKind).meta({ description: 'Provider of the signing keys.' }),
    signingSecretId: config(secretId()).meta({ description: 'Secret ID of the signing keys, a `CryptoKey`.' }),
    signingAlgorithm: config(oneOf(KEY_PAIR_ALGORITHMS, { exact: true }))
      .default('RS256')
      .meta({ description: 'JWA algorithm of the signature; it must suit the key.' }),
    jwtExpirationTimeout: config(duration({ min: '1 second', unlimited: false }))
      .default('1 minute')
      .meta({ description: 'Lifetime of the JWT; at least one second.' }),
    claims: config(map(config(json())))
      .default({})
      .meta({ description: 'Further claims of the JWT: names to values.' }),
  },
  check: ({ claims }, report) => {
    for (const { name, problem } of claimsProblems(claims)) report(name === '' ? '/claims' : `/claims/${name}`, problem)
  },
  create: (settings, env) => assertClient({ ...settings, clock: env.clock }),
})
