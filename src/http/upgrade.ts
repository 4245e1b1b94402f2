import type { Duplex } from 'node:stream'

/** An upgraded connection (RFC 9110 section 7.8), closed when the socket of the client closes. */
export interface UpgradedConnection {
  /** Sends a close frame to both ends, with a status code of the new protocol. */
  close(code: number, reason: string): void
  destroy(): void
  /** With a Close frame, or cut without one by the client or the server; for a connection that is closing. */
  readonly end: 'sent' | 'aborted' | 'truncated'
}

/** The protocol after a 101. Started once, by the sender of the 101; otherwise closed when its exchange completes. */
export interface Upgrade {
  /** Takes over the connection of the client; `head` has the bytes already received. */
  start(client: Duplex, head: Buffer): UpgradedConnection
}

// Milliseconds for both peers to answer the close frame.
const CLOSE_TIMEOUT = 1000

/** Closes an upgraded connection, and destroys it when an end does not answer in time. */
export function endUpgraded(connection: UpgradedConnection, code: number, reason: string): void {
  connection.close(code, reason)
  setTimeout(() => connection.destroy(), CLOSE_TIMEOUT).unref()
}

/**
 * For filters that may end an upgraded connection, as when its token expires: calls `started` when the connection is upgraded,
 * and the function it returns once, when the connection has closed. Never called for a response without an upgrade, or whose
 * upgrade is not started. Several filters may watch one response.
 */
export function watchUpgrade(
  response: { upgrade: Upgrade | null },
  started: (connection: UpgradedConnection) => () => void,
): void {
  const { upgrade } = response
  if (upgrade !== null) response.upgrade = new WatchedUpgrade(upgrade, started)
}

class WatchedUpgrade implements Upgrade {
  readonly #upgrade: Upgrade
  readonly #started: (connection: UpgradedConnection) => () => void

  constructor(upgrade: Upgrade, started: (connection: UpgradedConnection) => () => void) {
    this.#upgrade = upgrade
    this.#started = started
  }

  start(client: Duplex, head: Buffer): UpgradedConnection {
    const connection = this.#upgrade.start(client, head)
    try {
      const ended = this.#started(connection)
      if (client.closed) ended()
      else client.once('close', ended)
    } catch (error) {
      // A filter that failed could not end the connection later.
      connection.destroy()
      throw error
    }
    return connection
  }
}
