import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'

/** A server of a test on a free loopback port, closed at the end of its scope. */
export interface Upstream extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Connections that were accepted since the start. */
  readonly accepted: number
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<Socket>
}

/** An HTTP upstream with node's own framing. */
export function httpUpstream(listener: RequestListener): Promise<Upstream> {
  return listening(createServer({ keepAliveTimeout: 60_000 }, listener))
}

/** An upstream that sends the exact bytes of the test: `answer` is called with each complete request head. */
export function rawUpstream(answer: (socket: Socket, head: string, count: number) => void): Promise<Upstream> {
  return listening(
    createTcpServer((socket) => {
      let text = ''
      let count = 0
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
          const head = text.slice(0, end)
          text = text.slice(end + 4)
          answer(socket, head, ++count)
        }
      })
    }),
  )
}

/** An upstream that only accepts connections and passes them to the test. */
export function silentUpstream(onConnection: (socket: Socket) => void = () => {}): Promise<Upstream> {
  return listening(createTcpServer(onConnection))
}

async function listening(server: Server): Promise<Upstream> {
  const sockets = new Set<Socket>()
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get accepted() {
      return accepted
    },
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
