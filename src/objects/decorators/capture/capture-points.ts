import { config, listOrOne, oneOf } from '#schema'

const POINTS = ['request', 'filtered_request', 'response', 'filtered_response'] as const

/** Points: request before and after a filter, response before and after a filter. */
export type CapturePoint = (typeof POINTS)[number]

/** Configured value that selects points. */
export type CaptureWord = CapturePoint | 'all' | 'none'

/** One value or a list of values. */
export const captureWords = () => listOrOne(config(oneOf(['all', 'none', ...POINTS])))

/** The selected points; `none` takes precedence over all others. */
export function chosenPoints(words: readonly CaptureWord[]): ReadonlySet<CapturePoint> {
  if (words.includes('none')) return new Set()
  return new Set(POINTS.filter((point) => words.includes('all') || words.includes(point)))
}
