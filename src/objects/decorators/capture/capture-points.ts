import { config, listOrOne, oneOf } from '#schema'

const POINTS = ['request', 'filtered_request', 'response', 'filtered_response'] as const

/** Where a message is looked at: before a filter, as it passes it on, as it gets the answer, as it returns it. */
export type CapturePoint = (typeof POINTS)[number]

/** What users write to choose points. */
export type CaptureWord = CapturePoint | 'all' | 'none'

/** One word or a list of words. */
export const captureWords = () => listOrOne(config(oneOf(['all', 'none', ...POINTS])))

/** The points that words choose; `none` wins over all others. */
export function chosenPoints(words: readonly CaptureWord[]): ReadonlySet<CapturePoint> {
  if (words.includes('none')) return new Set()
  return new Set(POINTS.filter((point) => words.includes('all') || words.includes(point)))
}
