// A small application behind the gateway: returns the request that it received as JSON. `node examples/application.mjs [PORT]`
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  const { method, url, headers } = request
  response.setHeader('Content-Type', 'application/json')
  response.end(`${JSON.stringify({ method, url, headers }, null, 2)}\n`)
})
server.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () => {
  console.log(`application on http://localhost:${server.address().port}`)
})
