import { TrustManagerKind } from '#contracts'
import { defineType } from '#schema'

/** Trusts every certificate. */
export const TrustAllManager = defineType({
  name: 'TrustAllManager',
  kind: TrustManagerKind,
  summary: 'Trusts every certificate; for tests only.',
  config: {},
  check(_config, _report, warn) {
    warn('every certificate is trusted, also that of an attacker; use TrustManager or SecretsTrustManager')
  },
  create: () => ({ authorities: async () => 'anything' as const, onChange: () => () => {} }),
})
