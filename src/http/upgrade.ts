import type { Duplex } from 'node:stream'

/** A connection that has left HTTP (RFC 9110 section 7.8); it ends with the client's socket. */
export interface UpgradedConnection {
  /** Says farewell to both ends, with a status code of the new protocol, and lets them finish. */
  close(code: number, reason: string): void
  destroy(): void
}

/** What follows a response of status 101. Whoever sends that response starts it, once; one that is never started ends with its exchange. */
export interface Upgrade {
  /** Takes the client's connection over; `head` is what the client has sent already. */
  start(client: Duplex, head: Buffer): UpgradedConnection
}
