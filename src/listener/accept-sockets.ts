import { once } from 'node:events'
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net'

/**
 * Listening sockets of a port. libuv accepts one connection of each in a turn of the event loop: with a single socket and long
 * turns, new connections would wait for seconds (threats F28).
 */
const ACCEPT_SOCKETS = 8

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

/** Further listening sockets of a port, whose connections go to its server. */
export class AcceptSockets {
  readonly #sockets: NetServer[] = []

  /** Called when the server listens, on a port with SO_REUSEPORT. */
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

  close(): void {
    for (const socket of this.#sockets) socket.close()
  }
}
