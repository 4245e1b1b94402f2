import type { SamplerPlan } from '#contracts'

const RANGE = 2 ** 52

/** Whether a trace is recorded; `parentSampled` is null for one that begins here. */
export type Sampler = (traceId: string, parentSampled: boolean | null) => boolean

/** The same trace gives the same decision in every gateway, and in SDKs that compare the high bits of its second half. */
export function samplerOf({ isParentBased, ratio }: SamplerPlan): Sampler {
  const bound = ratio * RANGE
  const isChosen = (traceId: string): boolean =>
    ratio >= 1 || (ratio > 0 && Number.parseInt(traceId.slice(16, 29), 16) < bound)
  return (traceId, parentSampled) => (isParentBased && parentSampled !== null ? parentSampled : isChosen(traceId))
}
