import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ServerTls } from '#contracts'
import { Certificate } from '#expression'

const NONE: readonly Certificate[] = []
const MAX_CHAIN = 10
const NO_CERTIFICATE = 'the client sent no certificate'

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
  if (socket.getPeerX509Certificate() === undefined) return clientAuth === 'REQUIRED' ? NO_CERTIFICATE : null
  return verifies && !socket.authorized ? untrusted(socket) : null
}

/** The same for a handshake that Node has rejected; null where it failed for another reason. */
export function handshakeRejection(error: NodeJS.ErrnoException, socket: TLSSocket): string | null {
  if (error.code === 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE') return NO_CERTIFICATE
  return socket.authorizationError ? untrusted(socket) : null
}

function untrusted({ authorizationError }: TLSSocket): string {
  return `the certificate of the client is not trusted: ${String(authorizationError)}`
}

/** Address of the client of a failed handshake; the TLS socket has none after it is destroyed, its socket remembers it. */
export function handshakeClient(socket: TLSSocket & { readonly _parent?: Socket | null }): string | undefined {
  return socket.remoteAddress ?? socket._parent?.remoteAddress
}
