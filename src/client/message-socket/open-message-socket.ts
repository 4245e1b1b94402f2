import type { WebSocket } from 'ws'

/** Events of a connection. */
export interface MessageEvents {
  /** A complete message; null for a binary one. */
  message(text: string | null): void
  /** A message, ping or pong was received. */
  activity(): void
  /** The connection closed; called once, for either side. */
  closed(reason: string): void
}

/** An open WebSocket connection. */
export interface MessageSocket {
  send(text: string): void
  ping(): void
  /** Starts the closing handshake; messages before the server's close frame are still received. */
  close(): void
  /** Closes the socket without a handshake. */
  destroy(): void
}

const NORMAL_END = 1000

/** Bytes that wait for a server that does not read. The library answers each ping, and its pongs are the only ones without end. */
const MAX_UNSENT_BYTES = 1_048_576

/** A WebSocket connection after its handshake. Sending on a closed one is a no-op. */
export class OpenMessageSocket implements MessageSocket {
  readonly #socket: WebSocket

  constructor(socket: WebSocket, events: MessageEvents) {
    this.#socket = socket
    let failure: Error | null = null
    socket.on('message', (data, isBinary) => {
      events.activity()
      events.message(isBinary ? null : String(data))
    })
    socket.on('ping', () => {
      events.activity()
      if (socket.bufferedAmount <= MAX_UNSENT_BYTES) return
      failure = new Error('the server sends pings, and does not read the pongs')
      socket.terminate()
    })
    socket.on('pong', () => events.activity())
    socket.on('error', (error) => {
      failure = error
    })
    socket.once('close', (code) => {
      events.closed(failure === null ? `closed with the code ${code}` : failure.message)
    })
  }

  send(text: string): void {
    if (this.#isOpen) this.#socket.send(text, ignore)
  }

  ping(): void {
    if (this.#isOpen) this.#socket.ping(undefined, undefined, ignore)
  }

  close(): void {
    this.#socket.close(NORMAL_END)
  }

  destroy(): void {
    this.#socket.terminate()
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }
}

/** A failed write closes the connection, which emits `closed`. */
const ignore = (): void => undefined
