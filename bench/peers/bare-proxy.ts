// A minimal proxy in Node: node:http for clients, undici for the upstream, bodies streamed in both directions with
// back-pressure, hop-by-hop headers removed, one header added. Arguments: port, origin of the upstream, and optionally the
// port of a Redis, in which npm `rate-limiter-flexible` limits the rate of requests by path.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { type Dispatcher, Pool } from 'undici'

const [port, origin, redisPort] = process.argv.slice(2)
if (port === undefined || origin === undefined) throw new Error('expected: port origin')

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
])
const pool = new Pool(origin, { connections: 64 })

/** Copies name-value pairs except hop-by-hop fields, which are listed above or in `Connection`. */
function endToEnd(raw: readonly string[], connection: string | undefined): string[] {
  const listed = connection === undefined ? [] : connection.toLowerCase().split(/\s*,\s*/)
  const kept: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase()
    if (!hopByHop.has(name) && !listed.includes(name)) kept.push(raw[i]!, raw[i + 1]!)
  }
  return kept
}

function flat(raw: unknown): string[] {
  return Array.isArray(raw)
    ? raw.map((part: Buffer | string) => (typeof part === 'string' ? part : part.toString('latin1')))
    : []
}

function proxy(request: IncomingMessage, response: ServerResponse): void {
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      response.on('drain', () => controller.resume())
      response.on('close', () => {
        if (!response.writableFinished) controller.abort(new Error('the client has gone'))
      })
    },
    onResponseStart(controller, status, headers) {
      if (status < 200) return
      const connection = headers['connection']
      const kept = endToEnd(flat(controller.rawHeaders), Array.isArray(connection) ? connection.join() : connection)
      kept.push('X-Bench', '1')
      response.writeHead(status, kept)
    },
    onResponseData(controller, chunk) {
      if (!response.write(chunk)) controller.pause()
    },
    onResponseEnd() {
      response.end()
    },
    onResponseError() {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    },
  }
  pool.dispatch(
    {
      method: request.method as Dispatcher.HttpMethod,
      path: request.url ?? '/',
      headers: endToEnd(request.rawHeaders, request.headers.connection),
      body: hasBody ? request : null,
    },
    handler,
  )
}

function limited(limiter: RateLimiterRedis): typeof proxy {
  return (request, response) => {
    limiter.consume(request.url ?? '/').then(
      () => proxy(request, response),
      () => response.writeHead(429).end(),
    )
  }
}

const serve =
  redisPort === undefined
    ? proxy
    : limited(
        new RateLimiterRedis({
          storeClient: new Redis(Number(redisPort), '127.0.0.1', { enableAutoPipelining: true }),
          points: 1_000_000,
          duration: 60,
        }),
      )
createServer(serve).listen(Number(port), '127.0.0.1')
