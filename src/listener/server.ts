import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { DescriptorReserve, type ListeningSocket } from '#contracts'
import type { Handler } from '#http'
import type { Logger } from '#logging'
import { AcceptSockets } from './accept-sockets.ts'
import { BodyTimeouts } from './body-timeouts.ts'
import { ClientLog } from './client-log.ts'
import { fieldKinds } from './header-field.ts'
import { keepErrorListener } from './keep-error-listener.ts'
import type { ListenerContext } from './listener-context.ts'
import { type ListenerCounts, noCounts } from './listener-counts.ts'
import { EVENTS } from './log-events.ts'
import { OpenConnections } from './open-connections.ts'
import { TrustedProxies } from './peer.ts'
import { reservedPaths } from './reserved-path.ts'
import type { DrainOptions, Listener, ListenerSettings } from './settings.ts'
import { type SecureServer, type SocketOptions, secureServer } from './tls/secure-server.ts'

const MAX_HANDSHAKE_TIME = 30_000

class HttpListener implements Listener {
  readonly #context: ListenerContext
  readonly #server: Server
  readonly #connections: OpenConnections
  readonly #acceptSockets: AcceptSockets
  #secure: SecureServer | null = null

  private constructor(context: ListenerContext, open: (listener: HttpListener) => Server) {
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
        // A client that ends its side gets the response to a request that is not complete.
        const server = createServer({ ...socketOptions(settings), allowHalfOpen: true })
        return server.on('connection', (socket) => listener.#connections.add(socket))
      })
    }
    const secure = await secureServer({
      tls,
      tickets: settings.tickets ?? null,
      logger,
      handshakeTimeout: Number.isFinite(settings.headersTimeout) ? settings.headersTimeout : MAX_HANDSHAKE_TIME,
      sockets: socketOptions(settings),
      onHttp1: (socket) => made.#connections.add(socket),
      onHttp2: (socket) => made.#connections.http2.add(socket),
    })
    const made: HttpListener = new HttpListener(context, () => secure.server)
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

  #attach(server: Server): void {
    server.on('connection', keepErrorListener)
    this.#enforceReserve(server)
  }

  /** Closes connections that would use the reserve of file descriptors. */
  #enforceReserve(server: Server): void {
    const { counts, logger, settings } = this.#context
    const reserve = new DescriptorReserve(settings.isManagement === true ? 'management' : 'traffic')
    server.on('connection', (socket: Socket) => {
      if (!reserve.has(socket)) return
      counts.refused++
      socket.destroy()
      logger.limited().warn({ limit: reserve.limit }, EVENTS.OUT_OF_FILES)
    })
  }
}

/** Socket options of accepted connections. */
function socketOptions({ serverOptions = {} }: ListenerSettings): SocketOptions {
  const { noDelay = true, keepAlive = false, highWaterMark } = serverOptions
  return { noDelay, keepAlive, ...(highWaterMark === undefined ? {} : { highWaterMark }) }
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
