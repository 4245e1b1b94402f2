import { ServerTlsKind } from '#contracts'
import { appendPointer } from '#json'
import { atLeastOneOf, defineType } from '#schema'
import { NEGOTIATION_FIELDS, warnOfContextAlgorithm } from '../../lib/tls/limit-fields.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/tls/log-events.ts'
import { SERVER_FIELDS, serverNameProblem, serverTls, serverWarnings } from '../../lib/tls/server-tls.ts'

/** TLS options of a connector. */
export const ServerTlsOptions = defineType({
  name: 'ServerTlsOptions',
  kind: ServerTlsKind,
  summary: 'TLS options of a connector: server certificates, client certificates, versions and ciphers.',
  metrics: ['gw_tls_certificate_not_after_seconds', 'gw_tls_certificate_stale'],
  events: [LIB_EVENTS.CERTIFICATE_EXPIRES, LIB_EVENTS.CERTIFICATE_UNREADABLE],
  config: { ...SERVER_FIELDS, ...NEGOTIATION_FIELDS },
  rules: [atLeastOneOf('keyManager', 'sni')],
  check(values, report, warn) {
    const { sni, sslContextAlgorithm } = values
    for (const warning of serverWarnings(values)) warn(warning)
    warnOfContextAlgorithm(sslContextAlgorithm, warn)
    for (const name of Object.keys(sni?.serverNames ?? {})) {
      const problem = serverNameProblem(name)
      if (problem !== null) report(appendPointer('/sni/serverNames', name), problem)
    }
  },
  async create({ alpn, ...values }, env) {
    const tls = await serverTls(values, alpn.enabled, env)
    if (tls === null) throw new TypeError('give at least one of keyManager, sni')
    return tls
  },
})
