import { KeyStoreKind, SecretError, TrustManagerKind } from '#contracts'
import { config, defineType, ref, string } from '#schema'

const KNOWN_ALGORITHMS = /^(?:PKIX|SunX509|SunPKIX|X\.?509)$/i

/** Trusted certificates from a keystore. */
export const TrustManager = defineType({
  name: 'TrustManager',
  kind: TrustManagerKind,
  summary: 'Trusts the certificates of a keystore.',
  config: {
    keystore: ref(KeyStoreKind).meta({ description: 'The keystore; its trusted certificates are used, not its keys.' }),
    alg: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Algorithm of a trust manager in Java, such as PKIX. It has no effect.' }),
  },
  check({ alg }, _report, warn) {
    if (alg !== undefined && !KNOWN_ALGORITHMS.test(alg))
      warn(`alg: "${alg}" has a meaning only in a JVM and no effect here`)
  },
  create({ keystore }) {
    return {
      authorities: async () => {
        const items = await keystore.items(null)
        const trusted = items.filter(({ key }) => key === null).flatMap(({ certificates }) => certificates)
        if (trusted.length > 0) return trusted
        throw new SecretError('keystore: expected at least one trusted certificate, found none')
      },
      onChange: (listener) => keystore.onChange(listener),
    }
  },
})
