import { FilterKind, JwtValidationContext, JwtValidationErrorContext } from '#contracts'
import { config, defineType, listOrOne, runtime, string } from '#schema'
import { JWT_VALIDATION_FIELDS, JWT_VALIDATION_RULES, validateJwt } from '../lib/jwt-validation.ts'
import { EVENTS } from '../log-events.ts'

/** Passes on requests with a valid ID token. */
export const IdTokenValidationFilter = defineType({
  name: 'IdTokenValidationFilter',
  kind: FilterKind,
  summary: 'Validates the ID token of a request.',
  provides: [JwtValidationContext],
  diverts: { failureHandler: [JwtValidationErrorContext] },
  events: [EVENTS.TOKENS_NOT_VALIDATED],
  config: {
    idToken: runtime('string').meta({ description: "The ID token, such as `${request.headers['id-token'][0]}`." }),
    audience: listOrOne(config(string({ nonEmpty: true })), { nonEmpty: true }).meta({
      description:
        'Required audience of the token, or several of which it needs one: the claim `aud`, or one of its values, compared exactly.',
    }),
    issuer: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description: 'Required issuer of the token: its claim `iss`, compared exactly; not checked by default.',
      }),
    ...JWT_VALIDATION_FIELDS,
  },
  rules: JWT_VALIDATION_RULES,
  create: ({ idToken, audience, issuer, ...values }, env) =>
    validateJwt({ token: idToken, rules: { kind: 'idToken', audience, issuer: issuer ?? null } }, values, env),
})
