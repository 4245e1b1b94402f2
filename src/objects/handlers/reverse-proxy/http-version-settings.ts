import type { ClientSettings } from '#client'
import type { ClientTls } from '#contracts'
import { boolean, config, type DecodedMembers, type Environment, oneOf, type Settled } from '#schema'

/** The fields for the HTTP version of a handler. */
export const HTTP_VERSION_FIELDS = {
  protocolVersion: config(oneOf(['HTTP/2', 'HTTP/1.1']))
    .optional()
    .meta({
      description:
        'HTTP/2: where the server speaks it, over TLS or in the clear. HTTP/1.1: nothing else. Not set: HTTP/2 over TLS where the server speaks it and alpn is enabled in tls, else HTTP/1.1.',
    }),
  http2PriorKnowledge: config(boolean()).default(false).meta({
    description:
      'For protocolVersion HTTP/2 in the clear. false: servers are asked whether they change to HTTP/2, and spoken to in HTTP/1.1 if not. true: HTTP/2 is sent without asking.',
  }),
}

type HttpVersionValues = Settled<DecodedMembers<typeof HTTP_VERSION_FIELDS>>

/** When HTTP/2 is used (spec, "protocolVersion behaviour"); null for never. */
export function http2Of(
  { protocolVersion, http2PriorKnowledge }: HttpVersionValues,
  tls: ClientTls | null,
  env: Environment,
): Pick<NonNullable<ClientSettings['http2']>, 'overTls' | 'inClear'> | null {
  if (http2PriorKnowledge && protocolVersion !== 'HTTP/2') {
    env.warn('http2PriorKnowledge has no effect: it is for protocolVersion HTTP/2')
  }
  if (protocolVersion === 'HTTP/1.1') return null
  if (protocolVersion === 'HTTP/2')
    return { overTls: true, inClear: http2PriorKnowledge ? 'prior-knowledge' : 'h2c-upgrade' }
  return tls?.alpn === false ? null : { overTls: true, inClear: 'off' }
}
