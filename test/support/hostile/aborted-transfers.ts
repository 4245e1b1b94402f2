import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { H2Client } from '../h2-client.ts'
import { type Attack, pick } from './attack.ts'
import { HostileConnection } from './connection.ts'

const PIECE = Buffer.alloc(65_536)

/** Uploads that stop in the middle, by a reset or by half-closing. */
export const abortedUploads: Attack = {
  name: 'aborted uploads',
  clients: 4,
  async turn({ port }, round) {
    using connection = await HostileConnection.open(port)
    const path = pick(['/proxy/echo', '/bulk/echo', '/static', '/json'], round)
    await connection.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n`)
    for (let sent = 0; sent < 8 && !connection.isClosed; sent++) await connection.send(PIECE)
    if (round % 3 === 0) connection.socket.end()
    await connection.closed(pick([0, 50, 300], round))
  },
}

/** Downloads of which only the first bytes are read. */
export const abortedDownloads: Attack = {
  name: 'aborted downloads',
  clients: 4,
  async turn({ port }, round) {
    using connection = await HostileConnection.open(port)
    const received = once(connection.socket, 'data').catch(() => {})
    await connection.send(`GET ${pick(['/proxy/large', '/bulk/endless'], round)} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await Promise.race([received, connection.closed(2_000)])
  },
}

/** Both over HTTP/2: streams that are reset after some of their bytes. */
export const abortedStreams: Attack = {
  name: 'aborted HTTP/2 streams',
  clients: 2,
  async turn({ securePort }, round) {
    await using client = new H2Client(securePort)
    for (let at = 0; at < 10 && !client.session.destroyed; at++) {
      const upload = (round + at) % 2 === 0
      const method = upload ? 'POST' : 'GET'
      const path = upload ? '/bulk/echo' : '/bulk/endless'
      const stream = client.session.request({ ':path': path, ':method': method }, { endStream: !upload })
      stream.on('error', () => {}).resume()
      if (upload) stream.write(PIECE)
      await wait(pick([0, 2, 20], at))
      stream.close(pick([0, 8], at))
    }
  },
}
