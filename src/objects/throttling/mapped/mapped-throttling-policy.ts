import { type ThrottlingPolicy, ThrottlingPolicyKind, type ThrottlingRate } from '#contracts'
import { defineType, map, type Runtime, runtime } from '#schema'
import { checkRate, rateField } from '../../lib/limits/rate-fields.ts'

/** Selects a rate by the value of an expression. */
export const MappedThrottlingPolicy = defineType({
  name: 'MappedThrottlingPolicy',
  kind: ThrottlingPolicyKind,
  summary: 'Selects the rate by the value of an expression.',
  config: {
    throttlingRateMapper: runtime('string').meta({
      description: 'Expression whose value selects the entry of throttlingRatesMapping.',
    }),
    throttlingRatesMapping: map(rateField()).meta({ description: 'The rates, by the values of throttlingRateMapper.' }),
    defaultRate: rateField().meta({
      description: 'The rate if throttlingRateMapper returns null, or an unmapped value.',
    }),
  },
  check: ({ throttlingRatesMapping, defaultRate }, report) => {
    for (const [key, rate] of Object.entries(throttlingRatesMapping)) {
      checkRate(rate, `/throttlingRatesMapping/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, report)
    }
    checkRate(defaultRate, '/defaultRate', report)
  },
  create: ({ throttlingRateMapper, throttlingRatesMapping, defaultRate }) =>
    mappedRate(throttlingRateMapper, new Map(Object.entries(throttlingRatesMapping)), defaultRate),
})

/** The mapped rate of a value, or the default. */
function mappedRate(
  mapper: Runtime<string>,
  rates: ReadonlyMap<string, ThrottlingRate>,
  defaultRate: ThrottlingRate,
): ThrottlingPolicy {
  const rateOf = (value: string | null) => (value === null ? undefined : rates.get(value)) ?? defaultRate
  return {
    rateFor: (exchange) => {
      const value = mapper(exchange)
      return value instanceof Promise ? value.then(rateOf) : rateOf(value)
    },
  }
}
