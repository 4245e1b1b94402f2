import { startHistory, type TextHistory } from './text-history.ts'

/** The text that is served, with its revision; null for a route that does not exist at the gateway. */
export type Served = { readonly _source: string; readonly _sourceRev: string; readonly isCrlf?: boolean } | null

/** The text under edit after the served one was read; null where it stays as it is, and where there is neither. */
export function followed(history: TextHistory | null, base: Served, served: Served): TextHistory | null {
  if (served === null) return null
  if (history === null) return startHistory(served._source)
  if (served._sourceRev === base?._sourceRev) return null
  // A draft that was deployed elsewhere is none any more, and can still be undone.
  if (history.text === served._source) return { ...history }
  // A text without changes follows the one that is served; a draft stays.
  return history.text === base?._source ? startHistory(served._source) : null
}
