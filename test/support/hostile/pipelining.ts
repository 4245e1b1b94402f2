import { type Attack, pick } from './attack.ts'
import { HostileConnection } from './connection.ts'

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

/** Thousands of requests on one connection, behind a slow one or at full speed, with and without reading the responses. */
export const pipelining: Attack = {
  name: 'pipelining',
  clients: 2,
  async turn({ port }, round) {
    using connection = await HostileConnection.open(port)
    if (round % 2 === 0) connection.socket.pause()
    await connection.send(request(pick(['/bulk/slow', '/static', '/bulk/large'], round)))
    const many = request('/static').repeat(1_000)
    for (let at = 0; at < 5 && !connection.isClosed; at++) await connection.send(many, 300)
    await connection.closed(500)
  },
}
