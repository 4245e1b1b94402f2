import { cipherSuite, protocolProblem, type TlsLimits, versionRange } from '#contracts'
import { boolean, config, type DecodedMembers, field, list, object, type Settled, string } from '#schema'

const suite = field<string>({ label: 'a cipher suite', schema: () => ({ type: 'string' }) }, (value, report) => {
  const read = typeof value === 'string' ? cipherSuite(value) : { problem: 'expected the name of a cipher suite' }
  if ('suite' in read) return read.suite
  report(read.problem)
  return undefined
})

const protocol = field<string>(
  { label: 'TLSv1.2 or TLSv1.3', schema: () => ({ enum: ['TLSv1.2', 'TLSv1.3'] }) },
  (value, report) => {
    const problem = typeof value === 'string' ? protocolProblem(value) : 'expected TLSv1.2 or TLSv1.3'
    if (problem !== null) report(problem)
    return value as string
  },
)

/** The fields for TLS versions and cipher suites. */
export const LIMIT_FIELDS = {
  sslCipherSuites: list(config(suite)).optional().meta({
    description:
      'Offered cipher suites, by registered name (`TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`) or OpenSSL name. All secure ones by default.',
  }),
  sslContextAlgorithm: config(string({ nonEmpty: true }))
    .default('TLS')
    .meta({
      description:
        'Name of an SSL context in Java; it has no effect on the protocol versions, which sslEnabledProtocols sets.',
    }),
  sslEnabledProtocols: list(config(protocol))
    .optional()
    .meta({ description: 'Offered protocol versions: `TLSv1.2`, `TLSv1.3`; both by default.' }),
}

/** Newer fields, which handlers do not have. */
export const NEGOTIATION_FIELDS = {
  alpn: object({
    enabled: config(boolean())
      .default(true)
      .meta({ description: 'Whether the application protocol is negotiated; without it HTTP/1.1 is used.' }),
  })
    .default({})
    .meta({ description: 'Negotiation of the application protocol (RFC 7301).' }),
  offloadHandshake: config(boolean()).optional().meta({
    description: 'Handshakes on separate threads.',
    unsupported: 'handshakes are shared out over the units',
  }),
}

type LimitValues = Settled<DecodedMembers<typeof LIMIT_FIELDS>>

/** Warns of an SSL context name that has no effect here. */
export function warnOfContextAlgorithm(algorithm: string, warn: (message: string) => void): void {
  if (/^(?:TLS|Default)$/i.test(algorithm)) return
  const version = /^TLSv1\.[23]$/.test(algorithm) ? `; set sslEnabledProtocols to ["${algorithm}"] instead` : ''
  warn(`sslContextAlgorithm: "${algorithm}" has a meaning only in a JVM and no effect here${version}`)
}

/**
 * The protocol versions and suites that these fields allow. TLS 1.3 and earlier versions have separate suites: a list without any of
 * one group disables its versions. Throws where no version is left.
 */
export function limitsOf(
  { sslCipherSuites, sslEnabledProtocols }: Pick<LimitValues, 'sslCipherSuites' | 'sslEnabledProtocols'>,
  alpn: boolean,
): TlsLimits {
  const { minVersion, maxVersion } = versionRange(sslEnabledProtocols ?? [])
  if (sslCipherSuites === undefined || sslCipherSuites.length === 0) {
    return { minVersion, maxVersion, ciphers: null, alpn }
  }
  const isModern = (suite: string) => suite.startsWith('TLS_')
  const least = sslCipherSuites.every(isModern) ? 'TLSv1.3' : minVersion
  const most = sslCipherSuites.some(isModern) ? maxVersion : 'TLSv1.2'
  if (least > most) throw new TypeError('sslCipherSuites holds no suite of the versions in sslEnabledProtocols')
  return { minVersion: least, maxVersion: most, ciphers: sslCipherSuites.join(':'), alpn }
}
