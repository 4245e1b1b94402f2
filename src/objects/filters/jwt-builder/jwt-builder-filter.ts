import { FilterKind, providerOf, SecretsProviderKind } from '#contracts'
import { byShape, defineType, exactlyOneOf, ref, runtime, template } from '#schema'
import { tokenFields } from '../../lib/jwt/token-fields.ts'
import { buildJwt } from './build-jwt.ts'

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
    ...tokenFields(),
  },
  rules: [exactlyOneOf('signature', 'encryption')],
  create: ({ template, secretsProvider, signature, encryption }, env) => {
    const provider = providerOf(secretsProvider === undefined ? [env.secrets] : [secretsProvider, env.secrets])
    return buildJwt(template, { provider, signature: signature ?? null, encryption: encryption ?? null })
  },
})
