import type { Socket } from 'node:net'

/** Characters of one message; a longer one ends the connection. */
const MAX_MESSAGE = 8 * 1024 * 1024

/** Messages of a channel over a socket, one JSON text on each line. */
export class SocketPort {
  readonly #socket: Socket
  #listener: (message: unknown) => void = () => {}
  #rest = ''

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('utf8')
    socket.on('data', (text) => this.#receive(String(text)))
    // The close that follows says enough.
    socket.on('error', () => {})
  }

  postMessage(message: unknown): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`)
  }

  on(_event: 'message', listener: (message: unknown) => void): void {
    this.#listener = listener
  }

  #receive(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > MAX_MESSAGE) this.#socket.destroy()
    for (const line of lines) {
      const message = parsed(line)
      if (!Array.isArray(message)) {
        this.#socket.destroy()
        return
      }
      this.#listener(message)
    }
  }
}

/** Undefined where it is not JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
