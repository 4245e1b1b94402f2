import type { Duplex } from 'node:stream'

/**
 * Adds an `error` listener for the whole life of an accepted socket. Node removes its own at CONNECT, at
 * upgrades and at the end of a TLS handshake, and an `error` without a listener ends the thread (threats, "Never again").
 * Every error is followed by `close`, on which the cleanup runs.
 */
export function keepErrorListener(socket: Duplex): void {
  socket.on('error', ignore)
}

function ignore(): void {}
