import { FilterKind, HandlerKind, ResourceAccessKind, secretsProvider } from '#contracts'
import { byShape, config, defineType, duration, exactlyOneOf, list, object, ref, runtime, template } from '#schema'
import { tokenFields } from '../../lib/tokens/token-fields.ts'
import { swapGrant } from './swap-grant.ts'

/** Turns token requests into requests with a JWT of the gateway. */
export const GrantSwapJwtAssertionOAuth2ClientFilter = defineType({
  name: 'GrantSwapJwtAssertionOAuth2ClientFilter',
  kind: FilterKind,
  summary: 'Replaces the grant of a token request by a JWT assertion that the gateway signs.',
  diverts: { failureHandler: [] },
  config: {
    clientId: runtime('string').optional().meta({ description: '`client_id` of the request; none by default.' }),
    scopes: byShape({
      array: list(runtime('string')),
      string: ref(ResourceAccessKind),
      object: ref(ResourceAccessKind),
    })
      .optional()
      .meta({ description: 'Requested scopes: expressions, or an object that returns them; none by default.' }),
    assertion: object({
      issuer: runtime('string').meta({ description: 'Issuer of the JWT (`iss`).' }),
      subject: runtime('string').meta({ description: 'Subject of the JWT (`sub`).' }),
      audience: runtime('string').meta({ description: 'Audience of the JWT (`aud`): the authorization server.' }),
      expiryTime: config(duration({ min: '1 second', unlimited: false }))
        .default('2 minutes')
        .meta({ description: 'Lifetime of the JWT.' }),
      otherClaims: byShape({ object: template(), string: runtime('map') })
        .optional()
        .meta({ description: 'Further claims: a map in which every string may be an expression, or one expression.' }),
    }).meta({ description: 'Claims of the JWT.' }),
    secretsProvider: secretsProvider('the keys'),
    ...tokenFields(),
    failureHandler: ref(HandlerKind).optional().meta({
      description: 'Handles requests without issuer, subject or audience; 400 with `invalid_request` by default.',
    }),
  },
  rules: [exactlyOneOf('signature', 'encryption')],
  create: (settings, env) => {
    const { clientId, scopes, assertion, secretsProvider: provider, signature, encryption, failureHandler } = settings
    return swapGrant({
      clientId: clientId ?? null,
      scopes: scopes ?? [],
      issuer: assertion.issuer,
      subject: assertion.subject,
      audience: assertion.audience,
      expiryTime: assertion.expiryTime,
      otherClaims: assertion.otherClaims ?? null,
      keys: { provider, signature: signature ?? null, encryption: encryption ?? null },
      failureHandler: failureHandler ?? null,
      clock: env.clock,
      logger: env.logger,
    })
  },
})
