import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** Rejects an upgrade with a status and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  const body = JSON.stringify({ code: status, reason: STATUS_CODES[status] ?? '', message: 'Access Denied' })
  socket.on('error', () => socket.destroy())
  // Does not wait for the client to close: it could block the shutdown of the server.
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
