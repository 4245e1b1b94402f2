import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP relay in front of a server on the loopback interface, which counts bytes. */
export class ByteRelay implements AsyncDisposable {
  /** Bytes from the server to its clients so far. */
  received = 0
  /** Bytes from clients to the server so far. */
  sent = 0
  readonly url: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server, port: number) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('connection', (client) => {
      const upstream = connect(port, '127.0.0.1')
      const direct = (from: Socket, to: Socket, count: (bytes: number) => void): void => {
        this.#sockets.add(from)
        from.setNoDelay().on('data', ({ length }: Buffer) => count(length))
        from.on('error', () => to.destroy()).on('close', () => this.#sockets.delete(from) && to.destroy())
        from.pipe(to)
      }
      direct(client, upstream, (bytes) => {
        this.sent += bytes
      })
      direct(upstream, client, (bytes) => {
        this.received += bytes
      })
    })
  }

  static async start(port: number): Promise<ByteRelay> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new ByteRelay(server, port)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await once(this.#server, 'close')
  }
}
