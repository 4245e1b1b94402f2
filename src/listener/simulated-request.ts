import type { Body, Exchange } from '#http'
import { admit } from './admission.ts'
import { createExchange } from './create-exchange.ts'
import { fieldKinds } from './header-field.ts'
import { TrustedProxies } from './peer.ts'
import type { Refusal } from './refusal.ts'
import { reservedPaths } from './reserved-path.ts'
import type { ListenerSettings } from './settings.ts'

export interface SimulatedRequest {
  readonly method: string
  /** As in the request line. */
  readonly target: string
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
  readonly scheme: 'http' | 'https'
  readonly clientAddress: string
  readonly body: Body
}

/** Dry run of a listener: the exchange for its handler, or the refusal for its client. */
export function simulateRequest(
  { method, target, rawHeaders, scheme, clientAddress, body }: SimulatedRequest,
  settings: ListenerSettings,
): { readonly exchange: Exchange } | Refusal {
  const trusted = new TrustedProxies(settings.trustedProxies)
  const peer = {
    address: clientAddress,
    port: 0,
    localAddress: '127.0.0.1',
    localPort: settings.port,
    scheme,
    tls: null,
    trust: trusted.has(clientAddress) ? ('trusted' as const) : ('untrusted' as const),
    certificates: [],
  }
  const fields = fieldKinds(settings)
  const admitted = admit({ method, target, version: '1.1', fields: rawHeaders }, peer, { settings, fields })
  if ('problem' in admitted) return admitted
  const isReserved = reservedPaths(settings.reservedPrefix)
  if (isReserved(admitted.uri.path)) return { status: 404, problem: `a path under /${settings.reservedPrefix}` }
  const exchange = createExchange(admitted, () => body, peer, { settings, trusted, fields })
  return 'problem' in exchange ? exchange : { exchange }
}
