// An upstream for machines without nginx. Arguments: port, body of every response.
import { createServer } from 'node:http'

const [port, body] = process.argv.slice(2)
if (port === undefined || body === undefined) throw new Error('expected: port body')

const headers = { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(body) }
createServer((request, response) => {
  request.on('end', () => response.writeHead(200, headers).end(body)).resume()
}).listen(Number(port), '127.0.0.1')
