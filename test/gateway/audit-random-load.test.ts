// A random load of all kinds of requests: each leaves one event that satisfies the published schema, and no secret is in the trail.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { WebSocket } from 'ws'
import type { JsonObject } from '#json'
import { accessEvents, auditedRoot, part, TO_FILE } from '#test/audited-gateway'
import { Authority, type Issued, opensslMissing } from '#test/certificates'
import { RunningGateway } from '#test/gateway'
import { H2Client } from '#test/h2-client'
import { secureHeap } from '#test/secure-connector'
import { httpUpstream } from '#test/upstream'
import { once } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'

const SECRET = 'hush-7f3a'

const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'app.test', altNames: 'IP:127.0.0.1,DNS:localhost' }) as Issued
after(() => authority?.[Symbol.dispose]())

const route = (path: string, handler: JsonObject): JsonObject => ({
  condition: `\${find(request.uri.path, '^/${path}')}`,
  handler,
})
const say = (status: number) => ({
  type: 'StaticResponseHandler',
  config: { status, headers: { 'Set-Cookie': [`session=${SECRET}`], Location: [`/x?code=${SECRET}`] } },
})
const behind = (filter: JsonObject) => ({ type: 'Chain', config: { filters: [filter], handler: say(200) } })

const ROUTES = {
  ok: route('ok', say(200)),
  moved: route('moved', say(302)),
  denied: route('denied', behind({ type: 'ConditionEnforcementFilter', config: { condition: '${false}' } })),
  busy: route(
    'busy',
    behind({
      type: 'ThrottlingFilter',
      config: { requestGroupingPolicy: 'all', rate: { numberOfRequests: 1, duration: '1 hour' } },
    }),
  ),
  broken: route('broken', {
    type: 'ScriptableHandler',
    config: { type: 'application/javascript', source: `throw new Error('${SECRET}')` },
  }),
  away: route('away', { type: 'ReverseProxyHandler', baseURI: 'http://127.0.0.1:1', config: {} } as JsonObject),
}

/** Bytes of a request: most are well formed. */
const requests = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'),
  path: fc.constantFrom(
    '/ok',
    '/moved',
    '/denied',
    '/busy',
    '/broken',
    '/away',
    '/nothing',
    '/gateway/x',
    '/%zz',
    '/ok%2F..',
  ),
  query: fc.constantFrom('', `?token=${SECRET}`, '?a=1&b=%F0%9F%98%80'),
  header: fc.constantFrom(
    'X-Plain: 1',
    `Authorization: Bearer ${SECRET}`,
    `Cookie: sid=${SECRET}; b=2`,
    `X-Api-Key: ${SECRET}`,
    'User-Agent: \xff\xfe\x01',
    'User-Agent: "><script>\t\u0080',
    `X-Long: ${'x'.repeat(20_000)}`,
    'Host: second',
    'Content-Length: -1',
    'Transfer-Encoding: nonsense',
    'traceparent: 00-00000000000000000000000000000000-0000000000000000-00',
  ),
})

/** Sends one request on a connection of its own; resolves with the status when the connection has closed. */
function send(port: number, text: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(text, 'latin1')))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => resolve(received.slice(9, 12)))
    socket.on('close', () => resolve(received.slice(9, 12)))
    socket.setTimeout(20_000, () => reject(new Error(`no end of the response within 20 s to ${text.slice(0, 80)}`)))
  })
}

/** Status of the expected event, and the reason where the response did not reach its end. */
type Outcome = string

const LEFT = 'the client closed the connection'

interface Peers {
  readonly port: number
  readonly secure: H2Client
}

type Request = (peers: Peers) => Promise<Outcome>

/** A request with bytes of the client on HTTP/1.1; most are well formed. */
const plain = requests.map(({ method, path, query, header }): Request => {
  const text = `${method} ${path}${query} HTTP/1.1\r\nHost: app.test\r\n${header}\r\nConnection: close\r\n\r\n`
  return ({ port }) => send(port, text)
})

const h2Headers = fc.constantFrom<Record<string, string>>(
  { authorization: `Bearer ${SECRET}` },
  { cookie: `sid=${SECRET}` },
  { 'user-agent': '"><script>\t' },
  { 'x-long': 'x'.repeat(9_000) },
)

const multiplexed = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD'),
    path: fc.constantFrom('/ok', '/moved', '/denied', '/broken', '/away', '/nothing', '/sse'),
    headers: h2Headers,
  })
  .map(({ method, path, headers }): Request => {
    const isPost = method === 'POST'
    return async ({ secure }) =>
      String((await secure.ask(path, { method, headers, ...(isPost && { body: `a=${SECRET}` }) })).status)
  })

/** An event stream that the client reads to its end, or leaves in the middle. */
const stream = fc.record({ isRead: fc.boolean(), isSecure: fc.boolean() }).map(({ isRead, isSecure }): Request => {
  if (isSecure) {
    return async ({ secure }) => {
      if (isRead) return String((await secure.ask('/sse')).status)
      const opened = secure.open('/endless')
      opened.on('error', () => {})
      await once(opened, 'data')
      opened.close(8)
      return `200 ${LEFT}`
    }
  }
  return async ({ port }) => {
    const abort = new AbortController()
    const response = await fetch(`http://127.0.0.1:${port}/${isRead ? 'sse' : 'endless'}`, { signal: abort.signal })
    if (isRead) {
      assert.match(await response.text(), /data: 3\n\n$/)
      return '200'
    }
    await response.body?.getReader().read()
    abort.abort()
    return `200 ${LEFT}`
  }
})

/** A client that leaves while the application prepares its response. */
const left = fc.boolean().map((isSecure): Request => {
  return async ({ port, secure }) => {
    const name = crypto.randomUUID()
    const arrived = new Promise<void>((resolve) => arrivals.set(`/silent/${name}`, resolve))
    if (isSecure) {
      const opened = secure.open(`/silent/${name}`)
      opened.on('error', () => {})
      await arrived
      opened.close(8)
    } else {
      const socket = connect(port, '127.0.0.1', () => socket.write(`GET /silent/${name} HTTP/1.1\r\nHost: a\r\n\r\n`))
      socket.on('error', () => {})
      await arrived
      socket.resetAndDestroy()
    }
    return ` ${LEFT}`
  }
})

/** Resolves for a path when its request is at the application. */
const arrivals = new Map<string, () => void>()

const webSocket = fc.record({ path: fc.constantFrom('/ws', '/ok'), isClosed: fc.boolean() }).map(
  ({ path, isClosed }): Request =>
    async ({ port }) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [], { headers: { Cookie: `sid=${SECRET}` } })
      if (path === '/ok') {
        const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }]
        socket.on('error', () => {})
        socket.terminate()
        return String(response.statusCode)
      }
      await once(socket, 'open')
      socket.send(SECRET)
      await once(socket, 'message')
      if (isClosed) socket.close()
      else socket.terminate()
      await once(socket, 'close')
      return isClosed ? '101' : '101 the client closed the connection'
    },
)

const kinds = fc.oneof(
  { arbitrary: plain, weight: 10 },
  { arbitrary: multiplexed, weight: 3 },
  { arbitrary: stream, weight: 2 },
  { arbitrary: left, weight: 2 },
  { arbitrary: webSocket, weight: 2 },
)

test('each request of a random load leaves one valid event without secrets', { skip: opensslMissing }, async () => {
  await using application = await httpUpstream((request, response) => {
    arrivals.get(request.url ?? '')?.()
    if (request.url?.startsWith('/silent/')) return
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Set-Cookie': `a=${SECRET}` })
    response.write(`data: ${SECRET}\n\n`)
    if (request.url !== '/sse') return
    response.write('data: 2\n\n')
    response.end('data: 3\n\n')
  })
  await using sockets = await webSocketUpstream()
  const streams = { ...route('(?:sse|endless|silent)', 'ReverseProxyHandler' as never), baseURI: application.url }
  const upgrade = { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } }
  await using gateway = await RunningGateway.start({
    units: 2,
    admin: {
      connectors: [
        { port: 0, host: '127.0.0.1' },
        { port: 0, host: '127.0.0.1', tls: 'https' },
      ],
      heap: secureHeap(issued),
    },
    files: { 'config/config.json': auditedRoot(TO_FILE) },
    routes: { ...ROUTES, streams, sockets: { ...route('ws', upgrade), baseURI: sockets.url } },
  })
  await using secure = new H2Client(gateway.gateway.ports[1] as number)
  const load = fc.sample(kinds, { numRuns: 250, seed: 17 })
  const outcomes: string[] = []
  for (let at = 0; at < load.length; at += 10) {
    const some = load.slice(at, at + 10).map((run) => run({ port: gateway.port, secure }))
    outcomes.push(...(await Promise.all(some)))
  }
  const events = await accessEvents(gateway.instance, load.length)
  assert.equal(new Set(events.map(({ _id: id }) => id)).size, load.length)
  const written = events.map((event) => {
    const { statusCode = '', detail } = part(event, 'response')
    return detail === undefined ? String(statusCode) : `${statusCode} ${(detail as JsonObject)['reason']}`
  })
  assert.deepEqual(counted(written), counted(outcomes))
  assert.ok(!readFileSync(join(gateway.instance.directory, 'trail', 'access.audit.json'), 'utf8').includes(SECRET))
  const undecided = events.filter((event) => {
    const { statusCode } = part(event, 'response')
    return ['401', '403', '429', '503'].includes(String(statusCode)) && !('decision' in part(event, 'gateway'))
  })
  assert.deepEqual(undecided, [])
})

/** How often each value occurs. */
function counted(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values.toSorted()) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
