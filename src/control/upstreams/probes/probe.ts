import type { TlsPlan } from '#contracts'
import type { HealthCheckPlan } from '#schema'
import type { Reason } from '#upstreams'

/** Why a server failed its check; null where it passed. */
export type ProbeFailure = { readonly reason: Reason; readonly detail: number } | null

/** Asks a server once, over a connection of its own. */
export type Probe = (url: URL, plan: HealthCheckPlan, tls: TlsPlan) => Promise<ProbeFailure>

export const USER_AGENT = 'identity-gateway-health'

/** The cause of an error of a connection. */
export function failureOf(error: Error): ProbeFailure {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { reason: 'name', detail: 0 }
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|TLS_IDENTITY/.test(code)) return { reason: 'certificate', detail: 0 }
  if (/^HPE_|^ERR_HTTP2|PROTO/.test(code)) return { reason: 'protocol', detail: 0 }
  return { reason: 'refused', detail: 0 }
}

/** The port of a check: that of the plan, or of the server. */
export function portOf({ port, protocol }: URL, plan: HealthCheckPlan): number {
  return plan.port ?? (Number(port) || (protocol === 'https:' ? 443 : 80))
}
