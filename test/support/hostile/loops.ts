import { FRAME, FrameClient, frame, literal } from '../h2-frames.ts'
import { type Attack, pick } from './attack.ts'

const CONNECTIONS = 10
const STREAMS = 100

/**
 * Requests whose `Host` names the gateway itself, on a route without `baseURI`. Each name has a pool of its own: hundreds of requests
 * wait for its first connection, and fail together when it is open.
 */
export const loops: Attack = {
  name: 'loops',
  clients: 1,
  async turn({ port }, round) {
    const authority = `${pick(['localhost', '127.0.0.1'], round)}:${port}`
    const head = literal({ ':method': 'GET', ':scheme': 'http', ':authority': authority, ':path': '/loop' })
    const requests = Array.from({ length: STREAMS }, (_, at) => frame(FRAME.headers, 5, 2 * at + 1, head))
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => FrameClient.open(port, 'http')))
    for (const client of clients) client.send(...requests)
    await Promise.all(
      clients.map((client) => client.receives(({ type, stream }) => type === FRAME.headers && stream > 0)),
    )
    for (const client of clients) client.socket.destroy()
  },
}
