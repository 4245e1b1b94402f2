import { UpstreamError } from './upstream-error.ts'

/** Why an upstream request failed, in one word for access lines; null where the server is not the cause. */
export function failureCause(error: UpstreamError): string | null {
  switch (error.code) {
    case 'GW_UPSTREAM_CONNECT':
      return connectionCause(error.cause)
    case 'GW_UPSTREAM_CLOSED':
      return 'reset'
    case 'GW_UPSTREAM_TIMEOUT':
      return 'timeout'
    case 'GW_UPSTREAM_PROTOCOL':
      return 'protocol'
    default:
      return null
  }
}

function connectionCause(cause: unknown): string {
  if (cause instanceof UpstreamError) return failureCause(cause) ?? 'refused'
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name'
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|TLS_IDENTITY/.test(code)) return 'certificate'
  if (code === '' || code === 'ETIMEDOUT') return 'timeout'
  return code === 'ECONNRESET' || code === 'EPIPE' ? 'reset' : 'refused'
}
