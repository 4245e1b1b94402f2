// Several servers behind a route: states that units share, in the management API.
import assert from 'node:assert/strict'
import { Agent, createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import { after, before, describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { RunningGateway } from '#test/gateway'
import { managing } from '#test/management'
import { sendRequest } from '#test/send-request'
import { httpUpstream, type Upstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'

const CHECK = { path: '/health', interval: '100 ms', unhealthyThreshold: 2, healthyThreshold: 2 }

/** An application whose health and status a test sets. */
class Application {
  health = 200
  status = 200
  checks = 0
  readonly agents = new Set<string>()
  requests = 0
  readonly listener: RequestListener = ({ url, headers }, response) => {
    if (url === '/health') {
      this.checks++
      this.agents.add(String(headers['user-agent']))
      response.writeHead(this.health).end()
      return
    }
    this.requests++
    response.writeHead(this.status).end('ok')
  }
}

function route(path: string, service: JsonObject, handler: JsonObject = {}): JsonObject {
  return {
    condition: `\${request.uri.path == '${path}'}`,
    heap: [{ name: 'app', type: 'UpstreamService', config: service }],
    handler: { type: 'ReverseProxyHandler', config: { upstream: 'app', ...handler } },
  }
}

/** A server on a port that it gets again after a restart. */
async function startServer(port: number) {
  let count = 0
  const server = createHttpServer((_, response) => {
    count++
    response.end('ok')
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as { port: number }).port, count: () => count }
}

/** As a server that is killed: its connections are reset, also those with a request. */
async function stopServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

interface ServerRow extends JsonObject {
  readonly url: string
  readonly state: string
  readonly reason: string
}

describe('several servers', () => {
  let gateway: RunningGateway
  let ask: ReturnType<typeof managing>
  const apps = [new Application(), new Application(), new Application()]
  let upstreams: Upstream[]

  before(async () => {
    upstreams = await Promise.all(apps.map(({ listener }) => httpUpstream(listener)))
    gateway = await RunningGateway.start({ units: 2, env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' } })
    ask = managing(gateway.adminUrl)
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    for (const upstream of upstreams) await upstream[Symbol.asyncDispose]()
  })

  const servers = () => upstreams.map(({ url }) => ({ url }))
  const put = async (id: string, content: JsonObject) => {
    const { status, text } = await ask('PUT', `/api/system/objects/_router/routes/${id}`, { body: content })
    assert.ok(status === 200 || status === 201, text)
  }
  const endpoint = (id: string) => `/api/system/objects/_router/routes/${id}/objects/app/upstream`
  const rows = async (id: string) => (await ask('GET', endpoint(id))).json['servers'] as ServerRow[]
  const statesOf = async (id: string) => (await rows(id)).map(({ state }) => state).join(' ')
  const send = async (path: string, times: number) => {
    for (const app of apps) app.requests = 0
    const statuses = new Set<number>()
    for (let i = 0; i < times; i++) statuses.add((await sendRequest(gateway.url + path)).status)
    return { counts: apps.map(({ requests }) => requests), statuses: [...statuses] }
  }
  const wait = (id: string, states: string) =>
    waitUntil(`states ${states}`, async () => (await statesOf(id)) === states)

  test('health is checked once for the gateway, and an unhealthy server gets no requests of any unit', async () => {
    await put('health', route('/health-checked', { servers: servers(), healthCheck: CHECK }))
    await wait('health', 'healthy healthy healthy')
    assert.deepEqual([...apps[0]!.agents], ['identity-gateway-health'])
    apps[1]!.health = 503
    await wait('health', 'healthy unhealthy healthy')
    assert.equal((await rows('health'))[1]!.reason, 'its health check got the status 503')
    const { counts, statuses } = await send('/health-checked', 20)
    assert.deepEqual(statuses, [200])
    assert.equal(counts[1], 0)
    assert.equal(gateway.log.with(/a server is unhealthy/).length, 1)
    apps[1]!.health = 200
    await wait('health', 'healthy healthy healthy')
    assert.ok((await send('/health-checked', 20)).counts[1]! > 0)
  })

  test('a reload that keeps a server keeps its state', async () => {
    const outlierDetection = { consecutiveFailures: 2, baseEjectionTime: '1 hour' }
    await put('reload', route('/reload', { servers: servers(), outlierDetection }))
    apps[0]!.status = 502
    await waitUntil('an ejection', async () => {
      await send('/reload', 3)
      return (await statesOf('reload')) === 'ejected unknown unknown'
    })
    apps[0]!.status = 200
    await put(
      'reload',
      route('/reload', { servers: [...servers(), { url: 'http://127.0.0.1:1', weight: 0 }], outlierDetection }),
    )
    assert.equal(await statesOf('reload'), 'ejected unknown unknown unknown')
    assert.equal((await rows('reload'))[0]!.reason, '2 requests in a row failed')
    assert.equal((await send('/reload', 8)).counts[0], 0)
  })

  test('an administrator drains, ejects and enables servers, in all units', async () => {
    await put('admin', route('/admin', { servers: servers() }))
    const act = (action: string, server: unknown) =>
      ask('POST', `${endpoint('admin')}?_action=${action}`, { body: { server } })
    assert.equal((await act('drain', upstreams[0]!.url)).status, 200)
    assert.equal((await act('eject', upstreams[1]!.url)).status, 200)
    assert.equal(await statesOf('admin'), 'draining ejected unknown')
    assert.equal((await rows('admin'))[0]!.reason, 'drained by an administrator')
    const { counts } = await send('/admin', 12)
    assert.deepEqual(counts, [0, 0, 12])
    await act('eject', upstreams[2]!.url)
    const refused = await sendRequest(`${gateway.url}/admin`)
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5'])
    await act('enable', upstreams[0]!.url)
    assert.deepEqual((await send('/admin', 4)).counts, [4, 0, 0])
    assert.equal((await act('drain', 'http://other')).status, 404)
    assert.equal((await act('drain', 7)).status, 400)
    assert.equal((await ask('GET', endpoint('none'))).status, 404)
  })

  test('two units agree on an ejection', async () => {
    const outlierDetection = { consecutiveFailures: 4, baseEjectionTime: '1 hour' }
    await put('agree', route('/agree', { servers: servers(), outlierDetection }))
    apps[2]!.status = 503
    await waitUntil('an ejection', async () => {
      await send('/agree', 3)
      return (await statesOf('agree')).endsWith('ejected')
    })
    apps[2]!.status = 200
    assert.equal((await send('/agree', 30)).counts[2], 0)
  })

  test('a rolling restart of three servers under load fails no idempotent request', async () => {
    const outlierDetection = { consecutiveFailures: 3, baseEjectionTime: '500 ms' }
    const rolling = await Promise.all([0, 0, 0].map(startServer))
    const list = rolling.map(({ port }) => ({ url: `http://127.0.0.1:${port}` }))
    const service = { servers: list, healthCheck: CHECK, outlierDetection, policy: 'leastRequest' }
    await put('rolling', route('/rolling', service, { retries: { count: 3, delay: '50 ms' } }))
    await wait('rolling', 'healthy healthy healthy')
    let done = 0
    let isOver = false
    const failures: number[] = []
    const agent = new Agent({ keepAlive: true })
    const client = async () => {
      while (!isOver) {
        const { status } = await sendRequest(`${gateway.url}/rolling`, { agent })
        if (status !== 200) failures.push(status)
        done++
      }
    }
    const clients = Array.from({ length: 16 }, client)
    const requests = async (count: number) => {
      const until = done + count
      await waitUntil(`${count} requests`, () => done >= until)
    }
    for (const [at, { port }] of rolling.entries()) {
      await requests(200)
      await stopServer(rolling[at]!.server)
      await requests(200)
      rolling[at] = await startServer(port)
      await wait('rolling', 'healthy healthy healthy')
    }
    await requests(200)
    isOver = true
    await Promise.all(clients)
    agent.destroy()
    for (const { server } of rolling) await stopServer(server)
    assert.deepEqual(failures, [], `${failures.length} of ${done} requests failed`)
    assert.ok(rolling.every(({ count }) => count() > 0))
  })

  test('a TCP check needs a connection alone, and a gRPC check the state SERVING', async () => {
    let state = 1
    const grpc = createServer()
    grpc.on('stream', (stream: ServerHttp2Stream, headers) => {
      assert.equal(headers[':path'], '/grpc.health.v1.Health/Check')
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(Buffer.from([0, 0, 0, 0, 2, 8, state]))
    })
    grpc.listen(0, '127.0.0.1')
    await once(grpc, 'listening')
    const { port } = grpc.address() as { port: number }
    const list = [{ url: upstreams[0]!.url }, { url: `http://127.0.0.1:${port}` }]
    await put('grpc', route('/grpc', { servers: list, healthCheck: { ...CHECK, type: 'grpc' } }))
    await wait('grpc', 'unhealthy healthy')
    state = 2
    await wait('grpc', 'unhealthy unhealthy')
    assert.equal((await rows('grpc'))[1]!.reason, 'its gRPC health is "not serving"')
    await put(
      'tcp',
      route('/tcp', { servers: [...list, { url: 'http://127.0.0.1:1' }], healthCheck: { ...CHECK, type: 'tcp' } }),
    )
    await wait('tcp', 'healthy healthy unhealthy')
    grpc.close()
  })
})
