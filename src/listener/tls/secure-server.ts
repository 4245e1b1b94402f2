import { createServer, type Server, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ServerTls } from '#contracts'
import type { Logger } from '#logging'
import type { Http1Channel } from '../http1/channel.ts'
import type { RequestMessage } from '../http1/request-message.ts'
import { keepErrorListener } from '../socket-errors.ts'
import { clientProblem } from './client-certificates.ts'
import { InboundContexts } from './inbound-contexts.ts'

/** The server of a connector with TLS. */
export type HttpsServer = Server<typeof RequestMessage, typeof Http1Channel>

type HttpOptions = ServerOptions<typeof RequestMessage, typeof Http1Channel>

/** What a connector with TLS is opened with. */
export interface SecureSettings {
  readonly tls: ServerTls
  readonly handshakeTimeout: number
  readonly http: HttpOptions
  readonly logger: Logger
  /** Takes over a connection on which HTTP/2 was agreed. */
  onHttp2(socket: TLSSocket): void
  /** Takes over a connection on which HTTP/1.1 is spoken; nothing is read before it has attached Node's parser. */
  onHttp1(socket: TLSSocket, attachParser: () => void): void
}

/** A connector with TLS, and what of it must be released. */
export interface SecureServer {
  readonly server: HttpsServer
  /** Destroys connections on which the handshake is not done. */
  cutHandshakes(): void
  stop(): void
}

/** Makes the server of a connector with TLS: certificates by server name, renewed without a dropped connection. */
export async function secureServer(settings: SecureSettings): Promise<SecureServer> {
  const { tls, http, logger, handshakeTimeout } = settings
  const contexts = new InboundContexts(tls)
  const server: HttpsServer = createServer<typeof RequestMessage, typeof Http1Channel>({
    ...http,
    ...(await contexts.defaultOptions()),
    ALPNProtocols: tls.alpn ? ['h2', 'http/1.1'] : ['http/1.1'],
    handshakeTimeout,
    requestCert: tls.clientAuth !== 'NONE',
    rejectUnauthorized: tls.clientAuth === 'REQUIRED' && contexts.judgesClients,
    SNICallback: (serverName, callback) => {
      // An error ends this one handshake (threats B90).
      contexts.contextFor(serverName).then(
        (context) => callback(null, context),
        (error: Error) => {
          logger.limited(error).error({ error }, 'no certificate for a server name')
          callback(error)
        },
      )
    },
  })
  const handshakes = trackHandshakes(server)
  dispatchByProtocol(server, settings, contexts, handshakes)
  const stop = tls.onChange(() => void renew(server, contexts, logger))
  return {
    server,
    stop,
    cutHandshakes: () => {
      for (const socket of handshakes.values()) socket.destroy()
    },
  }
}

/** New connections get what the keys and the trust are now; open ones keep what they have. */
async function renew(server: HttpsServer, contexts: InboundContexts, logger: Logger): Promise<void> {
  contexts.forget()
  try {
    server.setSecureContext(await contexts.defaultOptions())
    logger.info('the certificates of the connector were renewed')
  } catch (error) {
    logger.error({ error }, 'the certificates of the connector can not be renewed; the last good ones stay in use')
  }
}

/** Sockets by their far end, since the socket that a handshake gives is another object. */
function trackHandshakes(server: HttpsServer): Map<string, Socket> {
  const handshakes = new Map<string, Socket>()
  server.on('connection', (socket) => {
    const key = farEnd(socket)
    handshakes.set(key, socket)
    socket.once('close', () => {
      if (handshakes.get(key) === socket) handshakes.delete(key)
    })
  })
  return handshakes
}

function farEnd({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`
}

/** In place of Node's own listener, which would serve HTTP/1.1 on every connection. */
function dispatchByProtocol(
  server: HttpsServer,
  { tls, logger, onHttp1, onHttp2 }: SecureSettings,
  contexts: InboundContexts,
  handshakes: Map<string, Socket>,
): void {
  const [serveHttp1] = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[]
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket) => {
    keepErrorListener(socket)
    handshakes.delete(farEnd(socket))
    // The client may have gone while the last of the handshake was on its way.
    if (socket.destroyed) return
    try {
      const problem = clientProblem(socket, tls, contexts.judgesClients)
      if (problem !== null) {
        logger.debug({ problem, client: socket.remoteAddress }, 'connection refused')
        socket.destroy()
      } else if (socket.alpnProtocol === 'h2') {
        onHttp2(socket)
      } else {
        onHttp1(socket, () => serveHttp1?.call(server, socket))
      }
    } catch (error) {
      // Thrown from an event of the server, it would end the process (threats B90).
      logger.limited(error).error({ error }, 'a connection could not be taken in')
      socket.destroy()
    }
  })
}
