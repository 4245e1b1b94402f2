import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { once, within } from './waiting.ts'

/** Protocol of the connector under test. */
export type Transport = 'plain' | 'tls' | 'h2'

/** A connection that a test ends by a TCP reset, before or after its handshakes. */
export class ResetClient {
  readonly #tcp: Socket
  readonly #stream: Duplex
  #received = ''
  #ended = false
  #onChange: (() => void) | null = null

  private constructor(tcp: Socket, stream: Duplex) {
    this.#tcp = tcp
    this.#stream = stream
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => {
      if (this.#received.length < 100_000) this.#received += chunk.toString('latin1')
      this.#onChange?.()
    })
    stream.on('close', () => {
      this.#ended = true
      this.#onChange?.()
    })
  }

  /** A connection before its first byte. */
  static async connect(port: number): Promise<ResetClient> {
    const tcp = connect({ port, host: '127.0.0.1' })
    tcp.on('error', () => {})
    await once(tcp, 'connect')
    return new ResetClient(tcp, tcp)
  }

  /** A connection after its handshake, if it has one. */
  static async open(port: number, transport: Transport): Promise<ResetClient> {
    const tcp = connect({ port, host: '127.0.0.1' })
    tcp.on('error', () => {})
    await once(tcp, 'connect')
    if (transport === 'plain') return new ResetClient(tcp, tcp)
    const ALPNProtocols = [transport === 'h2' ? 'h2' : 'http/1.1']
    const stream = connectTls({ socket: tcp, servername: 'localhost', ALPNProtocols, rejectUnauthorized: false })
    const client = new ResetClient(tcp, stream)
    await once(stream, 'secureConnect')
    return client
  }

  /** Resolves when the bytes have left this process. */
  send(bytes: string | Uint8Array): Promise<void> {
    const data = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
    return new Promise((resolve) => this.#stream.write(data, () => resolve()))
  }

  /** Waits until the received bytes match, as Latin-1. */
  async receives(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#received)) {
      if (this.#ended) throw new Error(`the connection ended after ${JSON.stringify(this.#received)}`)
      const change = new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
      await within(`${pattern} was received`, change)
    }
  }

  reset(): void {
    this.#tcp.resetAndDestroy()
    this.#stream.destroy()
  }
}
