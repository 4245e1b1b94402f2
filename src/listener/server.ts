import { createServer, type Server } from 'node:http'
import type { ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { DescriptorReserve } from '#contracts'
import type { Handler } from '#http'
import type { Logger } from '#logging'
import { MAX_TIMER_DELAY } from '#schema'
import { AcceptSockets } from './accept-sockets.ts'
import type { Expectation } from './admission.ts'
import { BodyTimeouts } from './body-timeouts.ts'
import { ClientLog } from './client-log.ts'
import { fieldKinds } from './header-field.ts'
import { Http1Channel } from './http1/channel.ts'
import { Http1Connection } from './http1/connection.ts'
import { DetachedSocket, isWebSocketUpgrade } from './http1/detached-socket.ts'
import { RequestMessage } from './http1/request-message.ts'
import { Http2Connections } from './http2/connections.ts'
import { detachParser, prefaceOf } from './http2/preface.ts'
import { keepErrorListener } from './keep-error-listener.ts'
import type { ListenerContext } from './listener-context.ts'
import { EVENTS } from './log-events.ts'
import { peerOf, TrustedProxies } from './peer.ts'
import { reservedPaths } from './reserved-path.ts'
import type { DrainOptions, Listener, ListenerSettings } from './settings.ts'
import { type HttpsServer, type SecureServer, secureServer } from './tls/secure-server.ts'
import { Transaction } from './transaction.ts'

type HttpServer = Server<typeof RequestMessage, typeof Http1Channel> | HttpsServer

// In Node 0 means no limit.
const limit = (milliseconds: number) => (Number.isFinite(milliseconds) ? milliseconds : 0)

// Time a connection that sent nothing can delay a drain.
const UNUSED_TIME = 1000

const MAX_HANDSHAKE_TIME = 30_000

// Time in which a client may use an idle connection that is handed over, so that its request does not meet the close.
const HANDOVER_IDLE_TIME = 500

// Time for the close frames of upgraded connections at the end of the grace period.
const UPGRADED_CLOSE_TIME = 1000

class HttpListener implements Listener {
  readonly #context: ListenerContext
  readonly #server: HttpServer
  readonly #connections = new Map<Duplex, Http1Connection>()
  readonly #http2: Http2Connections
  readonly #acceptSockets: AcceptSockets
  #secure: SecureServer | null = null
  /** Drains that wait for the last connection to close. */
  readonly #emptyWaiters = new Set<() => void>()
  refused = 0

  private constructor(context: ListenerContext, open: (listener: HttpListener) => HttpServer) {
    this.#context = context
    this.#http2 = new Http2Connections(context, () => this.#onConnectionClosed())
    this.#server = open(this)
    this.#acceptSockets = new AcceptSockets(this.#server)
    this.#attach(this.#server)
  }

  get abusive(): number {
    return this.#context.clientLog.closed
  }

  static async make(context: ListenerContext): Promise<HttpListener> {
    const { settings, logger } = context
    const { tls } = settings
    if (tls === undefined || tls === null) {
      return new HttpListener(context, (listener) => {
        const server = prepared(createServer(serverOptions(settings)), settings)
        server.on('connection', (socket) => listener.#opened(socket).gate())
        return server
      })
    }
    const secure = await secureServer({
      tls,
      tickets: settings.tickets ?? null,
      logger,
      handshakeTimeout: limit(settings.headersTimeout) || MAX_HANDSHAKE_TIME,
      http: serverOptions(settings),
      onHttp1: (socket, attachParser) => {
        const connection = made.#opened(socket)
        attachParser()
        connection.gate()
      },
      onHttp2: (socket) => made.#http2.add(socket),
    })
    const made: HttpListener = new HttpListener(context, () => prepared(secure.server, settings))
    made.#secure = secure
    return made
  }

  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0
  }

  get stats(): { connections: number; active: number } {
    return { connections: this.#connections.size + this.#http2.size, active: this.#context.active }
  }

  setHandler(handler: Handler): void {
    this.#context.handler = handler
  }

  async start(): Promise<void> {
    const { port, host, reusePort, serverOptions, isManagement = false } = this.#context.settings
    const backlog = serverOptions?.backlog
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ port, host, reusePort, ...(backlog === undefined ? {} : { backlog }) }, () => {
        this.#server.off('error', reject)
        this.#server.on('error', (error) => this.#context.logger.limited().error({ error }, EVENTS.FAILED))
        resolve()
      })
    })
    if (reusePort && !isManagement) await this.#acceptSockets.open({ host, backlog })
  }

  stopAccepting(): Promise<void> {
    this.#context.keepsUpgraded = true
    return this.#stopAccepting()
  }

  async drain(gracePeriodMs: number, { isHandover = false }: DrainOptions = {}): Promise<{ aborted: number }> {
    this.#context.keepsUpgraded = isHandover
    const closed = this.#stopAccepting()
    if (!isHandover) this.#retire()
    await closed
    if (isHandover) await this.#handOver(gracePeriodMs)
    else if (!this.#isEmpty) await this.#whenEmpty(gracePeriodMs)
    const aborted = this.#context.active
    this.#context.isAborting = true
    for (const { socket } of this.#connections.values()) socket.destroy()
    this.#http2.destroy()
    this.#secure?.destroyHandshakes()
    if (!this.#isEmpty) await this.#whenEmpty(Number.POSITIVE_INFINITY)
    this.#secure?.stop()
    // Stops Node's timer for slow requests.
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

  #stopAccepting(): Promise<void> {
    this.#context.draining = true
    return this.#acceptSockets.close()
  }

  /** Closes idle connections; those in use may end their requests. */
  #retire(): void {
    for (const connection of this.#connections.values()) connection.retire()
    this.#http2.retire()
  }

  async #handOver(gracePeriodMs: number): Promise<void> {
    const idleTime = Math.min(HANDOVER_IDLE_TIME, gracePeriodMs)
    this.#http2.retireAfter(idleTime)
    const idle = setTimeout(() => {
      for (const connection of this.#connections.values()) if (connection.isIdleKeepAlive) connection.retire()
    }, idleTime)
    if (!this.#isEmpty) await this.#whenEmpty(gracePeriodMs)
    clearTimeout(idle)
    this.#context.keepsUpgraded = false
    this.#retire()
    if (this.#hasUpgraded) await this.#whenEmpty(UPGRADED_CLOSE_TIME)
  }

  get #hasUpgraded(): boolean {
    return [...this.#connections.values()].some(({ isUpgraded }) => isUpgraded)
  }

  get #isEmpty(): boolean {
    return this.#connections.size === 0 && this.#http2.size === 0
  }

  #onConnectionClosed(): void {
    if (!this.#isEmpty) return
    for (const resolve of this.#emptyWaiters) resolve()
  }

  #whenEmpty(gracePeriodMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = setTimeout(resolve, Math.min(gracePeriodMs, MAX_TIMER_DELAY))
    const silent = setTimeout(() => this.#closeUnused(), Math.min(UNUSED_TIME, gracePeriodMs / 2))
    this.#emptyWaiters.add(resolve)
    return promise.finally(() => {
      clearTimeout(end)
      clearTimeout(silent)
      this.#emptyWaiters.delete(resolve)
    })
  }

  #closeUnused(): void {
    for (const { socket, isIdle } of this.#connections.values()) if (isIdle && socket.bytesRead === 0) socket.destroy()
    this.#secure?.destroyHandshakes()
  }

  #attach(server: HttpServer): void {
    server.on('connection', keepErrorListener)
    this.#enforceReserve(server)
    server.on('request', (message, response) => this.#serve(message, response, 'nothing'))
    server.on('checkContinue', (message, response) => this.#serve(message, response, 'continue'))
    server.on('checkExpectation', (message, response) => this.#serve(message, response, 'unknown'))
    server.on('clientError', (error, socket) => this.#onParserError(error, socket))
    server.on('timeout', (socket) => this.#connections.get(socket)?.onIdleTimeout())
    // CONNECT gets 405 (threats B10), in its turn among pipelined requests.
    server.on('connect', (message, socket, head) => this.#serveDetached(message, socket as Socket, head))
    server.on('upgrade', (message, socket, head) => this.#serveDetached(message, socket as Socket, head))
  }

  /** Closes connections that would use the reserve of file descriptors. */
  #enforceReserve(server: HttpServer): void {
    const { logger, settings } = this.#context
    const reserve = new DescriptorReserve(settings.isManagement === true ? 'management' : 'traffic')
    server.on('connection', (socket: Socket) => {
      if (!reserve.has(socket)) return
      this.refused++
      socket.destroy()
      logger.limited().warn({ limit: reserve.limit }, EVENTS.OUT_OF_FILES)
    })
  }

  #opened(socket: Socket): Http1Connection {
    const connection = new Http1Connection(socket, peerOf(socket, this.#context.trusted), this.#context)
    this.#connections.set(socket, connection)
    socket.once('close', () => {
      this.#connections.delete(socket)
      connection.onClose()
      this.#onConnectionClosed()
    })
    return connection
  }

  #serve(message: RequestMessage, response: Http1Channel, expect: Expectation): void {
    const connection = this.#connections.get(message.socket)
    if (connection === undefined || connection.closing) return
    response.bind(connection, expect, null)
    connection.accept(new Transaction(this.#context, response))
  }

  /** For CONNECT and upgrades: Node has removed its parser and listeners from the socket. */
  #serveDetached(message: RequestMessage, socket: Socket, head: Buffer): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined || connection.closing) {
      socket.destroy()
      return
    }
    const response = new Http1Channel(message)
    const detached = new DetachedSocket(socket, response, head, limit(this.#context.settings.idleTimeout))
    detached.onIdleTimeout(() => connection.onIdleTimeout())
    response.bind(connection, 'nothing', detached)
    connection.accept(new Transaction(this.#context, response))
  }

  #onParserError(error: Error, socket: Duplex): void {
    const connection = this.#connections.get(socket)
    const preface = connection === undefined ? null : this.#cleartextPreface(error, connection.socket)
    if (connection === undefined) socket.destroy()
    else if (preface === null) connection.onParserError(error)
    else this.#switchToHttp2(connection.socket, preface)
  }

  /** RFC 9113 section 3.3: over TLS, HTTP/2 is chosen by ALPN alone. */
  #cleartextPreface(error: Error, socket: Socket): Buffer | null {
    const { http2ClearText = true } = this.#context.settings
    return this.#secure === null && http2ClearText ? prefaceOf(error, socket) : null
  }

  #switchToHttp2(socket: Socket, bytes: Buffer): void {
    this.#connections.delete(socket)
    detachParser(socket, bytes)
    this.#http2.add(socket)
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
    // Node's would also end bodies that progress; BodyTimeouts does not.
    requestTimeout: 0,
    keepAliveTimeout: limit(keepAliveTimeout),
    connectionsCheckingInterval: Math.max(50, Math.min(5000, shortest / 4)),
    // `effectiveUri` checks Host.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
    noDelay,
    keepAlive,
    ...(highWaterMark === undefined ? {} : { highWaterMark }),
    shouldUpgradeCallback: isWebSocketUpgrade,
  }
}

function prepared<S extends HttpServer>(server: S, settings: ListenerSettings): S {
  // Node would silently drop fields beyond the 2000th; the listener limits their number.
  server.maxHeadersCount = 0
  server.timeout = limit(settings.idleTimeout)
  return server
}

/** Opens a port whose requests go to the handler. */
export async function listen(settings: ListenerSettings, handler: Handler, logger: Logger): Promise<Listener> {
  const listener = await HttpListener.make({
    settings,
    logger,
    handler,
    trusted: new TrustedProxies(settings.trustedProxies),
    fields: fieldKinds(settings),
    isReserved: reservedPaths(settings.reservedPrefix),
    clientLog: new ClientLog(logger),
    bodies: new BodyTimeouts(settings),
    draining: false,
    isAborting: false,
    keepsUpgraded: false,
    active: 0,
  })
  await listener.start()
  return listener
}
