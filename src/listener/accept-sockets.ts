import { once } from 'node:events'
import { type AddressInfo, createServer, Server as NetServer, type Socket } from 'node:net'
import { type ListeningSocket, listeningSocket } from '#contracts'

/**
 * Listening sockets of a port. libuv accepts one connection of each in a turn of the event loop: with a single socket and long
 * turns, new connections would wait for seconds (threats F28).
 */
const ACCEPT_SOCKETS = 8

/** Milliseconds in which a socket is closed at the latest, also while connections arrive in every turn. */
const CLOSE_LIMIT = 2_000

/** Milliseconds of the first turns after which a socket may be closed; the limit doubles at every step. */
const SHORT_TURN = 0.05
const STEP = 200

/** Milliseconds between two attempts: turns without end would take a processor from the requests that are in flight. */
const PAUSE = 10

/** Address of the first socket of a port. */
interface AcceptAddress {
  readonly host: string
  readonly backlog: number | undefined
}

/** Options of accepted sockets; missing in Node's types. */
interface SocketOptions {
  readonly allowHalfOpen: boolean
  readonly noDelay: boolean
  readonly keepAlive: boolean
  readonly keepAliveInitialDelay: number
  readonly highWaterMark: number
}

/** A listening socket, and the number of connections that it has accepted. */
interface AcceptSocket {
  readonly server: NetServer
  accepted: number
}

/** The listening sockets of a port; connections of all go to its server. */
export class AcceptSockets {
  readonly #first: AcceptSocket
  readonly #sockets: AcceptSocket[]
  #closed: Promise<void> | null = null

  constructor(server: NetServer) {
    const first = { server, accepted: 0 }
    server.on('connection', () => {
      first.accepted++
    })
    this.#first = first
    this.#sockets = [first]
  }

  get listening(): readonly ListeningSocket[] {
    return this.#sockets.map(({ server }) => listeningSocket(server)).filter((socket) => socket !== null)
  }

  /** Opens further sockets, when the server listens on a port with SO_REUSEPORT. */
  async open({ host, backlog }: AcceptAddress): Promise<void> {
    const { server } = this.#first
    const { port } = server.address() as AddressInfo
    const { allowHalfOpen, noDelay, keepAlive, keepAliveInitialDelay, highWaterMark } = server as NetServer &
      SocketOptions
    const options = { allowHalfOpen, noDelay, keepAlive, keepAliveInitialDelay, highWaterMark }
    while (this.#sockets.length < ACCEPT_SOCKETS) {
      const extra = { server: createServer(options), accepted: 0 }
      extra.server.on('connection', (socket: Socket) => {
        extra.accepted++
        // Counted again by the event.
        this.#first.accepted--
        server.emit('connection', socket)
      })
      this.#sockets.push(extra)
      extra.server.listen({ port, host, reusePort: true, ...(backlog === undefined ? {} : { backlog }) })
      await once(extra.server, 'listening')
      extra.server.on('error', (error) => server.emit('error', error))
    }
  }

  /**
   * Closes each socket after a turn of the event loop in which nothing was queued at it: the system resets the connections in the
   * queue of a socket that is closed, even where others listen on the port. The turn should be short, since more may
   * arrive until it ends; after one that was not, the next attempt is made later.
   */
  close(): Promise<void> {
    this.#closed ??= this.#closeEmpty()
    return this.#closed
  }

  async #closeEmpty(): Promise<void> {
    const begin = performance.now()
    let open: readonly AcceptSocket[] = this.#sockets
    // The first turn has perhaps polled the sockets already.
    for (await turn(); open.length > 0; ) {
      const before = open.map(({ accepted }) => accepted)
      const start = performance.now()
      await turn()
      const now = performance.now()
      const isLate = now - begin > CLOSE_LIMIT
      const isShort = now - start <= SHORT_TURN * 2 ** ((now - begin) / STEP)
      // One in a turn: each takes time, in which more may arrive at the others.
      const empty = open.find(({ accepted }, at) => isLate || (isShort && accepted === before[at]))
      if (empty === undefined) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE))
        await turn()
        continue
      }
      // Not close() of an HTTP server: it also closes connections whose first request is being received.
      NetServer.prototype.close.call(empty.server)
      open = open.filter((socket) => socket !== empty)
    }
  }
}

/** One turn of the event loop: resolves right after it has polled for connections. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
