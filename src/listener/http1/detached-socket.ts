import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isHopByHop, type Response, type Upgrade, type UpgradedConnection } from '#http'
import type { Upgradable } from '../response-channel.ts'

// Bytes a client may send before the 101; beyond them the socket is paused.
const MAX_EARLY_BYTES = 16_384

/**
 * Whether a request is an upgrade to WebSocket, the only protocol offered (threats B35). One with a body stays an
 * ordinary request: its body would be read as frames.
 */
export function isWebSocketUpgrade({ method, httpVersion, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    httpVersion === '1.1' &&
    headers.upgrade?.trim().toLowerCase() === 'websocket' &&
    headers['transfer-encoding'] === undefined &&
    (headers['content-length'] ?? '0') === '0'
  )
}

/** The socket of a CONNECT request or an upgrade, without the parser and listeners of node:http. */
export class DetachedSocket implements Upgradable {
  readonly #socket: Socket
  readonly #target: ServerResponse
  readonly #early: Buffer[]
  #earlyBytes: number
  #bytesBefore = 0

  constructor(socket: Socket, target: ServerResponse, head: Buffer, idleTimeout: number) {
    this.#socket = socket
    this.#target = target
    this.#early = [head]
    this.#earlyBytes = head.length
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.setTimeout(idleTimeout)
  }

  onIdleTimeout(act: () => void): void {
    this.#socket.on('timeout', act)
  }

  /** Called when all responses before this one are sent. */
  attach(): void {
    if (!this.#socket.destroyed) this.#target.assignSocket(this.#socket)
  }

  detach(): void {
    if (this.#target.socket === this.#socket) this.#target.detachSocket(this.#socket)
  }

  handOver(response: Response, upgrade: Upgrade): UpgradedConnection {
    const target = this.#target
    target.writeHead(101, response.reason, switchingHead(response))
    target.flushHeaders()
    this.detach()
    const socket = this.#socket
    socket.off('data', this.#onData).off('end', this.#onEnd)
    socket.setTimeout(0).removeAllListeners('timeout')
    this.#bytesBefore = socket.bytesWritten
    return upgrade.start(socket, Buffer.concat(this.#early))
  }

  get bytesSent(): number {
    return this.#socket.bytesWritten - this.#bytesBefore
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#early.push(chunk)
    this.#earlyBytes += chunk.length
    if (this.#earlyBytes > MAX_EARLY_BYTES) this.#socket.pause()
  }

  readonly #onEnd = (): void => {
    this.#socket.destroySoon()
  }
}

/** RFC 9110 section 8.6: no Content-Length in a 101. */
function switchingHead({ headers }: Response): string[] {
  const given = headers.raw()
  const raw: string[] = []
  for (let i = 0; i < given.length; i += 2) {
    const name = given[i]!
    if (!isHopByHop(name) && name.toLowerCase() !== 'content-length') raw.push(name, given[i + 1]!)
  }
  raw.push('Upgrade', 'websocket', 'Connection', 'Upgrade')
  return raw
}
