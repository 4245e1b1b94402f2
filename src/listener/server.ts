import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { DescriptorReserve, type ListeningSocket } from '#contracts'
import type { Handler } from '#http'
import type { Logger } from '#logging'
import { AcceptSockets } from './accept-sockets.ts'
import type { Expectation } from './admission.ts'
import { BodyTimeouts } from './body-timeouts.ts'
import { ClientLog } from './client-log.ts'
import { fieldKinds } from './header-field.ts'
import { Http1Channel } from './http1/channel.ts'
import { DetachedSocket } from './http1/detached-socket.ts'
import type { RequestMessage } from './http1/request-message.ts'
import { detachParser, prefaceOf } from './http2/preface.ts'
import { keepErrorListener } from './keep-error-listener.ts'
import type { ListenerContext } from './listener-context.ts'
import { type ListenerCounts, noCounts } from './listener-counts.ts'
import { EVENTS } from './log-events.ts'
import { OpenConnections } from './open-connections.ts'
import { TrustedProxies } from './peer.ts'
import { reservedPaths } from './reserved-path.ts'
import { nodeLimit, prepared, serverOptions } from './server-options.ts'
import type { DrainOptions, Listener, ListenerSettings } from './settings.ts'
import { type HttpsServer, type SecureServer, secureServer } from './tls/secure-server.ts'
import { Transaction } from './transaction.ts'

type HttpServer = Server<typeof RequestMessage, typeof Http1Channel> | HttpsServer

const MAX_HANDSHAKE_TIME = 30_000

class HttpListener implements Listener {
  readonly #context: ListenerContext
  readonly #server: HttpServer
  readonly #connections: OpenConnections
  readonly #acceptSockets: AcceptSockets
  #secure: SecureServer | null = null

  private constructor(context: ListenerContext, open: (listener: HttpListener) => HttpServer) {
    this.#context = context
    this.#connections = new OpenConnections(context, () => this.#secure?.destroyHandshakes())
    this.#server = open(this)
    this.#acceptSockets = new AcceptSockets(this.#server)
    this.#attach(this.#server)
  }

  get counts(): ListenerCounts {
    return this.#context.counts
  }

  static async make(context: ListenerContext): Promise<HttpListener> {
    const { settings, logger } = context
    const { tls } = settings
    if (tls === undefined || tls === null) {
      return new HttpListener(context, (listener) => {
        const server = prepared(createServer(serverOptions(settings)), settings)
        server.on('connection', (socket) => listener.#connections.add(socket).gate())
        return server
      })
    }
    const secure = await secureServer({
      tls,
      tickets: settings.tickets ?? null,
      logger,
      handshakeTimeout: nodeLimit(settings.headersTimeout) || MAX_HANDSHAKE_TIME,
      http: serverOptions(settings),
      onHttp1: (socket, attachParser) => {
        const connection = made.#connections.add(socket)
        attachParser()
        connection.gate()
      },
      onHttp2: (socket) => made.#connections.http2.add(socket),
    })
    const made: HttpListener = new HttpListener(context, () => prepared(secure.server, settings))
    made.#secure = secure
    return made
  }

  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0
  }

  get sockets(): readonly ListeningSocket[] {
    return this.#acceptSockets.listening
  }

  get stats(): { connections: number; active: number } {
    return { connections: this.#connections.size, active: this.#context.active }
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
    if (!isHandover) this.#connections.retire()
    await closed
    if (isHandover) await this.#connections.handOver(gracePeriodMs)
    else await this.#connections.whenEmpty(gracePeriodMs)
    const aborted = this.#context.active
    this.#context.isAborting = true
    this.#connections.destroy()
    await this.#connections.whenEmpty(Number.POSITIVE_INFINITY)
    this.#secure?.stop()
    // Stops Node's timer for slow requests.
    this.#server.close()
    return { aborted }
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      if (this.#server.listening || !this.#connections.isEmpty) this.#server.once('close', () => resolve())
      else resolve()
    })
    await this.drain(0)
    await closed
  }

  #stopAccepting(): Promise<void> {
    this.#context.draining = true
    return this.#acceptSockets.close()
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
    const { counts, logger, settings } = this.#context
    const reserve = new DescriptorReserve(settings.isManagement === true ? 'management' : 'traffic')
    server.on('connection', (socket: Socket) => {
      if (!reserve.has(socket)) return
      counts.refused++
      socket.destroy()
      logger.limited().warn({ limit: reserve.limit }, EVENTS.OUT_OF_FILES)
    })
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
    const detached = new DetachedSocket(socket, response, head, nodeLimit(this.#context.settings.idleTimeout))
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
    detachParser(socket, bytes)
    this.#connections.switchToHttp2(socket)
  }
}

/** Opens a port whose requests go to the handler. */
export async function listen(settings: ListenerSettings, handler: Handler, logger: Logger): Promise<Listener> {
  const counts = noCounts()
  const listener = await HttpListener.make({
    settings,
    logger,
    handler,
    trusted: new TrustedProxies(settings.trustedProxies),
    fields: fieldKinds(settings),
    isReserved: reservedPaths(settings.reservedPrefix),
    clientLog: new ClientLog(logger, counts),
    counts,
    bodies: new BodyTimeouts(settings),
    draining: false,
    isAborting: false,
    keepsUpgraded: false,
    active: 0,
  })
  await listener.start()
  return listener
}
