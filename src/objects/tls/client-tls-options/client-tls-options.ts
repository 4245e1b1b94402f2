import { ClientTlsKind } from '#contracts'
import { defineType } from '#schema'
import { checkClientKeys } from '../../lib/tls/certificate-expiry.ts'
import { CLIENT_FIELDS, clientTls } from '../../lib/tls/client-tls.ts'
import { NEGOTIATION_FIELDS, warnOfContextAlgorithm } from '../../lib/tls/limit-fields.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/tls/log-events.ts'
import { usableKeys } from '../../lib/tls/usable-keys.ts'

/** TLS options of connections to other servers. */
export const ClientTlsOptions = defineType({
  name: 'ClientTlsOptions',
  kind: ClientTlsKind,
  summary: 'TLS options of connections to other servers: trust, client certificate, versions and ciphers.',
  events: [LIB_EVENTS.CERTIFICATE_EXPIRES, LIB_EVENTS.CLIENT_KEY_UNUSABLE],
  config: { ...CLIENT_FIELDS, ...NEGOTIATION_FIELDS },
  check: ({ sslContextAlgorithm }, _report, warn) => warnOfContextAlgorithm(sslContextAlgorithm, warn),
  async create({ alpn, ...values }, env) {
    const tls = clientTls(values, alpn.enabled)
    // Unusable keys and trust are reported at load, not by the first request.
    const keys = tls.keys && (await usableKeys(tls.keys, env))
    await Promise.all([keys && checkClientKeys(keys, env), tls.trust?.authorities()])
    return { ...tls, keys }
  },
})
