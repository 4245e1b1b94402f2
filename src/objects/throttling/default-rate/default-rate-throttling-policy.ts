import { type ThrottlingPolicy, ThrottlingPolicyKind, type ThrottlingRate } from '#contracts'
import { defineType, ref } from '#schema'
import { checkRate, rateField } from '../../lib/limits/rate-fields.ts'

/** Returns a default rate where another policy returns none. */
export const DefaultRateThrottlingPolicy = defineType({
  name: 'DefaultRateThrottlingPolicy',
  kind: ThrottlingPolicyKind,
  summary: 'Uses a default rate where another policy returns none.',
  config: {
    delegateThrottlingRatePolicy: ref(ThrottlingPolicyKind).meta({ description: 'The policy to use first.' }),
    defaultRate: rateField().meta({ description: 'The rate if the policy returns none.' }),
  },
  check: ({ defaultRate }, report) => checkRate(defaultRate, '/defaultRate', report),
  create: ({ delegateThrottlingRatePolicy, defaultRate }) => orDefaultRate(delegateThrottlingRatePolicy, defaultRate),
})

function orDefaultRate(policy: ThrottlingPolicy, defaultRate: ThrottlingRate): ThrottlingPolicy {
  return { rateFor: async (exchange) => (await policy.rateFor(exchange)) ?? defaultRate }
}
