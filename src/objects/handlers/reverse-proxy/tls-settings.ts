import { type ClientTls, ClientTlsKind } from '#contracts'
import { config, type DecodedMembers, type FieldMigration, oneOf, ref, type Settled, string, type Warn } from '#schema'
import { CLIENT_FIELDS } from '../../lib/tls/client-tls.ts'
import { joinKeys, joinTrust } from '../../lib/tls/joined-managers.ts'
import { limitsOf, warnOfContextAlgorithm } from '../../lib/tls/limit-fields.ts'

const replacement = 'use the field of that name in the ClientTlsOptions that tls refers to'

/** The TLS fields of a handler; the deprecated ones take precedence over `tls` (spec, deprecated handler fields). */
export const TLS_FIELDS = {
  tls: ref(ClientTlsKind).optional().meta({
    description:
      'TLS options; by default certificates must be issued by an authority that the platform trusts and match the host name.',
  }),
  hostnameVerifier: config(oneOf(['STRICT', 'ALLOW_ALL']))
    .optional()
    .meta({
      description: 'STRICT: the certificate must match the host name. ALLOW_ALL: any trusted certificate is accepted.',
      replacement,
    }),
  keyManager: CLIENT_FIELDS.keyManager.meta({ replacement }),
  trustManager: CLIENT_FIELDS.trustManager.meta({ replacement }),
  sslCipherSuites: CLIENT_FIELDS.sslCipherSuites.meta({ replacement }),
  sslContextAlgorithm: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'Name of an SSL context in Java.', replacement }),
  sslEnabledProtocols: CLIENT_FIELDS.sslEnabledProtocols.meta({ replacement }),
}

const OLD_FIELDS = Object.keys(TLS_FIELDS).filter((name) => name !== 'tls')

/** The deprecated fields become those of ClientTlsOptions; beside `tls` a person decides. */
export const TLS_MIGRATION: FieldMigration = {
  fields: OLD_FIELDS,
  migrate: (given, { tls }) => (tls === undefined ? { tls: { type: 'ClientTlsOptions', config: given } } : null),
}

type TlsValues = Settled<DecodedMembers<typeof TLS_FIELDS>>

/** Warns of settings without effect. */
export function checkTls({ sslContextAlgorithm = 'TLS' }: TlsValues, warn: Warn): void {
  warnOfContextAlgorithm(sslContextAlgorithm, warn)
}

/** TLS options of the handler; null for the default. */
export async function tlsOf(values: TlsValues): Promise<ClientTls | null> {
  const { tls, hostnameVerifier, keyManager, trustManager, sslCipherSuites, sslEnabledProtocols } = values
  const old = [hostnameVerifier, keyManager, trustManager, sslCipherSuites, sslEnabledProtocols]
  if (old.every((value) => value === undefined)) return tls ?? null
  const limits = limitsOf({ sslCipherSuites, sslEnabledProtocols }, tls?.alpn ?? true)
  const isNarrowed = sslCipherSuites !== undefined || sslEnabledProtocols !== undefined
  const { minVersion, maxVersion } = isNarrowed ? limits : (tls ?? limits)
  const joined: ClientTls = {
    minVersion,
    maxVersion,
    ciphers: limits.ciphers ?? tls?.ciphers ?? null,
    alpn: limits.alpn,
    keys: joinKeys(keyManager) ?? tls?.keys ?? null,
    trust: joinTrust(trustManager) ?? tls?.trust ?? null,
    hostnames: hostnameVerifier ?? tls?.hostnames ?? 'STRICT',
  }
  // Unusable keys and trust are reported at load, not by the first request.
  await Promise.all([joined.keys?.identities(), joined.trust?.authorities()])
  return joined
}
