import { WebSocket } from 'ws'

/** What the holder of a connection is told. */
export interface MessageEvents {
  /** A whole message; null for one that is not text. */
  message(text: string | null): void
  /** Something came: a message, a ping or a pong. */
  heard(): void
  /** The end of an open connection, told once, whoever ended it. */
  closed(reason: string): void
}

/** An open connection for messages. */
export interface MessageSocket {
  send(text: string): void
  ping(): void
  /** Ends it as the protocol wants it: what the server has sent before its own end still arrives. */
  close(): void
  /** Ends it at once. */
  destroy(): void
}

const NORMAL_END = 1000

/** A WebSocket connection after its handshake. Sending on one that has ended does nothing. */
export class OpenMessageSocket implements MessageSocket {
  readonly #socket: WebSocket

  constructor(socket: WebSocket, events: MessageEvents) {
    this.#socket = socket
    let failure: Error | null = null
    socket.on('message', (data, isBinary) => {
      events.heard()
      events.message(isBinary ? null : String(data))
    })
    socket.on('ping', () => events.heard())
    socket.on('pong', () => events.heard())
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
    return this.#socket.readyState === WebSocket.OPEN
  }
}

/** What can not be written ends the connection, which is told by `closed`. */
const ignore = (): void => undefined
