import { once } from 'node:events'
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net'

/**
 * Listening sockets of a port. libuv accepts one connection of each in a turn of the event loop: with a single one, clients
 * that keep the loop busy make new connections wait behind each other, for seconds on a loaded machine (threats F28).
 */
const ACCEPT_SOCKETS = 8

/** Where the first socket of a port listens. */
export interface AcceptAddress {
  readonly host: string
  readonly backlog: number | undefined
}

/** Members of a server that decide about the sockets it accepts; Node's types do not have them. */
interface SocketOptions {
  readonly allowHalfOpen: boolean
  readonly noDelay: boolean
  readonly keepAlive: boolean
  readonly keepAliveInitialDelay: number
  readonly highWaterMark: number
}

/** The listening sockets of a port beside that of its server, to which they hand every connection. */
export class AcceptSockets {
  readonly #sockets: NetServer[] = []

  /** To be called when the server listens, on a port that can be shared. */
  async open(server: NetServer, { host, backlog }: AcceptAddress): Promise<void> {
    const { port } = server.address() as AddressInfo
    const { allowHalfOpen, noDelay, keepAlive, keepAliveInitialDelay, highWaterMark } = server as NetServer &
      SocketOptions
    const options = { allowHalfOpen, noDelay, keepAlive, keepAliveInitialDelay, highWaterMark }
    for (let count = 1; count < ACCEPT_SOCKETS; count++) {
      const extra = createServer(options, (socket: Socket) => void server.emit('connection', socket))
      this.#sockets.push(extra)
      extra.listen({ port, host, reusePort: true, ...(backlog === undefined ? {} : { backlog }) })
      await once(extra, 'listening')
      extra.on('error', (error) => server.emit('error', error))
    }
  }

  /** Accepts no more. */
  close(): void {
    for (const socket of this.#sockets) socket.close()
  }
}
