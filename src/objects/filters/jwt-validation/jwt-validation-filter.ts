import { FilterKind, JwtValidationContext, JwtValidationErrorContext } from '#contracts'
import { defineType, runtime } from '#schema'
import { JWT_VALIDATION_FIELDS, JWT_VALIDATION_RULES, validateJwt } from '../lib/jwt-validation.ts'
import { EVENTS } from '../log-events.ts'

/** Passes on requests with a valid JWT. */
export const JwtValidationFilter = defineType({
  name: 'JwtValidationFilter',
  kind: FilterKind,
  summary: 'Validates the JWT of a request.',
  provides: [JwtValidationContext],
  diverts: { failureHandler: [JwtValidationErrorContext] },
  events: [EVENTS.TOKENS_NOT_VALIDATED],
  config: {
    jwt: runtime('string').meta({ description: "The token, such as `${request.cookies['jwt'][0].value}`." }),
    ...JWT_VALIDATION_FIELDS,
  },
  rules: JWT_VALIDATION_RULES,
  create: ({ jwt, ...values }, env) => validateJwt({ token: jwt, rules: { kind: 'jwt' } }, values, env),
})
