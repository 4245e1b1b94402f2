import type { Headers } from '#http'
import { RequestError } from './refusal.ts'

/** Rejects requests that do not accept JSON (406). Media types of fields are requested with `_mimeType`, not with `Accept`. */
export function checkAccept(headers: Headers): void {
  const ranges = headers.all('accept').join(',').split(',')
  const named = ranges.map((range) => range.trim().toLowerCase()).filter((range) => range !== '')
  if (named.length === 0 || acceptsJson(named)) return
  throw new RequestError(406, 'Accept: the response is application/json, which the request does not accept')
}

/** The most specific range that covers JSON decides (RFC 9110 section 12.5.1). */
function acceptsJson(ranges: readonly string[]): boolean {
  for (const wanted of ['application/json', 'application/*', '*/*']) {
    const found = ranges.find((range) => range.split(';')[0]?.trim() === wanted)
    if (found !== undefined) return !/;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/.test(found)
  }
  return false
}
