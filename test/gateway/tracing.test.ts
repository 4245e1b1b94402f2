// Tracing of a whole gateway: spans of OpenTelemetry at a receiver of OTLP, and W3C Trace Context in and out.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { type GatewayParts, RunningGateway } from '#test/gateway'
import { CLIENT, OtlpReceiver, type ReceivedSpan, SERVER } from '#test/otlp-receiver'
import { httpUpstream, rawUpstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'
import { echoMessages, webSocketUpstream } from '#test/websocket'
import { message, opened } from '#test/websocket-proxy'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const PARENT = `00-${TRACE}-${SPAN}-01`
const FAST = { OTEL_BSP_SCHEDULE_DELAY: '10', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' }

const isServer = ({ kind }: ReceivedSpan) => kind === SERVER
const isClient = ({ kind }: ReceivedSpan) => kind === CLIENT

function proxy(url: string): JsonObject {
  return { handler: 'ReverseProxyHandler', baseURI: url }
}

/** An application that responds with the headers that it got. */
function echo() {
  return httpUpstream((request, response) => response.end(JSON.stringify(request.headers)))
}

function traced(receiver: OtlpReceiver, parts: GatewayParts): Promise<RunningGateway> {
  return RunningGateway.start({ ...parts, env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...FAST, ...parts.env } })
}

const sentHeaders = (text: string): IncomingHttpHeaders => JSON.parse(text) as IncomingHttpHeaders

test('a server span and a client span for each request, by the semantic conventions, without query', async () => {
  await using receiver = await OtlpReceiver.start()
  await using upstream = await echo()
  await using gateway = await traced(receiver, {
    routes: { shop: proxy(upstream.url) },
    env: { OTEL_SERVICE_NAME: 'edge', OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' },
  })
  const { text, headers } = await gateway.ask('/cart/7?secret=s3cr3t', {
    headers: { Host: 'shop.example', 'User-Agent': 'test/1' },
  })
  const server = await receiver.span(isServer)
  const client = await receiver.span(isClient)
  assert.deepEqual(server.attributes, {
    'http.request.method': 'GET',
    'url.scheme': 'http',
    'url.path': '/cart/7',
    'server.address': 'shop.example',
    'server.port': 80,
    'network.protocol.version': '1.1',
    'client.address': '127.0.0.1',
    'user_agent.original': 'test/1',
    'http.route': 'shop',
    'http.response.status_code': 200,
    'gateway.transaction_id': headers['x-vendor-transactionid'],
  })
  const { port } = new URL(upstream.url)
  assert.deepEqual(client.attributes, {
    'http.request.method': 'GET',
    'url.full': `${upstream.url}/cart/7`,
    'server.address': '127.0.0.1',
    'server.port': Number(port),
    'http.response.status_code': 200,
    'network.protocol.version': '1.1',
  })
  assert.equal(server.name, 'GET shop')
  assert.equal(client.name, 'GET')
  assert.equal(client.traceId, server.traceId)
  assert.equal(client.parentSpanId, server.spanId)
  assert.equal(server.parentSpanId, undefined)
  assert.equal(sentHeaders(text)['traceparent'], `00-${client.traceId}-${client.spanId}-01`)
  assert.deepEqual(
    [
      server.resource['service.name'],
      server.resource['deployment.environment.name'],
      server.resource['service.version'],
    ],
    ['edge', 'test', '1.2.3'],
  )
  assert.ok(!JSON.stringify(receiver.bodies).includes('s3cr3t'))
})

test('an untrusted client can not join a trace: its traceparent and tracestate are replaced', async () => {
  await using receiver = await OtlpReceiver.start()
  await using upstream = await echo()
  await using gateway = await traced(receiver, { routes: { shop: proxy(upstream.url) } })
  const { text } = await gateway.ask('/', { headers: { traceparent: PARENT, tracestate: 'vendor=1' } })
  const server = await receiver.span(isServer)
  assert.notEqual(server.traceId, TRACE)
  assert.equal(server.parentSpanId, undefined)
  const sent = sentHeaders(text)
  assert.ok(sent['traceparent']?.includes(server.traceId))
  assert.equal(sent['tracestate'], undefined)
})

for (const [who, admin] of [
  ['trustedProxies', { trustedProxies: ['127.0.0.1'] }],
  ['trustTraceContext', { trustTraceContext: true }],
] as const) {
  test(`the trace of a client is joined by ${who}, with its tracestate and its sampling decision`, async () => {
    await using receiver = await OtlpReceiver.start()
    await using upstream = await echo()
    await using gateway = await traced(receiver, { admin, routes: { shop: proxy(upstream.url) } })
    const unsampled = await gateway.ask('/', { headers: { traceparent: `00-${TRACE}-${SPAN}-00`, tracestate: 'a=1' } })
    const sent = sentHeaders(unsampled.text)
    assert.match(String(sent['traceparent']), new RegExp(`^00-${TRACE}-(?!${SPAN})[0-9a-f]{16}-00$`))
    assert.equal(sent['tracestate'], 'a=1')
    const { text } = await gateway.ask('/', { headers: { traceparent: PARENT, tracestate: 'a=1' } })
    const server = await receiver.span(isServer)
    assert.deepEqual([server.traceId, server.parentSpanId, server.traceState], [TRACE, SPAN, 'a=1'])
    assert.match(String(sentHeaders(text)['traceparent']), new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
    assert.equal(receiver.spans.filter(isServer).length, 1)
  })
}

// threats B107
test('hostile trace contexts of a trusted client begin a new trace, and leave with bounds', async () => {
  await using receiver = await OtlpReceiver.start()
  await using upstream = await echo()
  await using gateway = await traced(receiver, {
    admin: { trustTraceContext: true },
    routes: { shop: proxy(upstream.url) },
  })
  const contexts: Record<string, string | string[]>[] = [
    { traceparent: 'garbage' },
    { traceparent: [PARENT, PARENT] },
    { traceparent: `${PARENT}-tail` },
    { traceparent: `00-${'0'.repeat(32)}-${SPAN}-01` },
    { traceparent: 'x'.repeat(5_000), tracestate: 'a=1' },
    { tracestate: 'a=1' },
  ]
  for (const headers of contexts) {
    const sent = sentHeaders((await gateway.ask('/', { headers })).text)
    assert.match(String(sent['traceparent']), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    assert.ok(!String(sent['traceparent']).includes(TRACE), JSON.stringify(headers).slice(0, 60))
    assert.equal(sent['tracestate'], undefined)
  }
  const states = [
    `a=${'x'.repeat(10_000)}`,
    Array.from({ length: 100 }, (_, n) => `k${n}=1`).join(','),
    'a=1,a=2',
    '\xe9=1',
  ]
  for (const tracestate of states) {
    const sent = sentHeaders((await gateway.ask('/', { headers: { traceparent: PARENT, tracestate } })).text)
    assert.ok(sent['traceparent']?.includes(TRACE))
    assert.equal(sent['tracestate'], undefined)
  }
})

test('failed upstreams and statuses of 500 are errors of both spans, refusals are not', async () => {
  await using receiver = await OtlpReceiver.start()
  await using broken = await rawUpstream((socket) => socket.destroy())
  const condition = (path: string) => `\${find(request.uri.path, '^/${path}')}`
  await using gateway = await traced(receiver, {
    routes: {
      broken: { condition: condition('broken'), ...proxy(broken.url) },
      refused: {
        condition: condition('refused'),
        handler: {
          type: 'Chain',
          config: {
            filters: [{ name: 'Never', type: 'ConditionEnforcementFilter', config: { condition: false } }],
            handler: 'ReverseProxyHandler',
          },
        },
      },
    },
  })
  await gateway.ask('/broken')
  const client = await receiver.span(isClient)
  assert.deepEqual([client.attributes['error.type'], client.status?.code], ['GW_UPSTREAM_CLOSED', 2])
  const failed = await receiver.span((span) => isServer(span) && span.name === 'GET broken')
  assert.deepEqual([failed.attributes['error.type'], failed.status?.code], ['502', 2])
  await gateway.ask('/refused')
  const refused = await receiver.span((span) => span.name === 'GET refused')
  assert.deepEqual([refused.attributes['error.type'], refused.status], [undefined, undefined])
  assert.match(String(refused.attributes['gateway.decision.by']), /Never$/)
})

test('a WebSocket leaves a server span at its end, and its handshake carries the trace', async () => {
  await using receiver = await OtlpReceiver.start()
  const seen: (string | undefined)[] = []
  await using upstream = await webSocketUpstream({
    onConnection: (socket, request) => {
      seen.push(request.headers['traceparent'] as string | undefined)
      echoMessages(socket)
    },
  })
  await using gateway = await traced(receiver, {
    routes: {
      chat: {
        handler: { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } },
        baseURI: upstream.url,
      },
    },
  })
  const socket = await opened(gateway.url.replace('http', 'ws'))
  socket.send('hello')
  assert.equal(String(await message(socket)), 'hello')
  const client = await receiver.span(isClient)
  assert.equal(client.attributes['http.response.status_code'], 101)
  assert.equal(seen[0], `00-${client.traceId}-${client.spanId}-01`)
  socket.close()
  const server = await receiver.span(isServer)
  assert.equal(server.spanId, client.parentSpanId)
})

test('log entries, access line and access event of a request have the id of its trace', async () => {
  await using receiver = await OtlpReceiver.start()
  await using broken = await rawUpstream((socket) => socket.destroy())
  await using gateway = await traced(receiver, {
    admin: { accessLog: {} },
    routes: {
      broken: {
        heap: [
          {
            name: 'AuditService',
            type: 'AuditService',
            config: {
              eventHandlers: [
                {
                  class: 'JsonAuditEventHandler',
                  config: { name: 'file', topics: ['access'], logDirectory: 'logs/trail' },
                },
              ],
            },
          },
        ],
        ...proxy(broken.url),
        capture: 'request',
      },
    },
  })
  await gateway.ask('/', { headers: { traceparent: PARENT } })
  const { traceId } = await receiver.span(isServer)
  assert.notEqual(traceId, TRACE)
  const lines = [/GW_CLIENT_UPSTREAM_FAILED/, /captured request/, /"logger":"access"/]
  for (const line of lines) assert.equal((await gateway.log.until(line))['traceId'], traceId, String(line))
  const trail = join(gateway.instance.directory, 'logs/trail/access.audit.json')
  await waitUntil(
    'the access event was written',
    () => existsSync(trail) && readFileSync(trail, 'utf8').endsWith('}\n'),
  )
  assert.equal((JSON.parse(readFileSync(trail, 'utf8')) as JsonObject)['traceId'], traceId)
})

test('durations of sampled requests are exemplars in OpenMetrics', async () => {
  await using receiver = await OtlpReceiver.start()
  await using upstream = await echo()
  await using gateway = await traced(receiver, { routes: { shop: proxy(upstream.url) } })
  await gateway.ask('/')
  const { traceId, spanId } = await receiver.span(isServer)
  const { text, headers } = await gateway.askAdmin('/metrics/prometheus', {
    headers: { Accept: 'application/openmetrics-text; version=1.0.0' },
  })
  assert.match(String(headers['content-type']), /^application\/openmetrics-text/)
  const labels = 'http_request_method="GET",http_response_status_code="200",http_route="shop",url_scheme="http"'
  assert.ok(text.includes(`http_server_request_duration_seconds_count{${labels}} 1\n`), text)
  assert.ok(text.includes(` # {trace_id="${traceId}",span_id="${spanId}"} `))
  assert.ok(!(await gateway.askAdmin('/metrics/prometheus/0.0.4')).text.includes(traceId))
})

test('metrics and log entries of all threads are exported by OTLP', async () => {
  await using receiver = await OtlpReceiver.start()
  await using broken = await rawUpstream((socket) => socket.destroy())
  await using gateway = await RunningGateway.start({
    routes: { broken: proxy(broken.url) },
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '10',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    },
  })
  await gateway.ask('/')
  const { traceId } = await receiver.span(isServer)
  const bodiesOf = (path: string) =>
    receiver.bodies.filter((each) => each.path === path).map(({ body }) => JSON.stringify(body))
  const arrived = (path: string, text: string) =>
    waitUntil(`${text} arrived`, () => bodiesOf(path).some((body) => body.includes(text)))
  await arrived('/v1/metrics', '"http.server.request.duration"')
  await arrived('/v1/metrics', '"gw_units_ready"')
  await arrived('/v1/logs', 'GW_CLIENT_UPSTREAM_FAILED')
  const [body = ''] = bodiesOf('/v1/logs').filter((each) => each.includes('GW_CLIENT_UPSTREAM_FAILED'))
  assert.ok(body.includes(`"traceId":"${traceId}"`), body)
  assert.deepEqual(receiver.faults, [])
})

test('without tracing, log entries have the trace of the client', async () => {
  await using broken = await rawUpstream((socket) => socket.destroy())
  await using gateway = await RunningGateway.reuse({ routes: { broken: proxy(broken.url) } })
  await gateway.ask('/', { headers: { traceparent: PARENT } })
  const { traceId, transactionId } = await gateway.log.until(/GW_CLIENT_UPSTREAM_FAILED/)
  assert.equal(traceId, TRACE)
  assert.equal(typeof transactionId, 'string')
})

test('without an endpoint nothing is traced, and trace contexts of clients pass unchanged', async () => {
  await using upstream = await echo()
  await using gateway = await RunningGateway.reuse({ routes: { shop: proxy(upstream.url) } })
  const { text } = await gateway.ask('/', { headers: { traceparent: PARENT, tracestate: 'a=1' } })
  assert.deepEqual([sentHeaders(text)['traceparent'], sentHeaders(text)['tracestate']], [PARENT, 'a=1'])
  assert.equal(sentHeaders((await gateway.ask('/')).text)['traceparent'], undefined)
})

test('a ratio of 0 propagates a trace that is not sampled, and exports nothing', async () => {
  await using receiver = await OtlpReceiver.start()
  await using upstream = await echo()
  await using gateway = await traced(receiver, {
    routes: { shop: proxy(upstream.url) },
    env: { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
  })
  const { text } = await gateway.ask('/')
  assert.match(String(sentHeaders(text)['traceparent']), /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  await gateway.gateway.drain()
  assert.deepEqual(receiver.spans, [])
})

test('an unsupported value of a variable is one warning, and traffic is served', async () => {
  await using upstream = await echo()
  await using gateway = await RunningGateway.start({
    routes: { shop: proxy(upstream.url) },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  })
  assert.equal((await gateway.ask('/')).status, 200)
  const warnings = gateway.log.entries.filter(({ code }) => code === 'GW_TELEMETRY_SETTING_IGNORED')
  assert.deepEqual(
    warnings.map((entry) => entry.message),
    ['OTEL_EXPORTER_OTLP_PROTOCOL: expected http/json or http/protobuf, got "grpc"; nothing is exported'],
  )
})

test('a collector that refuses connections is logged once, spans beyond the queue are counted, traffic continues', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as { port: number }
  await new Promise((resolve) => closed.close(resolve))
  await using upstream = await echo()
  await using gateway = await RunningGateway.start({
    routes: { shop: proxy(upstream.url) },
    env: {
      ...FAST,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_MAX_QUEUE_SIZE: '10',
    },
  })
  await waitUntil('spans were dropped', async () => {
    await gateway.ask('/')
    return (await dropped(gateway)) > 5
  })
  assert.equal((await gateway.ask('/')).status, 200)
  const failures = gateway.log.entries.filter(({ code }) => code === 'GW_TELEMETRY_DELIVERY_FAILED')
  assert.equal(failures.length, 1)
  const { text } = await gateway.askAdmin('/health/ready?verbose')
  assert.match(text, /"telemetry.traces".*"degraded"/s)
})

test('a collector that stalls, resets, answers 503 with Retry-After and 413 gets the spans that it accepts later', async () => {
  await using receiver = await OtlpReceiver.start()
  await using upstream = await echo()
  const answers = ['stall', 'reset', 'busy', 'large'] as const
  let at = 0
  receiver.intercept = (request, response) => {
    const answer = answers[at++]
    if (answer === undefined) return false
    if (answer === 'reset') request.socket.resetAndDestroy()
    if (answer === 'busy') response.writeHead(503, { 'Retry-After': '0' }).end()
    if (answer === 'large') response.writeHead(413, { 'Content-Type': 'text/plain' }).end('too large')
    return true
  }
  await using gateway = await traced(receiver, {
    routes: { shop: proxy(upstream.url) },
    env: { OTEL_EXPORTER_OTLP_TIMEOUT: '200' },
  })
  for (let n = 0; n < 20; n++) assert.equal((await gateway.ask('/')).status, 200)
  await waitUntil('all spans arrived', () => receiver.spans.length === 40)
  assert.ok(at > answers.length)
  assert.deepEqual(receiver.faults, [])
})

test('spans that wait are exported when the gateway stops', async () => {
  await using receiver = await OtlpReceiver.start()
  await using upstream = await echo()
  await using gateway = await traced(receiver, {
    routes: { shop: proxy(upstream.url) },
    env: { OTEL_BSP_SCHEDULE_DELAY: '600000', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' },
  })
  await gateway.ask('/')
  await gateway.gateway.drain()
  assert.equal(receiver.spans.length, 2)
})

async function dropped(gateway: RunningGateway): Promise<number> {
  const samples = await gateway.gateway.collect()
  return samples
    .filter(({ name }) => name === 'gw_telemetry_dropped_total')
    .reduce((sum, { value }) => sum + Number(value ?? 0), 0)
}
