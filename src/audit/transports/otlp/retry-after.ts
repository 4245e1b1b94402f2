import type { Headers } from '#http'

/** Longest wait that is granted, in milliseconds. */
const MAX_WAIT = 300_000

/** Value of `Retry-After` in milliseconds, as seconds or as a date (RFC 9110, 10.2.3); 0 without it. */
export function retryAfterOf(headers: Headers, now: number): number {
  const text = headers.get('retry-after')?.trim() ?? ''
  const wait = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), MAX_WAIT)
}
