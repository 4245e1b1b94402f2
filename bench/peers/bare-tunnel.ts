// A minimal WebSocket proxy in Node: the handshake is forwarded unchanged, and the sockets are piped into each other.
// Arguments: port, origin of the upstream.
import { createServer } from 'node:http'
import { connect } from 'node:net'

const [port, origin] = process.argv.slice(2)
if (port === undefined || origin === undefined) throw new Error('expected: port origin')
const { hostname, port: upstreamPort } = new URL(origin)

createServer((_request, response) => response.end('ready'))
  .on('upgrade', ({ url, rawHeaders }, client, head) => {
    const server = connect({ port: Number(upstreamPort), host: hostname, noDelay: true })
    const fields = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
    server.write(`GET ${url} HTTP/1.1\r\n${fields}\r\n`)
    if (head.length > 0) server.write(head)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.pipe(other)
      one.on('error', () => other.destroy())
    }
  })
  .listen(Number(port), '127.0.0.1')
