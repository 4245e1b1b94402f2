import { createServer, type Server } from 'node:http'
import type { ServerOptions } from 'node:https'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Handler } from '#http'
import type { Logger } from '#logging'
import { MAX_TIMER_DELAY } from '#schema'
import { AcceptSockets } from './accept-sockets.ts'
import type { Expectation } from './admission.ts'
import { BodyWatch } from './body-watch.ts'
import { ClientLog } from './client-log.ts'
import { DescriptorReserve } from './descriptor-reserve.ts'
import { fieldKinds } from './header-field.ts'
import { Http1Channel } from './http1/channel.ts'
import { Http1Connection } from './http1/connection.ts'
import { asksForWebSocket, DetachedSocket } from './http1/detached-socket.ts'
import { RequestMessage } from './http1/request-message.ts'
import { Http2Connections } from './http2/connections.ts'
import { peerOf, TrustedProxies } from './peer.ts'
import { reservedPaths } from './reserved-path.ts'
import type { Service } from './service.ts'
import type { Listener, ListenerSettings } from './settings.ts'
import { keepErrorListener } from './socket-errors.ts'
import { type HttpsServer, type SecureServer, secureServer } from './tls/secure-server.ts'
import { Transaction } from './transaction.ts'

type HttpServer = Server<typeof RequestMessage, typeof Http1Channel> | HttpsServer

// Node counts 0 as "no limit".
const limit = (milliseconds: number) => (Number.isFinite(milliseconds) ? milliseconds : 0)

// How long a connection that has not sent anything may hold up a drain.
const silentTime = 1000

const LONGEST_HANDSHAKE = 30_000

class HttpListener implements Listener {
  readonly #service: Service
  readonly #server: HttpServer
  readonly #connections = new Map<Duplex, Http1Connection>()
  readonly #http2: Http2Connections
  readonly #acceptSockets = new AcceptSockets()
  #secure: SecureServer | null = null
  /** Drains that wait for the last connection to end; there may be several. */
  readonly #whenEmpty = new Set<() => void>()
  refused = 0

  private constructor(service: Service, open: (listener: HttpListener) => HttpServer) {
    this.#service = service
    this.#http2 = new Http2Connections(service, () => this.#closed())
    this.#server = open(this)
    this.#attach(this.#server)
  }

  static async make(service: Service): Promise<HttpListener> {
    const { settings, logger } = service
    const { tls } = settings
    if (tls === undefined || tls === null) {
      return new HttpListener(service, (listener) => {
        const server = prepared(createServer(serverOptions(settings)), settings)
        server.on('connection', (socket) => listener.#opened(socket).gate())
        return server
      })
    }
    const secure = await secureServer({
      tls,
      logger,
      handshakeTimeout: limit(settings.headersTimeout) || LONGEST_HANDSHAKE,
      http: serverOptions(settings),
      onHttp1: (socket, attachParser) => {
        const connection = made.#opened(socket)
        attachParser()
        connection.gate()
      },
      onHttp2: (socket) => made.#http2.add(socket),
    })
    const made: HttpListener = new HttpListener(service, () => prepared(secure.server, settings))
    made.#secure = secure
    return made
  }

  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0
  }

  get stats(): { connections: number; active: number } {
    return { connections: this.#connections.size + this.#http2.size, active: this.#service.active }
  }

  setHandler(handler: Handler): void {
    this.#service.handler = handler
  }

  async start(): Promise<void> {
    const { port, host, reusePort, serverOptions } = this.#service.settings
    const backlog = serverOptions?.backlog
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ port, host, reusePort, ...(backlog === undefined ? {} : { backlog }) }, () => {
        this.#server.off('error', reject)
        this.#server.on('error', (error) => this.#service.logger.limited().error({ error }, 'the listener failed'))
        resolve()
      })
    })
    if (reusePort) await this.#acceptSockets.open(this.#server, { host, backlog })
  }

  async drain(gracePeriodMs: number): Promise<{ aborted: number }> {
    this.#service.draining = true
    // The HTTP server's own close would also end connections whose first request is just being sent.
    NetServer.prototype.close.call(this.#server)
    this.#acceptSockets.close()
    for (const connection of this.#connections.values()) connection.retire()
    this.#http2.retire()
    if (!this.#isEmpty) await this.#emptied(gracePeriodMs)
    const aborted = this.#service.active
    for (const { socket } of this.#connections.values()) socket.destroy()
    this.#http2.destroy()
    this.#secure?.cutHandshakes()
    if (!this.#isEmpty) await this.#emptied(Number.POSITIVE_INFINITY)
    this.#secure?.stop()
    // Stops the timer that looks for slow requests.
    this.#server.close()
    return { aborted }
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      if (this.#server.listening || !this.#isEmpty) this.#server.once('close', () => resolve())
      else resolve()
    })
    await this.drain(0)
    await closed
  }

  get #isEmpty(): boolean {
    return this.#connections.size === 0 && this.#http2.size === 0
  }

  /** A connection has ended; maybe it was the last. */
  #closed(): void {
    if (!this.#isEmpty) return
    for (const resolve of this.#whenEmpty) resolve()
  }

  #emptied(gracePeriodMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = setTimeout(resolve, Math.min(gracePeriodMs, MAX_TIMER_DELAY))
    const silent = setTimeout(() => this.#closeSilent(), Math.min(silentTime, gracePeriodMs / 2))
    this.#whenEmpty.add(resolve)
    return promise.finally(() => {
      clearTimeout(end)
      clearTimeout(silent)
      this.#whenEmpty.delete(resolve)
    })
  }

  #closeSilent(): void {
    for (const { socket, isIdle } of this.#connections.values()) if (isIdle && socket.bytesRead === 0) socket.destroy()
    this.#secure?.cutHandshakes()
  }

  #attach(server: HttpServer): void {
    server.on('connection', keepErrorListener)
    this.#keepReserve(server)
    server.on('request', (message, response) => this.#serve(message, response, 'nothing'))
    server.on('checkContinue', (message, response) => this.#serve(message, response, 'continue'))
    server.on('checkExpectation', (message, response) => this.#serve(message, response, 'unknown'))
    server.on('clientError', (error, socket) => this.#unreadable(error, socket))
    server.on('timeout', (socket) => this.#connections.get(socket)?.onIdleTimeout())
    // Tunnels are not offered (threats B10): CONNECT gets its 405 in turn, behind the responses before it.
    server.on('connect', (message, socket, head) => this.#serveDetached(message, socket as Socket, head))
    server.on('upgrade', (message, socket, head) => this.#serveDetached(message, socket as Socket, head))
  }

  /** Closes connections at once that would leave too few descriptors for what the others need. */
  #keepReserve(server: HttpServer): void {
    const { logger, settings } = this.#service
    const reserve = new DescriptorReserve(settings.isForOperator === true ? 'the operator' : 'everything else')
    server.on('connection', (socket: Socket) => {
      if (!reserve.has(socket)) return
      this.refused++
      socket.destroy()
      const message = 'connections are closed at once: too many files are open; raise the limit (ulimit -n)'
      logger.limited().warn({ limit: reserve.limit }, message)
    })
  }

  #opened(socket: Socket): Http1Connection {
    const connection = new Http1Connection(socket, peerOf(socket, this.#service.trusted), this.#service)
    this.#connections.set(socket, connection)
    socket.once('close', () => {
      this.#connections.delete(socket)
      connection.closed()
      this.#closed()
    })
    return connection
  }

  #serve(message: RequestMessage, response: Http1Channel, expect: Expectation): void {
    const connection = this.#connections.get(message.socket)
    if (connection === undefined || connection.closing) return
    response.bind(connection, expect, null)
    connection.accept(new Transaction(this.#service, response))
  }

  /** Node has removed its parser and its listeners from the socket. */
  #serveDetached(message: RequestMessage, socket: Socket, head: Buffer): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined || connection.closing) {
      socket.destroy()
      return
    }
    const response = new Http1Channel(message)
    const detached = new DetachedSocket(socket, response, head, limit(this.#service.settings.idleTimeout))
    detached.onIdleTimeout(() => connection.onIdleTimeout())
    response.bind(connection, 'nothing', detached)
    connection.accept(new Transaction(this.#service, response))
  }

  #unreadable(error: Error, socket: Duplex): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) socket.destroy()
    else connection.unreadable(error)
  }
}

function serverOptions(settings: ListenerSettings): ServerOptions<typeof RequestMessage, typeof Http1Channel> {
  const { headersTimeout, requestTimeout, keepAliveTimeout, serverOptions = {} } = settings
  const { noDelay = true, keepAlive = false, highWaterMark } = serverOptions
  const shortest = Math.min(headersTimeout, requestTimeout)
  return {
    IncomingMessage: RequestMessage,
    ServerResponse: Http1Channel,
    maxHeaderSize: settings.maxTotalHeadersSize,
    headersTimeout: limit(Math.min(headersTimeout, requestTimeout)),
    // It would cut a body that moves; the watch of bodies does not.
    requestTimeout: 0,
    keepAliveTimeout: limit(keepAliveTimeout),
    connectionsCheckingInterval: Math.max(50, Math.min(5000, shortest / 4)),
    // The effective URI decides about Host, in words of ours.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
    noDelay,
    keepAlive,
    ...(highWaterMark === undefined ? {} : { highWaterMark }),
    shouldUpgradeCallback: asksForWebSocket,
  }
}

function prepared<S extends HttpServer>(server: S, settings: ListenerSettings): S {
  // Node would silently leave out fields beyond the 2000th; their bytes are bounded, and their number by us.
  server.maxHeadersCount = 0
  server.timeout = limit(settings.idleTimeout)
  return server
}

/** Opens a port and hands every request on it to the handler. */
export async function listen(settings: ListenerSettings, handler: Handler, logger: Logger): Promise<Listener> {
  const listener = await HttpListener.make({
    settings,
    logger,
    handler,
    trusted: new TrustedProxies(settings.trustedProxies),
    fields: fieldKinds(settings),
    isReserved: reservedPaths(settings.reservedPrefix),
    clientLog: new ClientLog(logger),
    bodies: new BodyWatch(settings),
    draining: false,
    active: 0,
  })
  await listener.start()
  return listener
}
