import type { SamplerPlan } from '#contracts'
import { quoted, type Variables } from './variables.ts'

const ALWAYS: SamplerPlan = { isParentBased: true, ratio: 1 }

/** Reads `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`. */
export function readSampler(variables: Variables, byDefault: SamplerPlan = ALWAYS): SamplerPlan {
  const name = variables.text('OTEL_TRACES_SAMPLER')
  if (name === null) return byDefault
  const isParentBased = name.startsWith('parentbased_')
  switch (name.replace(/^parentbased_/, '')) {
    case 'always_on':
      return { isParentBased, ratio: 1 }
    case 'always_off':
      return { isParentBased, ratio: 0 }
    case 'traceidratio':
      return { isParentBased, ratio: readRatio(variables) }
  }
  const expected = 'always_on, always_off or traceidratio, or one of them after parentbased_'
  variables.warn(`OTEL_TRACES_SAMPLER: expected ${expected}, got ${quoted(name)}; parentbased_always_on is used`)
  return ALWAYS
}

function readRatio(variables: Variables): number {
  const text = variables.text('OTEL_TRACES_SAMPLER_ARG')
  if (text === null) return 1
  const ratio = /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (ratio >= 0 && ratio <= 1) return ratio
  variables.warn(`OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1, got ${quoted(text)}; 1 is used`)
  return 1
}
