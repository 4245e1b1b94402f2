import type { RequestSpan } from '#http'
import type { AdmittedRequest } from './admission.ts'
import type { Peer } from './peer.ts'
import type { ListenerSettings } from './settings.ts'

/** Begins the span of a request; null where none are recorded. Filters get its trace context in place of the client's. */
export function beginSpan(
  { method, head: { raw, trace } }: AdmittedRequest,
  { trust }: Peer,
  { tracer = null, trustTraceContext = false }: ListenerSettings,
): RequestSpan | null {
  if (tracer === null) return null
  const span = tracer.begin(method, trust === 'trusted' || trustTraceContext ? trace : null)
  raw.push('traceparent', span.traceparent)
  if (span.tracestate !== null) raw.push('tracestate', span.tracestate)
  return span
}
