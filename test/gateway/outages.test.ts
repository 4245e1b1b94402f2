// Applications and clients that are gone, slow or unresponsive: responses come in time, and other requests are not affected.
import assert from 'node:assert/strict'
import { Agent, createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { RawClient } from '#test/listening'
import { sendRequest } from '#test/send-request'
import { startProxy } from '#test/test-proxy'
import { httpUpstream, rawUpstream, silentUpstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'

const SO_TIMEOUT = 500
/** Deadlines are checked an eighth late at most; the rest is for a busy machine. Below the default of soTimeout. */
const LATEST = 5_000

function route(path: string, url: string, config: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    condition: `\${find(request.uri.path, '^${path}')}`,
    baseURI: url,
    handler: { type: 'ReverseProxyHandler', config },
  }
}

async function serve(port: number): Promise<Server> {
  const server = createServer((_request, response) => void response.end('back'))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** A server whose port is not reused while it is down: it is below the range of ephemeral ports. */
async function serveOnOwnPort(): Promise<{ server: Server; port: number }> {
  for (let port = 20_000 + (process.pid % 10_000); ; port++) {
    try {
      return { server: await serve(port), port }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

async function kill(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number

test('F1: while an application is gone its requests are 502 at once, others are served; it is used when it is back', async () => {
  await using other = await httpUpstream((_request, response) => void response.end('other'))
  const first = await serveOnOwnPort()
  await using gateway = await RunningGateway.start({
    routes: { a: route('/app', `http://127.0.0.1:${first.port}`), b: route('/other', other.url) },
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const load = (path: string, requests: number) =>
    Promise.all(
      Array.from({ length: requests }, async () => {
        const start = performance.now()
        const { status, text } = await sendRequest(gateway.url + path, { agent })
        return { outcome: `${status} ${text}`, time: performance.now() - start }
      }),
    )
  const outcomes = (results: readonly { outcome: string }[]) => [...new Set(results.map(({ outcome }) => outcome))]
  assert.deepEqual(outcomes(await load('/app', 50)), ['200 back'])
  await kill(first.server)
  const [gone, others] = await Promise.all([load('/app', 300), load('/other', 300)])
  assert.deepEqual(outcomes(gone), ['502 Bad Gateway'])
  assert.deepEqual(outcomes(others), ['200 other'])
  const alone: number[] = []
  for (let turn = 0; turn < 20; turn++) alone.push((await load('/app', 1))[0]!.time)
  assert.ok(median(alone) < 100, `502 after ${median(alone)} ms`)
  const second = await serve(first.port)
  assert.deepEqual(outcomes(await load('/app', 100)), ['200 back'])
  agent.destroy()
  await kill(second)
})

test('F2: a slow application fills its own pool and queue: 504, 503 beyond, and no other route waits', async () => {
  // All requests have to arrive before the first 504 makes room, also on a busy machine.
  const soTimeout = 3_000
  const held: Socket[] = []
  await using slow = await rawUpstream((socket) => void held.push(socket))
  await using other = await httpUpstream((_request, response) => void response.end('other'))
  await using gateway = await RunningGateway.start({
    routes: {
      a: route('/slow', slow.url, {
        connections: 4,
        soTimeout: `${soTimeout} milliseconds`,
        connectionTimeout: '20 seconds',
        vertx: { maxWaitQueueSize: 4 },
      }),
      b: route('/other', other.url),
    },
  })
  const statuses: number[] = []
  const asked = Array.from({ length: 20 }, async () => void statuses.push((await gateway.ask('/slow')).status))
  await waitUntil('the pool and its queue were full, and other requests refused', () => statuses.length >= 12)
  assert.equal(held.length, 4)
  const times: number[] = []
  for (let turn = 0; turn < 30; turn++) {
    const begin = performance.now()
    assert.equal((await gateway.ask('/other')).text, 'other')
    times.push(performance.now() - begin)
  }
  assert.ok(median(times) < soTimeout / 10, `${median(times)} ms`)
  await Promise.all(asked)
  // In the order of the responses: excess is refused at once.
  assert.deepEqual(statuses, [...Array.from({ length: 12 }, () => 503), ...Array.from({ length: 8 }, () => 504)])
  assert.equal(held.length, 8)
})

test('F3, F4, F5: no response is 504 or a truncated response after soTimeout, a reset truncates at once; each connection slot is released', async () => {
  const partial = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello'
  await using upstream = await rawUpstream((socket, head) => {
    if (head.startsWith('GET /app/stall')) socket.write(partial)
    else if (head.startsWith('GET /app/fin')) socket.end(partial)
    else if (head.startsWith('GET /app/reset')) socket.write(partial, () => socket.resetAndDestroy())
    else if (head.startsWith('GET /app/ok')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  })
  await using gateway = await RunningGateway.start({
    routes: { a: route('/app', upstream.url, { connections: 1, soTimeout: `${SO_TIMEOUT} milliseconds` }) },
  })
  const expected: [path: string, answer: RegExp, least: number][] = [
    ['silent', /^HTTP\/1\.1 504 /, SO_TIMEOUT],
    ['stall', /^HTTP\/1\.1 200 .*\r\n\r\nhello$/s, SO_TIMEOUT],
    ['fin', /^(HTTP\/1\.1 200 .*\r\n\r\nhello$|HTTP\/1\.1 502 |$)/s, 0],
    ['reset', /^(HTTP\/1\.1 200 .*\r\n\r\nhello$|HTTP\/1\.1 502 |$)/s, 0],
  ]
  for (const [path, answer, least] of expected) {
    await using client = new RawClient(gateway.port)
    const start = performance.now()
    client.send(`GET /app/${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    await client.closed
    const time = performance.now() - start
    assert.match(client.text, answer, path)
    // Timers of Node may be a millisecond early.
    assert.ok(time >= least - 2 && time < least + LATEST, `${path} took ${time} ms`)
    await waitUntil(`the connection of ${path} was closed`, () => upstream.sockets.size === 0)
    assert.equal((await gateway.ask('/app/ok')).text, 'ok')
    await waitUntil('the connection of the request after it was closed', () => upstream.sockets.size === 0)
  }
  assert.equal(await gateway.metric('gw_route_request_active'), 0)
  // Truncated responses are counted: at least the one that stalled in its body.
  assert.ok((await gateway.metric('gw_route_response_error_total')) >= 1)
})

test('F7: a client that disconnects, or ends in the middle of its upload, aborts the request to the application', async () => {
  let bytes = 0
  await using upstream = await silentUpstream(
    (socket) => void socket.on('data', (chunk: Buffer) => (bytes += chunk.length)),
  )
  await using gateway = await RunningGateway.start({ routes: { a: route('/', upstream.url) } })
  const upload = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(500)}`
  const ends: Record<string, (client: RawClient) => unknown> = {
    reset: (client) => client.socket.resetAndDestroy(),
    close: (client) => client.socket.destroy(),
    'half-close': (client) => client.socket.end(),
  }
  for (const [how, end] of Object.entries(ends)) {
    bytes = 0
    await using client = new RawClient(gateway.port)
    client.send(upload)
    await waitUntil(`the upload reached the server (${how})`, () => bytes > 500)
    end(client)
    await waitUntil(`the request to the server was aborted (${how})`, () => upstream.sockets.size === 0)
  }
  await waitUntil('no request was active', async () => (await gateway.metric('gw_route_request_active')) === 0)
})

test('B30: with an application that closes idle connections every GET has a response, and no POST is sent twice', async () => {
  const asked = new Map<string, number>()
  await using upstream = await rawUpstream((socket, head) => {
    const path = / (\S+) /.exec(head)?.[1] as string
    asked.set(path, (asked.get(path) ?? 0) + 1)
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    // Not with the response, but when the next request may have been sent.
    setTimeout(() => socket.destroy(), asked.size % 3)
  })
  await using gateway = await RunningGateway.start({ routes: { a: route('/', upstream.url) } })
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const outcomes = new Map<string, number>()
  const client = async (method: string): Promise<void> => {
    for (let turn = 0; turn < 200; turn++) {
      const { status } = await sendRequest(`${gateway.url}/${method}/${turn}`, { method, agent })
      outcomes.set(`${method} ${status}`, (outcomes.get(`${method} ${status}`) ?? 0) + 1)
    }
  }
  await Promise.all(['GET', 'PUT', 'POST'].map(client))
  agent.destroy()
  assert.equal(outcomes.get('GET 200'), 200)
  assert.equal(outcomes.get('PUT 200'), 200)
  assert.equal((outcomes.get('POST 200') ?? 0) + (outcomes.get('POST 502') ?? 0), 200)
  for (const [path, times] of asked) assert.ok(times <= (path.startsWith('/POST/') ? 1 : 2), `${path}: ${times} times`)
})

test('F9: heads, bodies and readers that are slow are closed at their limits, while others are served', async (t) => {
  const large = Buffer.alloc(8 * 2 ** 20)
  await using upstream = await httpUpstream((request, response) => {
    request.on('error', () => {}).on('end', () => response.end(request.url === '/large' ? large : 'quick'))
    request.resume()
  })
  await using proxy = await startProxy(upstream.url, {
    client: { connections: 100 },
    listener: { headersTimeout: 1_000, requestTimeout: 1_500, idleTimeout: 1_500 },
  })
  const clients = Array.from({ length: 90 }, (_, at) => {
    const client = new RawClient(proxy.port)
    if (at % 3 === 0) client.send('GET / HTTP/1.1\r\nHost: a\r\nX-')
    else if (at % 3 === 1) client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx')
    else {
      client.socket.pause()
      client.send('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    }
    return client
  })
  await Promise.all(clients.map(({ socket }) => once(socket, 'connect')))
  const start = performance.now()
  const dribble = setInterval(() => {
    for (const [at, client] of clients.entries()) if (at % 3 === 0 && client.socket.writable) client.send('y')
  }, 100)
  let probes = 0
  try {
    const isClosed = async (): Promise<boolean> => {
      const { text } = await sendRequest(`${proxy.url}/probe`)
      assert.equal(text, 'quick')
      probes++
      // The connection of the probe is closed shortly after its response.
      await new Promise((resolve) => setTimeout(resolve, 20))
      return proxy.listener.stats.connections === 0
    }
    await waitUntil('all slow connections were closed', isClosed)
  } finally {
    clearInterval(dribble)
    for (const client of clients) client.socket.destroy()
  }
  t.diagnostic(`${probes} probes in ${Math.round(performance.now() - start)} ms`)
  await waitUntil('the client had no running request', () => proxy.client.stats.every(({ running }) => running === 0))
})
