import { connect, type Socket } from 'node:net'
import type { Handler } from '#http'
import { type Listener, type ListenerSettings, listen } from '#listener'
import { createLogger, type MemoryLog, memoryLog } from '#logging'
import { temporaryStorage } from './exchange.ts'
import { within } from './waiting.ts'

/** A listener of a test on a free loopback port, closed at the end of its scope. */
export interface Listening extends AsyncDisposable {
  readonly listener: Listener
  readonly port: number
  readonly url: string
  readonly log: MemoryLog
}

/** Opens a listener; a test overrides single settings. */
export async function listening(handler: Handler, settings: Partial<ListenerSettings> = {}): Promise<Listening> {
  const log = memoryLog()
  const whole: ListenerSettings = {
    port: 0,
    host: '127.0.0.1',
    reusePort: false,
    maxTotalHeadersSize: 16_384,
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    keepAliveTimeout: 5_000,
    idleTimeout: 120_000,
    trustedProxies: [],
    transactionIdHeader: 'X-Vendor-TransactionId',
    trustTransactionHeader: false,
    streaming: true,
    storage: temporaryStorage(),
    ...settings,
  }
  const listener = await listen(whole, handler, createLogger({ level: 'debug', format: 'json', destination: log }))
  const { port } = listener
  return { listener, port, url: `http://127.0.0.1:${port}`, log, [Symbol.asyncDispose]: () => listener.close() }
}

/** A client that sends exactly the given bytes and stores the received ones. */
export class RawClient implements AsyncDisposable {
  readonly socket: Socket
  /** All received bytes. */
  text = ''
  /** Resolves when the server has closed the connection: in order, or by a reset. */
  readonly closed: Promise<'end' | 'reset'>
  #onChange: (() => void) | null = null
  #isClosed = false

  constructor(port: number, host = '127.0.0.1') {
    this.socket = connect({ port, host })
    const { promise, resolve } = Promise.withResolvers<'end' | 'reset'>()
    this.closed = promise
    let how: 'end' | 'reset' = 'end'
    this.socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1')
      this.#onChange?.()
    })
    this.socket.on('error', () => {
      how = 'reset'
    })
    this.socket.on('close', () => {
      this.#isClosed = true
      resolve(how)
      this.#onChange?.()
    })
  }

  send(text: string): this {
    this.socket.write(Buffer.from(text, 'latin1'))
    return this
  }

  /** Waits until the received bytes match; fails when the connection ends before. */
  async receives(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.text)
      if (match !== null) return match
      if (this.#isClosed) throw new Error(`the connection ended after ${JSON.stringify(this.text)}`)
      const change = new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
      await within(`${pattern} was received; there is ${JSON.stringify(this.text.slice(0, 1000))}`, change)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy()
    await this.closed
  }
}

/** Sends the bytes and returns the response up to the end of the connection. */
export async function converse(port: number, text: string): Promise<string> {
  await using client = new RawClient(port)
  client.send(text)
  await within(`the server closed the connection, after ${JSON.stringify(text.slice(0, 200))}`, client.closed)
  return client.text
}
