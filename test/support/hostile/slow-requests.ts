import { setTimeout as wait } from 'node:timers/promises'
import { type Attack, pick } from './attack.ts'
import { HostileConnection } from './connection.ts'

const HEADS = [
  'GET /static HTTP/1.1\r\nHost: a\r\nX-',
  'POST /bulk/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n',
  'POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n[',
  'POST /static HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n',
]

/** Heads and bodies of one byte at a time, which end by a reset. */
export const slowRequests: Attack = {
  name: 'slow requests',
  clients: 16,
  async turn({ port }, round) {
    using connection = await HostileConnection.open(port)
    await connection.send(pick(HEADS, round))
    for (let sent = 0; sent < 40 && !connection.isClosed; sent++) {
      await connection.send('1')
      await wait(50)
    }
  },
}

/** Bodies of chunks of one byte, as fast as they are taken. */
export const smallChunks: Attack = {
  name: 'small chunks',
  clients: 1,
  async turn({ port }, round) {
    using connection = await HostileConnection.open(port)
    const path = pick(['/bulk/echo', '/json', '/static'], round)
    await connection.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const chunks = '1\r\n1\r\n'.repeat(2_000)
    for (let sent = 0; sent < 10 && !connection.isClosed; sent++) await connection.send(chunks)
    if (round % 2 === 0) await connection.send('0\r\n\r\n')
    await connection.closed(100)
  },
}
