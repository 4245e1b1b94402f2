import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { acceptAnyIdentity, type ClientTls, checkIdentity, identityProblem, type TlsPlan } from '#contracts'

/** Options of `tls.connect`. Node checks no name without `rejectUnauthorized`: `serverIdentityProblem` does in all cases. */
export function tlsConnectOptions(plan: TlsPlan): ConnectionOptions {
  const { checkServerIdentity: checksIdentity, ciphers, key, cert, ca, ...rest } = plan
  return {
    ...rest,
    ...(key !== undefined && { key: [...key] }),
    ...(cert !== undefined && { cert: [...cert] }),
    ...(ca !== undefined && { ca: [...ca] }),
    ...(ciphers !== null && { ciphers }),
    checkServerIdentity: checksIdentity ? checkIdentity : acceptAnyIdentity,
  }
}

/** Why the certificate does not match the host of the connection; null where it does. */
export function serverIdentityProblem(plan: TlsPlan, host: string, socket: TLSSocket): string | null {
  return plan.checkServerIdentity ? identityProblem(host, socket.getPeerX509Certificate()) : null
}

/** The plan as TLS settings of `#client`. */
export function clientTlsOf(plan: TlsPlan): ClientTls {
  const { key = [], cert = [], ca, rejectUnauthorized, checkServerIdentity, minVersion, maxVersion, ciphers } = plan
  const identities = key.map((pem, index) => ({ key: createPrivateKey(pem), chain: certificatesIn(cert[index] ?? '') }))
  const trusted = ca?.map((pem) => new X509Certificate(pem)) ?? ('platform' as const)
  const onChange = () => () => {}
  return {
    minVersion,
    maxVersion,
    ciphers,
    alpn: true,
    keys: { identities: async () => identities, onChange },
    trust: { authorities: async () => (rejectUnauthorized ? trusted : 'anything'), onChange },
    hostnames: checkServerIdentity ? 'STRICT' : 'ALLOW_ALL',
  }
}

function certificatesIn(pem: string): X509Certificate[] {
  return [...pem.matchAll(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs)].map(
    ([text]) => new X509Certificate(text),
  )
}
