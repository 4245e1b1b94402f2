import { TlsOptionsKind } from '#contracts'
import { appendPointer } from '#json'
import { defineType } from '#schema'
import { warnOfClientExpiry } from '../../lib/tls/certificate-expiry.ts'
import { CLIENT_FIELDS, clientTls } from '../../lib/tls/client-tls.ts'
import { contextAlgorithmWarning, NEGOTIATION_FIELDS } from '../../lib/tls/limit-fields.ts'
import { SERVER_FIELDS, serverNameProblem, serverTls } from '../../lib/tls/server-tls.ts'

/** Deprecated TLS options for clients and servers. */
export const TlsOptions = defineType({
  name: 'TlsOptions',
  kind: TlsOptionsKind,
  summary: 'TLS options of the past, for handlers and connectors alike.',
  replacement: 'use ClientTlsOptions for handlers and ServerTlsOptions for connectors',
  config: { ...SERVER_FIELDS, ...CLIENT_FIELDS, ...NEGOTIATION_FIELDS },
  check({ sni }, report) {
    for (const name of Object.keys(sni?.serverNames ?? {})) {
      const problem = serverNameProblem(name)
      if (problem !== null) report(appendPointer('/sni/serverNames', name), problem)
    }
  },
  async create({ alpn, ...values }, env) {
    const warning = contextAlgorithmWarning(values.sslContextAlgorithm)
    if (warning !== null) env.warn(warning)
    const client = clientTls(values, alpn.enabled)
    // Without sni, the certificates of the server are the same.
    const keys =
      values.sni === undefined ? client.keys?.identities() : client.keys && warnOfClientExpiry(client.keys, env)
    await Promise.all([keys, client.trust?.authorities()])
    return { client, server: await serverTls(values, alpn.enabled, env) }
  },
})
