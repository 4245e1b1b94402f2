// The upstream of large bodies. Arguments: port. GET /N responds with N bytes, another method with the count it received.
import { createServer } from 'node:http'

const [port] = process.argv.slice(2)
if (port === undefined) throw new Error('expected: port')
const piece = Buffer.alloc(65_536, 'x')

createServer((request, response) => {
  if (request.method !== 'GET') {
    let received = 0
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    request.on('end', () => response.end(String(received)))
    return
  }
  let left = Number(request.url?.slice(1)) || 0
  response.writeHead(200, { 'content-length': left, 'x-bench': '1' })
  const send = (): void => {
    while (left > 0) {
      const next = left < piece.length ? piece.subarray(0, left) : piece
      left -= next.length
      if (!response.write(next)) {
        response.once('drain', send)
        return
      }
    }
    response.end()
  }
  send()
}).listen(Number(port), '127.0.0.1')
