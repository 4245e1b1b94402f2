import { type ClientTls, KeyManagerKind, TrustManagerKind } from '#contracts'
import { config, type DecodedMembers, listOrOne, oneOf, ref, type Settled } from '#schema'
import { joinKeys, joinTrust } from './joined-managers.ts'
import { LIMIT_FIELDS, limitsOf } from './limit-fields.ts'

/** The fields of TLS towards other servers that handlers of the past also had themselves. */
export const CLIENT_FIELDS = {
  keyManager: listOrOne(ref(KeyManagerKind)).optional().meta({
    description: 'Keys and certificates to show to servers that ask for one. Without it none is shown.',
  }),
  trustManager: listOrOne(ref(TrustManagerKind)).optional().meta({
    description: 'Whose certificates are accepted; those of the authorities that the platform trusts by default.',
  }),
  ...LIMIT_FIELDS,
  hostnameVerifier: config(oneOf(['STRICT', 'ALLOW_ALL']))
    .default('STRICT')
    .meta({
      description:
        'STRICT: the certificate must name the host that is called. ALLOW_ALL: any name of a trusted certificate will do.',
    }),
}

type ClientValues = Settled<DecodedMembers<typeof CLIENT_FIELDS>>

/** TLS towards other servers, from its settled fields. */
export function clientTls(values: ClientValues, alpn: boolean): ClientTls {
  return {
    ...limitsOf(values, alpn),
    keys: joinKeys(values.keyManager),
    trust: joinTrust(values.trustManager),
    hostnames: values.hostnameVerifier,
  }
}
