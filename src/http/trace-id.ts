import { equalsIgnoreCase } from './ascii.ts'

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/
const NO_TRACE = '0'.repeat(32)

/** The trace of the header `traceparent` (W3C Trace Context) in a flat list; null without a valid one. */
export function traceIdOf(headers: readonly string[]): string | null {
  for (let at = 0; at < headers.length; at += 2) {
    if (!equalsIgnoreCase(headers[at]!, 'traceparent')) continue
    const id = TRACEPARENT.exec(headers[at + 1]!)?.[1] ?? null
    return id === NO_TRACE ? null : id
  }
  return null
}
