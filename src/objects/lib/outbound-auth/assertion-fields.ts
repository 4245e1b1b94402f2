import { IssuerKind, secretsProvider } from '#contracts'
import { KEY_PAIR_ALGORITHMS } from '#jose'
import { config, duration, json, map, oneOf, ref, requiredUnless, secretId, string, url } from '#schema'

/** Fields of filters that authenticate a client with `private_key_jwt`. */
export const assertionFields = () => ({
  clientId: config(string({ nonEmpty: true })).meta({ description: 'The `client_id` obtained at registration.' }),
  tokenEndpoint: config(url()).optional().meta({
    description: 'URL of the token endpoint of the authorization server: the audience of the JWT.',
  }),
  issuer: ref(IssuerKind).optional().meta({
    description:
      'The authorization server whose token endpoint is the audience of the JWT, where its metadata have the URL.',
  }),
  secretsProvider: secretsProvider('the keys', 'fails'),
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
})

export const ASSERTION_RULES = [requiredUnless('tokenEndpoint', 'issuer')]
