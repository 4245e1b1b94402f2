import type { Duplex } from 'node:stream'

/** A connection that has left HTTP (RFC 9110 section 7.8); it ends with the client's socket. */
export interface UpgradedConnection {
  /** Starts the closing handshake with both ends, with a status code of the new protocol. */
  close(code: number, reason: string): void
  destroy(): void
}

/** What follows a response of status 101. The sender of that response starts it, once; one that is never started is closed when its exchange ends. */
export interface Upgrade {
  /** Takes the client's connection over; `head` is what the client has sent already. */
  start(client: Duplex, head: Buffer): UpgradedConnection
}

// Time for the closing handshake of a connection that the gateway closes.
const CLOSE_TIMEOUT = 1000

/** Closes an upgraded connection, and destroys it when the ends do not let go: neither can keep it open. */
export function endUpgraded(connection: UpgradedConnection, code: number, reason: string): void {
  connection.close(code, reason)
  setTimeout(() => connection.destroy(), CLOSE_TIMEOUT).unref()
}

/**
 * For filters that have a say in a connection after their response was sent, as when a token ends before it: `started` is
 * called when the connection has left HTTP, and what it returns when the connection has ended, once. Several filters may
 * watch one response; nothing is called for a response that is not an upgrade, or whose upgrade never takes place.
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
      // A filter that can not watch would not end the connection either.
      connection.destroy()
      throw error
    }
    return connection
  }
}
