import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A TCP connection of a hostile client; received bytes are dropped unless it is paused. */
export class HostileConnection implements Disposable {
  readonly socket: Socket
  readonly #closed: Promise<void>

  private constructor(socket: Socket) {
    this.socket = socket
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()))
  }

  static async open(port: number): Promise<HostileConnection> {
    const socket = connect({ port, host: '127.0.0.1' })
    const connection = new HostileConnection(socket)
    await Promise.all([once(socket, 'connect'), socket.on('error', () => {}).resume()])
    return connection
  }

  get isClosed(): boolean {
    return this.socket.destroyed
  }

  /** Resolves when the bytes were written, the connection is closed, or after a time-out. */
  async send(bytes: string | Uint8Array, milliseconds = 1000): Promise<void> {
    if (this.isClosed) return
    const data = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
    const sent = new Promise<void>((resolve) => this.socket.write(data, () => resolve()))
    await this.#within(milliseconds, sent)
  }

  /** Waits for the gateway to close the connection, with a time-out. */
  async closed(milliseconds: number): Promise<void> {
    await this.#within(milliseconds)
  }

  async #within(milliseconds: number, event: Promise<void> = this.#closed): Promise<void> {
    const timeout = new AbortController()
    const late = wait(milliseconds, undefined, { signal: timeout.signal }).catch(() => {})
    await Promise.race([event, this.#closed, late])
    timeout.abort()
  }

  /** Ends the connection by a reset. */
  [Symbol.dispose](): void {
    this.socket.resetAndDestroy()
  }
}
