import type { SamplerPlan } from '#contracts'

/** Digits of a trace id from this one on decide, as many as a number has without rounding. */
const FROM = 16
const DIGITS = 13
const RANGE = 16 ** DIGITS

/** Whether a trace is recorded; `parentSampled` is null for one that begins here. */
export type Sampler = (traceId: string, parentSampled: boolean | null) => boolean

/** The same trace gives the same decision in every gateway, and in SDKs that compare the high bits of its second half. */
export function samplerOf({ isParentBased, ratio }: SamplerPlan): Sampler {
  const bound = Math.floor(ratio * RANGE)
    .toString(16)
    .padStart(DIGITS, '0')
  const isChosen = (traceId: string): boolean => ratio >= 1 || (ratio > 0 && isBelow(traceId, bound))
  return (traceId, parentSampled) => (isParentBased && parentSampled !== null ? parentSampled : isChosen(traceId))
}

/** Compares digit by digit, mostly one: parsing a number costs more than the rest of a span that is not recorded. */
function isBelow(traceId: string, bound: string): boolean {
  for (let at = 0; at < DIGITS; at++) {
    const difference = traceId.charCodeAt(FROM + at) - bound.charCodeAt(at)
    if (difference !== 0) return difference < 0
  }
  return false
}
