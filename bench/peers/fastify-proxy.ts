// A proxy of well-known npm packages. Arguments: port, origin of the upstream.
import httpProxy from '@fastify/http-proxy'
import fastify from 'fastify'

const [port, origin] = process.argv.slice(2)
if (port === undefined || origin === undefined) throw new Error('expected: port origin')

const server = fastify()
await server.register(httpProxy, {
  upstream: origin,
  undici: { connections: 64 },
  replyOptions: { rewriteHeaders: (headers) => ({ ...headers, 'x-bench': '1' }) },
})
await server.listen({ port: Number(port), host: '127.0.0.1' })
