import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { ServerTls } from '#contracts'
import { Certificate } from '#expression'

const NONE: readonly Certificate[] = []
const MAX_CHAIN = 10

/** The certificate chain of a client, its own first. */
export function clientCertificates(socket: TLSSocket): readonly Certificate[] {
  const chain: Certificate[] = []
  let next: X509Certificate | undefined = socket.getPeerX509Certificate()
  if (next === undefined) return NONE
  while (next !== undefined && chain.length < MAX_CHAIN) {
    chain.push(new Certificate(next))
    next = next.issuerCertificate
  }
  return chain
}

/** The reason to reject a client certificate or its absence; null where it is accepted. */
export function clientRejection(
  socket: TLSSocket,
  { clientAuth }: Pick<ServerTls, 'clientAuth'>,
  verifies: boolean,
): string | null {
  if (clientAuth === 'NONE') return null
  if (socket.getPeerX509Certificate() === undefined) {
    return clientAuth === 'REQUIRED' ? 'the client sent no certificate' : null
  }
  if (!verifies || socket.authorized) return null
  return `the certificate of the client is not trusted: ${String(socket.authorizationError)}`
}
