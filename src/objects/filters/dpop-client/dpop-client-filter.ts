import { FilterKind, secretsProvider } from '#contracts'
import { KEY_PAIR_ALGORITHMS } from '#jose'
import { config, defineType, oneOf, secretId } from '#schema'
import { addProofs } from './add-proofs.ts'

/** Adds a DPoP proof to each request: the gateway holds the key to which its tokens are bound. */
export const DpopClientFilter = defineType({
  name: 'DpopClientFilter',
  kind: FilterKind,
  summary: 'Adds DPoP proofs to requests, which bind the tokens of the gateway to its key (RFC 9449).',
  config: {
    secretsProvider: secretsProvider('the key', 'fails'),
    signingSecretId: config(secretId()).meta({
      description:
        'Secret ID of the private key to which tokens are bound; the same where tokens are requested and where they are used.',
    }),
    signingAlgorithm: config(oneOf(KEY_PAIR_ALGORITHMS, { exact: true }))
      .default('ES256')
      .meta({ description: 'JWA algorithm of the proofs; it must suit the key.' }),
  },
  create: ({ secretsProvider, signingSecretId, signingAlgorithm }, env) =>
    addProofs({
      provider: secretsProvider,
      secretId: signingSecretId,
      algorithm: signingAlgorithm,
      clock: env.clock,
    }),
})
