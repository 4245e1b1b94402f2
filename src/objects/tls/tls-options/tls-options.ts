import { ServerTlsKind, TlsOptionsKind } from '#contracts'
import { appendPointer, isPlainObject, type JsonObject } from '#json'
import { defineType, type ObjectPlace } from '#schema'
import { checkClientKeys } from '../../lib/tls/certificate-expiry.ts'
import { CLIENT_FIELDS, clientTls } from '../../lib/tls/client-tls.ts'
import { NEGOTIATION_FIELDS, warnOfContextAlgorithm } from '../../lib/tls/limit-fields.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/tls/log-events.ts'
import { SERVER_FIELDS, serverNameProblem, serverTls } from '../../lib/tls/server-tls.ts'

/** Deprecated TLS options for clients and servers. */
export const TlsOptions = defineType({
  name: 'TlsOptions',
  kind: TlsOptionsKind,
  summary: 'TLS options of handlers and connectors in one type.',
  replacement: 'use ClientTlsOptions for handlers and ServerTlsOptions for connectors',
  metrics: ['gw_tls_certificate_not_after_seconds', 'gw_tls_certificate_stale'],
  events: [LIB_EVENTS.CERTIFICATE_EXPIRES, LIB_EVENTS.CERTIFICATE_UNREADABLE],
  config: { ...SERVER_FIELDS, ...CLIENT_FIELDS, ...NEGOTIATION_FIELDS },
  migrate: forItsSide,
  check({ sni, sslContextAlgorithm }, report, warn) {
    warnOfContextAlgorithm(sslContextAlgorithm, warn)
    for (const name of Object.keys(sni?.serverNames ?? {})) {
      const problem = serverNameProblem(name)
      if (problem !== null) report(appendPointer('/sni/serverNames', name), problem)
    }
  },
  async create({ alpn, ...values }, env) {
    const client = clientTls(values, alpn.enabled)
    // Without sni, the certificates of the server are the same.
    const keys = values.sni === undefined ? client.keys?.identities() : client.keys && checkClientKeys(client.keys, env)
    await Promise.all([keys, client.trust?.authorities()])
    return { client, server: await serverTls(values, alpn.enabled, env) }
  },
})

/** The type for the side of a connection on which the options are used, without the fields of the other side. */
function forItsSide(declaration: JsonObject, { kinds, isAdmin }: ObjectPlace): JsonObject {
  const config = isPlainObject(declaration['config']) ? (declaration['config'] as JsonObject) : {}
  const hasIdentity = config['keyManager'] !== undefined || config['sni'] !== undefined
  // Heaps of routes and of config.json serve no connector.
  const isServer = kinds === null ? isAdmin && hasIdentity : kinds.includes(ServerTlsKind)
  const [own, others] = isServer ? [SERVER_FIELDS, CLIENT_FIELDS] : [CLIENT_FIELDS, SERVER_FIELDS]
  const kept = Object.entries(config).filter(([key]) => Object.hasOwn(own, key) || !Object.hasOwn(others, key))
  return {
    ...declaration,
    type: isServer ? 'ServerTlsOptions' : 'ClientTlsOptions',
    ...(declaration['config'] !== undefined && { config: Object.fromEntries(kept) }),
  }
}
