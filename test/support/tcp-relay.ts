// A relay of TCP between a gateway and a member of etcd: passes, refuses, is silent, or delays.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * - `pass`: bytes are forwarded, after `delay` milliseconds.
 * - `refuse`: connections are closed, and new ones too.
 * - `silent`: connections stay open and new ones are accepted, but no byte is forwarded in either direction.
 * - `requests-only`, `responses-only`: half open; bytes of one direction are forwarded.
 */
export type RelayMode = 'pass' | 'refuse' | 'silent' | 'requests-only' | 'responses-only'

/** A relay in front of one port. Bytes that it held back are forwarded, in their order, when it passes again. */
export class TcpRelay implements AsyncDisposable {
  readonly #server: Server
  readonly #target: number
  readonly #sockets = new Set<Socket>()
  readonly #held = new Set<() => void>()
  #mode: RelayMode = 'pass'
  delay = 0

  private constructor(server: Server, target: number) {
    this.#server = server
    this.#target = target
    server.on('connection', (socket: Socket) => this.#accept(socket))
  }

  static async start(target: number): Promise<TcpRelay> {
    const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new TcpRelay(server, target)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Pieces of data that wait for another mode. */
  get held(): number {
    return this.#held.size
  }

  set mode(mode: RelayMode) {
    this.#mode = mode
    if (mode === 'refuse') for (const socket of this.#sockets) socket.destroy()
    const held = [...this.#held]
    this.#held.clear()
    for (const forward of held) forward()
  }

  #accept(client: Socket): void {
    if (this.#mode === 'refuse') return void client.destroy()
    const member = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true })
    for (const [from, to, direction] of [
      [client, member, 'requests-only'],
      [member, client, 'responses-only'],
    ] as const) {
      this.#sockets.add(from)
      from.setNoDelay(true)
      from.on('close', () => {
        this.#sockets.delete(from)
        to.destroy()
      })
      from.on('error', () => {})
      from.on('data', (data) => this.#forward(direction, () => to.write(data)))
      from.on('end', () => this.#forward(direction, () => to.end()))
    }
  }

  #forward(direction: RelayMode, send: () => void): void {
    const attempt = (): void => {
      if (this.#mode === 'pass' || this.#mode === direction) send()
      else this.#held.add(attempt)
    }
    // Timers of one delay run in the order in which they were set.
    if (this.delay > 0) setTimeout(attempt, this.delay)
    else attempt()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
