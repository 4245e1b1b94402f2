/** Idempotent methods (RFC 9110 section 9.2.2). */
export const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

/** Safe methods (RFC 9110 section 9.2.1) that browsers send; they never send TRACE. */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

const KNOWN = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY'])

/** Whether a method is one of RFC 9110, RFC 5789 or the HTTP QUERY method. */
export function isKnownMethod(method: string): boolean {
  return KNOWN.has(method)
}

/** `http.request.method` of OpenTelemetry: clients must not choose values of metrics. */
export function methodAttribute(method: string): string {
  return KNOWN.has(method) ? method : '_OTHER'
}
