import assert from 'node:assert/strict'
import { connect } from 'node:net'
import fc from 'fast-check'
import { WebSocket } from 'ws'
import { ADMIN_PASSWORD, arrivals, BASIC, SECRET, TOKENS, truncations } from './audit-load-routes.ts'
import type { H2Client } from './h2-client.ts'
import { once } from './waiting.ts'

/** The gateway under load. */
export interface LoadedGateway {
  readonly port: number
  readonly adminPort: number
  readonly secure: H2Client
  /** Cookies of sessions that the gateway has set; requests add them. */
  readonly cookies: Set<string>
}

/** Status of the expected event, and the reason where the response did not reach its end. */
export type Outcome = string

/** One request of the load. */
export interface LoadedRequest {
  /** Part of the gateway that audits it. */
  readonly to: 'traffic' | 'admin'
  /** Whether it leaves an event of the topic `payment` too. */
  readonly isPayment: boolean
  readonly send: (gateway: LoadedGateway) => Promise<Outcome>
}

const LEFT = 'the client closed the connection'

const traffic = (send: LoadedRequest['send'], isPayment = false): LoadedRequest => ({ to: 'traffic', isPayment, send })

/** Sends bytes on a connection of their own; resolves with the text of the response when the connection has closed. */
function exchange(port: number, text: string, onData: () => void = () => {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(text, 'latin1')))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      onData()
    })
    socket.on('error', () => resolve(received))
    socket.on('close', () => resolve(received))
    socket.setTimeout(20_000, () => reject(new Error(`no end of the response within 20 s to ${text.slice(0, 80)}`)))
  })
}

const statusOf = (response: string): Outcome => response.slice(9, 12)

function requestText(path: string, headers: readonly string[], method = 'GET'): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: app.test', ...headers, 'Connection: close', '', ''].join('\r\n')
}

/** Bytes of a request on HTTP/1.1: most are well formed. */
const plain = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'),
    path: fc.constantFrom(
      ...['/ok', '/moved', '/denied', '/busy', '/broken', '/away', '/nothing', '/gateway/x', '/%zz', '/ok%2F..'],
    ),
    query: fc.constantFrom('', `?token=${SECRET}`, '?a=1&b=%F0%9F%98%80'),
    header: fc.constantFrom(
      'X-Plain: 1',
      `Authorization: Bearer ${SECRET}`,
      `Authorization: Basic ${BASIC}`,
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
  .map(({ method, path, query, header }) =>
    traffic(async ({ port }) => statusOf(await exchange(port, requestText(`${path}${query}`, [header], method)))),
  )

/** Statuses that no RFC defines, custom events, and access tokens, some of them in the cache. */
const answered = fc
  .constantFrom<readonly [string, ...string[]]>(
    ['/status/299'],
    ['/status/600'],
    ['/status/777'],
    ['/status/999'],
    ['/pay'],
    ['/token'],
    ...Object.values(TOKENS).map((token) => ['/token', `Authorization: Bearer ${token}`] as [string, string]),
  )
  .map(([path, ...headers]) => {
    const send: LoadedRequest['send'] = async ({ port }) => statusOf(await exchange(port, requestText(path, headers)))
    return traffic(send, path === '/pay')
  })

/** A request without session gets a cookie, which the next sends. */
const withSession = fc.boolean().map((isKnown) =>
  traffic(async ({ port, cookies }) => {
    const [known] = cookies
    const headers = isKnown && known !== undefined ? [`Cookie: ${known}`] : []
    const response = await exchange(port, requestText('/session', headers))
    for (const [, cookie = ''] of response.matchAll(/^set-cookie: (gateway-session=[^;]+)/gim)) cookies.add(cookie)
    return statusOf(response)
  }),
)

const multiplexed = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD'),
    path: fc.constantFrom('/ok', '/moved', '/denied', '/broken', '/away', '/nothing', '/sse'),
    headers: fc.constantFrom<Record<string, string>>(
      { authorization: `Bearer ${SECRET}` },
      { cookie: `sid=${SECRET}` },
      { 'user-agent': '"><script>\t' },
      { 'x-long': 'x'.repeat(9_000) },
    ),
  })
  .map(({ method, path, headers }) => {
    const isPost = method === 'POST'
    return traffic(async ({ secure }) =>
      String((await secure.ask(path, { method, headers, ...(isPost && { body: `a=${SECRET}` }) })).status),
    )
  })

/** An event stream that the client reads to its end, or leaves in the middle. */
const stream = fc.record({ isRead: fc.boolean(), isSecure: fc.boolean() }).map(({ isRead, isSecure }) =>
  traffic(async ({ port, secure }) => {
    if (isSecure) {
      if (isRead) return String((await secure.ask('/sse')).status)
      const opened = secure.open('/endless')
      opened.on('error', () => {})
      await once(opened, 'data')
      opened.close(8)
      return `200 ${LEFT}`
    }
    const abort = new AbortController()
    const response = await fetch(`http://127.0.0.1:${port}/${isRead ? 'sse' : 'endless'}`, { signal: abort.signal })
    if (isRead) {
      assert.match(await response.text(), /data: 3\n\n$/)
      return '200'
    }
    await response.body?.getReader().read()
    abort.abort()
    return `200 ${LEFT}`
  }),
)

/** The application ends its response in the middle of the body, which the client has begun to read. */
const truncated = fc.constant(
  traffic(async ({ port }) => {
    const path = `/truncated/${crypto.randomUUID()}`
    const response = await exchange(port, requestText(path, []), () => truncations.get(path)?.())
    assert.match(response, /^HTTP\/1\.1 200 /)
    return '200 truncated'
  }),
)

/** A client that leaves while the application prepares its response. */
const left = fc.boolean().map((isSecure) =>
  traffic(async ({ port, secure }) => {
    const path = `/silent/${crypto.randomUUID()}`
    const arrived = new Promise<void>((resolve) => arrivals.set(path, resolve))
    if (isSecure) {
      const opened = secure.open(path)
      opened.on('error', () => {})
      await arrived
      opened.close(8)
    } else {
      const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`))
      socket.on('error', () => {})
      await arrived
      socket.resetAndDestroy()
    }
    return ` ${LEFT}`
  }),
)

const webSocket = fc.record({ path: fc.constantFrom('/ws', '/ok'), isClosed: fc.boolean() }).map(({ path, isClosed }) =>
  traffic(async ({ port }) => {
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
    return isClosed ? '101' : `101 ${LEFT}`
  }),
)

/** Requests to the admin connector, with credentials and without. */
const management = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'POST', 'DELETE'),
    path: fc.constantFrom(
      '/health/live',
      '/metrics/prometheus/0.0.4',
      '/api/system/objects/_router/routes/ok',
      `/api/audit/payment?_queryFilter=account+eq+%22${SECRET}%22`,
      `/nothing?token=${SECRET}`,
    ),
    headers: fc.constantFrom(
      [],
      [`Authorization: Bearer ${ADMIN_PASSWORD}`],
      [`Authorization: Bearer wrong-${SECRET}`],
      [`Authorization: Basic ${BASIC}`],
    ),
  })
  // No route of the load is deleted.
  .map(({ method, path, headers }): LoadedRequest => {
    const target = method === 'DELETE' ? path.replace('routes/ok', 'routes/missing') : path
    const send: LoadedRequest['send'] = async ({ adminPort }) =>
      statusOf(await exchange(adminPort, requestText(target, headers, method)))
    return { to: 'admin', isPayment: false, send }
  })

/** Requests of all kinds. */
export const LOAD: fc.Arbitrary<LoadedRequest> = fc.oneof(
  { arbitrary: plain, weight: 10 },
  { arbitrary: answered, weight: 6 },
  { arbitrary: withSession, weight: 2 },
  { arbitrary: multiplexed, weight: 3 },
  { arbitrary: stream, weight: 2 },
  { arbitrary: truncated, weight: 1 },
  { arbitrary: left, weight: 2 },
  { arbitrary: webSocket, weight: 2 },
  { arbitrary: management, weight: 3 },
)
