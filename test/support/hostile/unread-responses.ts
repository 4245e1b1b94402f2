import { setTimeout as wait } from 'node:timers/promises'
import { H2Client } from '../h2-client.ts'
import type { Attack } from './attack.ts'
import { HostileConnection } from './connection.ts'

/** Downloads of which not a byte is read. */
export const unreadResponses: Attack = {
  name: 'unread responses',
  clients: 8,
  async turn({ port }) {
    using connection = await HostileConnection.open(port)
    connection.socket.pause()
    await connection.send('GET /bulk/endless HTTP/1.1\r\nHost: a\r\n\r\n')
    await connection.closed(2_000)
  },
}

/** The same on many streams of one connection, whose window stays closed. */
export const unreadStreams: Attack = {
  name: 'unread HTTP/2 streams',
  clients: 2,
  async turn({ securePort }) {
    await using client = new H2Client(securePort, { settings: { initialWindowSize: 0 } })
    for (let at = 0; at < 50; at++) {
      const path = at % 2 === 0 ? '/bulk/endless' : '/bulk/large'
      client.session.request({ ':path': path }).on('error', () => {})
    }
    await wait(2_000)
  },
}
