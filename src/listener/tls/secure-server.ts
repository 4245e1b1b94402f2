import type { Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import type { ServerTls } from '#contracts'
import type { Logger } from '#logging'
import { keepErrorListener } from '../keep-error-listener.ts'
import { EVENTS } from '../log-events.ts'
import { clientRejection, handshakeClient, handshakeRejection } from './client-certificates.ts'
import { InboundContexts } from './inbound-contexts.ts'
import { SessionTickets, type TicketSource } from './session-tickets.ts'

/** Options of accepted sockets. */
export interface SocketOptions {
  readonly noDelay: boolean
  readonly keepAlive: boolean
  readonly highWaterMark?: number
}

/** Settings of a connector with TLS. */
interface SecureSettings {
  readonly tls: ServerTls
  readonly tickets: TicketSource | null
  readonly handshakeTimeout: number
  readonly sockets: SocketOptions
  readonly logger: Logger
  /** ALPN chose HTTP/2. */
  onHttp2(socket: TLSSocket): void
  onHttp1(socket: TLSSocket): void
}

/** A connector with TLS. */
export interface SecureServer {
  readonly server: Server
  /** Destroys connections without a completed handshake. */
  destroyHandshakes(): void
  stop(): void
}

/** Creates the server of a connector with TLS: certificates by SNI, renewed without closing connections. */
export async function secureServer(settings: SecureSettings): Promise<SecureServer> {
  const { tls, sockets, logger, handshakeTimeout } = settings
  const tickets = settings.tickets === null ? null : new SessionTickets(settings.tickets)
  const contexts = new InboundContexts(tls, tickets?.sessionIdContext)
  const server = createServer({
    ...sockets,
    ...(await contexts.defaultOptions()),
    ALPNProtocols: tls.alpn ? ['h2', 'http/1.1'] : ['http/1.1'],
    handshakeTimeout,
    requestCert: tls.clientAuth !== 'NONE',
    rejectUnauthorized: tls.clientAuth === 'REQUIRED' && contexts.verifiesClients,
    SNICallback: (serverName, callback) => {
      // An error ends this one handshake (threats B90).
      contexts.contextFor(serverName).then(
        (context) => callback(null, context),
        (error: Error) => {
          logger.limited(error).error({ error }, EVENTS.NO_CERTIFICATE)
          callback(error)
        },
      )
    },
  })
  tickets?.install(server)
  const handshakes = trackHandshakes(server)
  server.on('tlsClientError', (error, socket) => {
    const client = handshakeClient(socket)
    const problem = handshakeRejection(error, socket)
    if (problem === null) logger.debug({ client, error }, 'handshake failed')
    else logRejection(logger, client, problem)
    socket.destroy()
  })
  dispatchByProtocol(server, settings, contexts, handshakes)
  // Sequential: an older certificate that is read late must not replace a newer one.
  let renewal = Promise.resolve()
  const stop = tls.onChange(() => {
    contexts.invalidate()
    renewal = renewal.then(() => renew(server, contexts, tickets, logger))
  })
  return {
    server,
    stop,
    destroyHandshakes: () => {
      for (const socket of handshakes.values()) socket.destroy()
    },
  }
}

/** Rate-limited for each reason: anyone can connect. */
function logRejection(logger: Logger, client: string | undefined, problem: string): void {
  logger.limited(problem).warn({ client, problem }, EVENTS.CLIENT_CERTIFICATE_REJECTED)
}

/** New connections use the new keys and trust; open ones stay open. */
async function renew(
  server: Server,
  contexts: InboundContexts,
  tickets: SessionTickets | null,
  logger: Logger,
): Promise<void> {
  try {
    server.setSecureContext(await contexts.defaultOptions())
    tickets?.install(server)
    logger.info('certificates and trust of the connector read again: new connections use the last good ones')
  } catch (error) {
    logger.error({ error }, EVENTS.CERTIFICATES_NOT_RENEWED)
  }
}

/** Sockets by remote address and port, since the TLS socket of a completed handshake is another object. */
function trackHandshakes(server: Server): Map<string, Socket> {
  const handshakes = new Map<string, Socket>()
  server.on('connection', (socket) => {
    const key = remoteKey(socket)
    handshakes.set(key, socket)
    socket.once('close', () => {
      if (handshakes.get(key) === socket) handshakes.delete(key)
    })
  })
  return handshakes
}

function remoteKey({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`
}

/** Serves the version of HTTP that ALPN chose. */
function dispatchByProtocol(
  server: Server,
  { tls, logger, onHttp1, onHttp2 }: SecureSettings,
  contexts: InboundContexts,
  handshakes: Map<string, Socket>,
): void {
  server.on('secureConnection', (socket) => {
    keepErrorListener(socket)
    handshakes.delete(remoteKey(socket))
    // The client may have disconnected at the end of the handshake.
    if (socket.destroyed) return
    try {
      const problem = clientRejection(socket, tls, contexts.verifiesClients)
      if (problem !== null) {
        logRejection(logger, socket.remoteAddress, problem)
        socket.destroy()
      } else if (socket.alpnProtocol === 'h2') {
        onHttp2(socket)
      } else {
        onHttp1(socket)
      }
    } catch (error) {
      // An exception in an event of the server would end the process (threats B90).
      logger.limited(error).error({ error }, EVENTS.CONNECTION_FAILED)
      socket.destroy()
    }
  })
}
