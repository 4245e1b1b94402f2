import type { ClientSettings } from '#client'
import type { ClientTls } from '#contracts'
import { boolean, config, type DecodedMembers, oneOf, type Settled, type Warn } from '#schema'

/** The fields for the HTTP version of a handler. */
export const HTTP_VERSION_FIELDS = {
  protocolVersion: config(oneOf(['HTTP/2', 'HTTP/1.1']))
    .optional()
    .meta({
      description:
        'HTTP/2: where the server supports it, with or without TLS. HTTP/1.1: only HTTP/1.1. Not set: HTTP/2 over TLS where the server supports it and alpn is enabled in tls, else HTTP/1.1.',
    }),
  http2PriorKnowledge: config(boolean()).default(false).meta({
    description:
      'For protocolVersion HTTP/2 without TLS. false: h2c upgrade, with HTTP/1.1 where the server does not accept it. true: HTTP/2 with prior knowledge.',
  }),
}

type HttpVersionValues = Settled<DecodedMembers<typeof HTTP_VERSION_FIELDS>>

/** Warns of settings without effect. */
export function checkHttpVersion({ protocolVersion, http2PriorKnowledge }: HttpVersionValues, warn: Warn): void {
  if (http2PriorKnowledge && protocolVersion !== 'HTTP/2')
    warn('http2PriorKnowledge has no effect: it is for protocolVersion HTTP/2')
}

/** When HTTP/2 is used (spec, "protocolVersion behaviour"); null for never. */
export function http2Of(
  { protocolVersion, http2PriorKnowledge }: HttpVersionValues,
  tls: ClientTls | null,
): Pick<NonNullable<ClientSettings['http2']>, 'overTls' | 'inClear'> | null {
  if (protocolVersion === 'HTTP/1.1') return null
  if (protocolVersion === 'HTTP/2')
    return { overTls: true, inClear: http2PriorKnowledge ? 'prior-knowledge' : 'h2c-upgrade' }
  return tls?.alpn === false ? null : { overTls: true, inClear: 'off' }
}
