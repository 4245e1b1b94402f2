import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { ServerTls } from '#contracts'
import { Certificate } from '#expression'

const NONE: readonly Certificate[] = []
/** Chains of real clients are much shorter. */
const LONGEST_CHAIN = 10

/** The certificates a client has shown, its own first. */
export function clientCertificates(socket: TLSSocket): readonly Certificate[] {
  const chain: Certificate[] = []
  let next: X509Certificate | undefined = socket.getPeerX509Certificate()
  if (next === undefined) return NONE
  while (next !== undefined && chain.length < LONGEST_CHAIN) {
    chain.push(new Certificate(next))
    next = next.issuerCertificate
  }
  return chain
}

/** Why a client may not come in; null where it may. Whom the handshake let through unjudged is judged here. */
export function clientProblem(
  socket: TLSSocket,
  { clientAuth }: Pick<ServerTls, 'clientAuth'>,
  judging: boolean,
): string | null {
  if (clientAuth === 'NONE') return null
  if (socket.getPeerX509Certificate() === undefined) {
    return clientAuth === 'REQUIRED' ? 'the client showed no certificate' : null
  }
  if (!judging || socket.authorized) return null
  return `the certificate of the client is not trusted: ${String(socket.authorizationError)}`
}
