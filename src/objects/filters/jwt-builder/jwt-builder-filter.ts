import { FilterKind, providerOf, SecretsProviderKind } from '#contracts'
import { ENCRYPTION_ALGORITHMS, ENCRYPTION_METHODS, SIGNATURE_ALGORITHMS } from '#jose'
import {
  boolean,
  byShape,
  config,
  defineType,
  exactlyOneOf,
  object,
  oneOf,
  ref,
  runtime,
  secretId,
  template,
} from '#schema'
import { buildJwt } from './build-jwt.ts'

const encryption = () =>
  object({
    secretId: config(secretId()).meta({ description: 'Secret ID of the key to encrypt with.' }),
    algorithm: config(oneOf(ENCRYPTION_ALGORITHMS)).meta({
      description: 'Algorithm that wraps or agrees on the content encryption key; `dir` uses the secret itself.',
    }),
    method: config(oneOf(ENCRYPTION_METHODS)).meta({ description: 'Content encryption algorithm.' }),
  })

/** Builds JWTs from data of a request. */
export const JwtBuilderFilter = defineType({
  name: 'JwtBuilderFilter',
  kind: FilterKind,
  summary: 'Packs what is known about a request into a JSON Web Token for those behind it.',
  config: {
    template: byShape({ object: template(), string: runtime('map') }).meta({
      description:
        'The claims: a map in which every string may be an expression, or one expression that returns a map.',
    }),
    secretsProvider: ref(SecretsProviderKind).optional().meta({ description: 'Provider of the keys.' }),
    signature: object({
      secretId: config(secretId()).meta({ description: 'Secret ID of the key to sign with.' }),
      includeKeyId: config(boolean())
        .default(true)
        .meta({ description: 'Whether the header of the token has the id of the key (`kid`), if the key has one.' }),
      algorithm: config(oneOf(SIGNATURE_ALGORITHMS)).default('RS256').meta({
        description: 'Algorithm of the signature; it must suit the key.',
      }),
      encryption: encryption().optional().meta({ description: 'Encrypts the signed token.' }),
    })
      .optional()
      .meta({ description: 'Signs the token.' }),
    encryption: encryption().optional().meta({ description: 'Encrypts the claims without signing them.' }),
  },
  rules: [exactlyOneOf('signature', 'encryption')],
  create: ({ template, secretsProvider, signature, encryption }, env) => {
    const provider = providerOf(secretsProvider === undefined ? [env.secrets] : [secretsProvider, env.secrets])
    return buildJwt({ template, provider, signature: signature ?? null, encryption: encryption ?? null })
  },
})
