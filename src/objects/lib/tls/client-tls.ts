import { type ClientTls, KeyManagerKind, TrustManagerKind } from '#contracts'
import { config, type DecodedMembers, listOrOne, oneOf, ref, type Settled } from '#schema'
import { joinKeys, joinTrust } from './joined-managers.ts'
import { LIMIT_FIELDS, limitsOf } from './limit-fields.ts'

/** The fields of TLS to upstreams that older configurations set in handlers. */
export const CLIENT_FIELDS = {
  keyManager: listOrOne(ref(KeyManagerKind)).optional().meta({
    description: 'Keys and certificates for servers that request a client certificate. Without it none is sent.',
  }),
  trustManager: listOrOne(ref(TrustManagerKind)).optional().meta({
    description: 'Trusted certificate authorities; those of the platform by default.',
  }),
  ...LIMIT_FIELDS,
  hostnameVerifier: config(oneOf(['STRICT', 'ALLOW_ALL']))
    .default('STRICT')
    .meta({
      description: 'STRICT: the certificate must match the host name. ALLOW_ALL: any trusted certificate is accepted.',
    }),
}

type ClientValues = Settled<DecodedMembers<typeof CLIENT_FIELDS>>

/** TLS to upstreams, from its settled fields. */
export function clientTls(values: ClientValues, alpn: boolean): ClientTls {
  return {
    ...limitsOf(values, alpn),
    keys: joinKeys(values.keyManager),
    trust: joinTrust(values.trustManager),
    hostnames: values.hostnameVerifier,
  }
}
