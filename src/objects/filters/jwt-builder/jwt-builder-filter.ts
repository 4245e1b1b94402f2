import { FilterKind, JwtBuilderContext, secretsProvider } from '#contracts'
import { byShape, defineType, exactlyOneOf, type PresenceRule, runtime, template } from '#schema'
import { tokenFields } from '../../lib/tokens/token-fields.ts'
import { buildJwt } from './build-jwt.ts'

const ONE_OF = exactlyOneOf('signature', 'encryption')
const UNPROTECTED = `${ONE_OF.text}: anyone could write a token that has neither, as other gateways build it; such as "signature": { "secretId": "jwt.signing", "algorithm": "ES256" }, with that key in secretsProvider`

/** Other gateways build tokens without protection by default: the message says what is missing there. */
const PROTECTED: PresenceRule = {
  ...ONE_OF,
  check: (present, value) =>
    present('signature') || present('encryption') ? ONE_OF.check(present, value) : UNPROTECTED,
}

/** Builds JWTs from data of a request. */
export const JwtBuilderFilter = defineType({
  name: 'JwtBuilderFilter',
  kind: FilterKind,
  summary: 'Builds a signed or encrypted JWT from data of the request.',
  provides: [JwtBuilderContext],
  config: {
    template: byShape({ object: template(), string: runtime('map') }).meta({
      description:
        'The claims: a map in which every string may be an expression, or one expression that returns a map.',
    }),
    secretsProvider: secretsProvider('the keys'),
    ...tokenFields(),
  },
  rules: [PROTECTED],
  create: ({ template, secretsProvider: provider, signature, encryption }) => {
    return buildJwt(template, { provider, signature: signature ?? null, encryption: encryption ?? null })
  },
})
