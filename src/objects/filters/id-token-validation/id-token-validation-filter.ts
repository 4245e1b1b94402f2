import { FilterKind } from '#contracts'
import { claim, isForAudience } from '#jose'
import type { JsonObject } from '#json'
import { config, defineType, runtime, string } from '#schema'
import { JWT_VALIDATION_FIELDS, JWT_VALIDATION_RULES, validateJwt } from '../lib/jwt-validation.ts'

/** Passes on requests with a valid ID token. */
export const IdTokenValidationFilter = defineType({
  name: 'IdTokenValidationFilter',
  kind: FilterKind,
  summary: 'Lets a request through only with an ID token of OpenID Connect that is good.',
  config: {
    idToken: runtime('string').meta({ description: "The ID token, such as `${request.headers['id-token'][0]}`." }),
    audience: config(string({ nonEmpty: true })).meta({
      description: 'Required audience of the token: the claim `aud`, or one of its values, compared exactly.',
    }),
    issuer: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description: 'Required issuer of the token: its claim `iss`, compared exactly; not checked by default.',
      }),
    ...JWT_VALIDATION_FIELDS,
  },
  rules: JWT_VALIDATION_RULES,
  create: ({ idToken, audience, issuer, ...values }, env) => {
    const violations = (claims: JsonObject) => idTokenViolations(claims, audience, issuer ?? null)
    return validateJwt({ token: idToken, times: ['exp', 'iat'], violations }, values, env)
  },
})

/** Violations of OpenID Connect Core section 3.1.3.7, except those of signature and times. */
function idTokenViolations(claims: JsonObject, audience: string, issuer: string | null): readonly string[] {
  const found: string[] = []
  if (!isForAudience(claims, audience)) found.push('the token is for another audience')
  if (issuer !== null && claim(claims, 'iss') !== issuer) found.push('the token has another issuer')
  return found
}
