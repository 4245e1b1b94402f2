import { TrustManagerKind } from '#contracts'
import { defineType } from '#schema'

/** Trusts every certificate. */
export const TrustAllManager = defineType({
  name: 'TrustAllManager',
  kind: TrustManagerKind,
  summary: 'Trusts every certificate; for tests only.',
  config: {},
  create(_config, env) {
    env.warn('every certificate is trusted, also that of an attacker; use TrustManager or SecretsTrustManager')
    return { authorities: async () => 'anything' as const, onChange: () => () => {} }
  },
})
