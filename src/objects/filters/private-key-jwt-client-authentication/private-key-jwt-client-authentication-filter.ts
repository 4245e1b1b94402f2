import { FilterKind } from '#contracts'
import { defineType } from '#schema'
import { ASSERTION_RULES, assertionFields } from '../../lib/outbound-auth/assertion-fields.ts'
import { assertClient } from '../../lib/outbound-auth/client-assertion.ts'
import { reportClaims } from '../../lib/outbound-auth/extra-claims.ts'

/** Authenticates an OAuth 2.0 client with `private_key_jwt`. */
export const PrivateKeyJwtClientAuthenticationFilter = defineType({
  name: 'PrivateKeyJwtClientAuthenticationFilter',
  kind: FilterKind,
  summary: 'Authenticates the gateway at an authorization server with private_key_jwt.',
  config: assertionFields(),
  rules: ASSERTION_RULES,
  check: ({ claims }, report) => reportClaims(claims, report),
  create: (settings, env) => assertClient({ ...settings, encryption: null, clock: env.clock }),
})
