import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { SqlAccess } from './sql-connection.ts'

/** What the server knows a connection by. */
export interface BackendKey {
  readonly processID: number
  readonly secretKey: number
}

/** Codes in place of a protocol version, by which the server recognises these messages. */
const CANCEL = 80_877_102
const TLS = 80_877_103
/** First byte of the response to a request for TLS. */
const ACCEPTED = 'S'.charCodeAt(0)

/**
 * Asks PostgreSQL to end the running statement of a connection, over one of its own; the server does not respond. A closed
 * connection alone does not end it: it would run on, and count as a connection there.
 */
export function cancelStatement(access: SqlAccess, { processID, secretKey }: BackendKey): void {
  const { host, port, tls, connectTimeout } = access
  const socket = connect(port, host)
  const timer = setTimeout(() => socket.destroy(), connectTimeout)
  socket.on('error', () => {})
  socket.once('close', () => clearTimeout(timer))
  socket.unref()
  const send = (secured: Socket) => secured.end(message(CANCEL, processID, secretKey))
  if (tls === null) {
    socket.once('connect', () => send(socket))
    return
  }
  socket.once('connect', () => socket.write(message(TLS)))
  socket.once('data', (response) => {
    if (response[0] !== ACCEPTED) {
      socket.destroy()
      return
    }
    const secured = connectTls({ socket, host, ...tls, ...(isIP(host) === 0 && { servername: host }) })
    secured.on('error', () => socket.destroy())
    secured.once('secureConnect', () => send(secured))
  })
}

/** A message of 32-bit numbers, after its length. */
function message(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * (numbers.length + 1))
  bytes.writeInt32BE(bytes.length)
  for (const [at, number] of numbers.entries()) bytes.writeInt32BE(number, 4 * (at + 1))
  return bytes
}
