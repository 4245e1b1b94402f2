import type { Socket } from 'node:net'
import { isHopByHop, type Response, type Upgrade, type UpgradedConnection } from '#http'
import type { AdmittedRequest } from '../admission.ts'
import * as options from '../connection-options.ts'
import type { Upgradable } from '../response-channel.ts'
import { informationalResponse } from './response-text.ts'

/** The connection of a request to upgrade. */
interface UpgradingConnection {
  readonly socket: Socket
  write(text: string): boolean
  /** Ends HTTP on the connection; returns the bytes after the request. */
  handOver(): Buffer
}

/**
 * Whether a request is an upgrade to WebSocket, the only protocol offered (threats B35). One with a body stays an
 * ordinary request: its body would be read as frames.
 */
export function isWebSocketUpgrade({ method, version, head }: AdmittedRequest): boolean {
  const { upgrade, connection, bodyLength } = head
  if (upgrade === null || (connection & options.upgrade) === 0) return false
  return method === 'GET' && version === '1.1' && bodyLength === 0 && upgrade.trim().toLowerCase() === 'websocket'
}

/** A request to upgrade, whose bytes after the head wait. */
export class UpgradeRequest implements Upgradable {
  readonly #connection: UpgradingConnection
  #bytesBefore = 0

  constructor(connection: UpgradingConnection) {
    this.#connection = connection
  }

  handOver(response: Response, upgrade: Upgrade): UpgradedConnection {
    const { socket } = this.#connection
    this.#connection.write(switchingHead(response))
    const early = this.#connection.handOver()
    this.#bytesBefore = socket.bytesWritten
    return upgrade.start(socket, early)
  }

  get bytesSent(): number {
    return this.#connection.socket.bytesWritten - this.#bytesBefore
  }
}

/** RFC 9110 section 8.6: no Content-Length in a 101. */
function switchingHead({ headers, reason }: Response): string {
  const given = headers.raw()
  const raw: string[] = []
  for (let i = 0; i < given.length; i += 2) {
    const name = given[i]!
    if (!isHopByHop(name) && name.toLowerCase() !== 'content-length') raw.push(name, given[i + 1]!)
  }
  raw.push('Upgrade', 'websocket', 'Connection', 'Upgrade')
  return informationalResponse(101, raw, reason)
}
