import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** Answers an upgrade with a status and ends the connection. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  const body = JSON.stringify({ code: status, reason: STATUS_CODES[status] ?? '', message: 'Access Denied' })
  socket.on('error', () => socket.destroy())
  // Without waiting for the client to hang up too: it could keep the server from ending.
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
