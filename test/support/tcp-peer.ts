import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer, type TlsOptions } from 'node:tls'

/** Behaviour of a peer for each connection. */
export type PeerBehaviour = (socket: Socket, connection: number) => void

/** A server on a loopback port with the behaviour of a test; received bytes are collected by connection. */
export class TcpPeer implements AsyncDisposable {
  readonly received: Buffer[] = []
  readonly port: number
  readonly #server: Server
  readonly #sockets: Set<Socket>
  readonly #changes: Set<() => void>

  private constructor(
    server: Server,
    state: Pick<TcpPeer, 'received'> & { sockets: Set<Socket>; changes: Set<() => void> },
  ) {
    this.#server = server
    this.received = state.received
    this.#sockets = state.sockets
    this.#changes = state.changes
    this.port = (server.address() as AddressInfo).port
  }

  static async start(
    behaviour: PeerBehaviour = () => {},
    { tls, port = 0, reads = true }: { tls?: TlsOptions; port?: number; reads?: boolean } = {},
  ): Promise<TcpPeer> {
    const state = { received: [] as Buffer[], sockets: new Set<Socket>(), changes: new Set<() => void>() }
    const changed = () => {
      for (const each of state.changes) each()
    }
    const onConnection = (socket: Socket) => {
      const connection = state.received.push(Buffer.alloc(0)) - 1
      socket.on('error', () => {})
      if (reads) {
        socket.on('data', (data: Buffer) => {
          state.received[connection] = Buffer.concat([state.received[connection] as Buffer, data])
          changed()
        })
      }
      behaviour(socket, connection)
      changed()
    }
    const server = tls === undefined ? createServer(onConnection) : createSecureServer(tls, onConnection)
    // Handshakes aborted by clients.
    server.on('tlsClientError', () => {})
    server.on('connection', (socket: Socket) => {
      state.sockets.add(socket)
      socket.on('close', () => state.sockets.delete(socket))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return new TcpPeer(server, state)
  }

  /** All received bytes, as text. */
  get text(): string {
    return Buffer.concat(this.received).toString()
  }

  get connections(): number {
    return this.received.length
  }

  /** Waits until a condition on the received bytes holds. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#changes.add(resolve)
      await promise
      this.#changes.delete(resolve)
    }
  }

  /** Resets all connections, and accepts further ones. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }
}
