// The access log of a whole gateway: one line for each request, when it has ended.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import type { LogEntry } from '#logging'
import { Authority, opensslMissing } from '#test/certificates'
import { Folder } from '#test/folder'
import { pathRoute, RunningGateway } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { H2Client } from '#test/h2-client'
import { NamedPipe } from '#test/named-pipe'
import { secureHeap } from '#test/secure-connector'
import { httpUpstream, silentUpstream } from '#test/upstream'
import { once, waitUntil, within } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'
import { message, opened } from '#test/websocket-proxy'

/** The default settings. */
const ON = { accessLog: {} }

/** Waits for the access line of a path. */
function lineOf({ log }: RunningGateway | GatewayProcess, path: string): Promise<LogEntry> {
  return log.until(new RegExp(`"logger":"access".*"path":"${RegExp.escape(path)}"`))
}

const proxyTo = (url: string, path: string, filters: readonly unknown[] = []): JsonObject => ({
  condition: `\${find(request.uri.path, '^${path}')}`,
  handler: {
    type: 'Chain',
    config: { filters: [...filters], handler: 'ReverseProxyHandler' },
  } as JsonObject,
  baseURI: url,
})

const WEB_SOCKETS = { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } }

/** Sends bytes as they are, and waits for the end of the connection. */
async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  socket.write(text, 'latin1')
  await once(socket, 'close')
  return received
}

test('one line for each request, with the fields of the decisions and the transaction id of the response', async () => {
  await using upstream = await httpUpstream((_request, response) => setTimeout(() => response.end('hello'), 50))
  await using gateway = await RunningGateway.start({ admin: ON, routes: { shop: proxyTo(upstream.url, '/shop') } })
  const { headers } = await gateway.ask('/shop/cart?secret=s3cr3t', { headers: { Host: 'shop.example' } })
  const { time, durationMs, upstreamDurationMs, ...line } = await lineOf(gateway, '/shop/cart')
  assert.deepEqual(line, {
    level: 'info',
    logger: 'access',
    method: 'GET',
    host: 'shop.example',
    path: '/shop/cart',
    status: 200,
    bytes: 5,
    upstream: `127.0.0.1:${upstream.port}`,
    route: 'shop',
    decidedBy: null,
    client: '127.0.0.1',
    user: null,
    protocol: 'HTTP/1.1',
    tls: null,
    transactionId: headers['x-vendor-transactionid'],
    traceId: null,
  })
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000)
  assert.ok((upstreamDurationMs as number) >= 45, `${upstreamDurationMs}`)
  assert.ok((durationMs as number) >= (upstreamDurationMs as number))
  assert.equal(
    gateway.log.lines.some((text) => text.includes('s3cr3t')),
    false,
  )
})

test('the object that refused a request and its reason are in the line, by heap name', async () => {
  await using gateway = await RunningGateway.start({
    admin: ON,
    routes: {
      guarded: {
        condition: "${request.uri.path == '/guarded'}",
        heap: [
          { name: 'OnlyMe', type: 'AllowOnlyFilter', config: { rules: [{ from: [{ ip: { list: ['10.0.0.1'] } }] }] } },
        ],
        handler: {
          type: 'Chain',
          config: { filters: ['OnlyMe'], handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
        },
      },
    },
  })
  assert.equal((await gateway.ask('/guarded')).status, 401)
  assert.equal((await gateway.ask('/nowhere')).status, 404)
  const guarded = await lineOf(gateway, '/guarded')
  assert.deepEqual(guarded['decidedBy'], { object: 'OnlyMe', reason: 'no rule allows the request' })
  assert.equal(guarded['route'], 'guarded')
  const nowhere = await lineOf(gateway, '/nowhere')
  assert.deepEqual([nowhere['status'], nowhere['decidedBy']], [404, { object: '_router', reason: 'no route matches' }])
})

test('a failed upstream is in the line with its error code', async () => {
  const gone = await httpUpstream(() => {})
  await gone[Symbol.asyncDispose]()
  await using gateway = await RunningGateway.start({ admin: ON, routes: { gone: proxyTo(gone.url, '/gone') } })
  assert.equal((await gateway.ask('/gone')).status, 502)
  const line = await lineOf(gateway, '/gone')
  assert.deepEqual(line['decidedBy'], { object: 'ReverseProxyHandler', reason: 'GW_UPSTREAM_CONNECT' })
  assert.equal(typeof line['upstreamDurationMs'], 'number')
  assert.deepEqual([line['upstream'], line['upstreamFailure']], [`127.0.0.1:${gone.port}`, 'refused'])
})

test('requests that the listener refuses leave a line, also such that are no HTTP', async () => {
  await using gateway = await RunningGateway.start({ admin: ON })
  const trace = await gateway.ask('/traced?token=s3cr3t', { method: 'TRACE' })
  const traced = await lineOf(gateway, '/traced')
  assert.deepEqual(
    [traced['method'], traced['status'], traced['decidedBy'], traced['transactionId']],
    ['TRACE', 405, { object: 'listener', reason: 'the method TRACE' }, trace.headers['x-vendor-transactionid']],
  )
  const answer = await sendRaw(gateway.port, 'GET / HTTP/1.1\r\nHost : x\r\n\r\n')
  const garbage = await gateway.log.until(/"logger":"access","method":null/)
  assert.equal(garbage['status'], 400)
  assert.equal(traced['bytes'], Buffer.byteLength(trace.text))
  assert.equal(garbage['bytes'], Buffer.byteLength(answer.slice(answer.indexOf('\r\n\r\n') + 4)))
  assert.ok(answer.includes(`X-Vendor-TransactionId: ${garbage['transactionId']}\r\n`), answer)
  await sendRaw(gateway.port, 'GET http://user:pa55word@h/x?y HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
  await waitUntil('the line is written', () => gateway.log.with(/"logger":"access"/).length === 3)
  assert.equal(
    gateway.log.lines.some((line) => /pa55word|s3cr3t/.test(line)),
    false,
  )
})

test('a client that disconnects leaves a line without status, and a truncated response one with it', async () => {
  await using silent = await silentUpstream()
  await using cut = await httpUpstream((_request, response) => {
    response.setHeader('Content-Length', 10)
    response.write('half', () => response.destroy())
  })
  await using gateway = await RunningGateway.start({
    admin: ON,
    routes: { silent: proxyTo(silent.url, '/silent'), cut: proxyTo(cut.url, '/cut') },
  })
  const socket = connect(gateway.port, '127.0.0.1')
  socket.write('GET /silent HTTP/1.1\r\nHost: h\r\n\r\n')
  await waitUntil('the upstream is connected', () => silent.accepted > 0)
  socket.destroy()
  const aborted = await lineOf(gateway, '/silent')
  assert.deepEqual([aborted['status'], aborted['end'], aborted['bytes']], [null, 'aborted', 0])
  await sendRaw(gateway.port, 'GET /cut HTTP/1.1\r\nHost: h\r\n\r\n')
  const truncated = await lineOf(gateway, '/cut')
  assert.deepEqual([truncated['status'], truncated['end'], truncated['bytes']], [200, 'truncated', 4])
})

test('an upgraded connection leaves a line when it closes', async () => {
  await using upstream = await webSocketUpstream()
  await using gateway = await RunningGateway.start({
    admin: ON,
    routes: { socket: { ...proxyTo(upstream.url, '/socket'), handler: WEB_SOCKETS } },
  })
  const socket = await opened(`ws://127.0.0.1:${gateway.port}/socket`)
  const echoed = message(socket)
  socket.send('hello')
  assert.equal(await echoed, 'hello')
  socket.close()
  const line = await lineOf(gateway, '/socket')
  assert.deepEqual([line['status'], line['end']], [101, undefined])
  assert.ok((line['bytes'] as number) >= 7, `${line['bytes']} bytes`)
})

test('HTTP/2 over TLS: protocol and version are in the line', { skip: opensslMissing }, async () => {
  using authority = new Authority()
  const issued = authority.issue({ name: 'localhost', altNames: 'DNS:localhost' })
  await using gateway = await RunningGateway.start({
    admin: { ...ON, heap: secureHeap(issued) },
    connector: { tls: 'https' },
    routes: { hello: pathRoute('/hello', 'hello') },
  })
  await using client = new H2Client(gateway.port)
  const answer = await client.ask('/hello')
  const line = await lineOf(gateway, '/hello')
  assert.deepEqual([line['protocol'], line['tls'], line['bytes']], ['HTTP/2', 'TLSv1.3', 5])
  assert.equal(line['transactionId'], answer.headers['x-vendor-transactionid'])
})

test('B87: line breaks, escape sequences and long values of a client do not break lines', async () => {
  await using gateway = await RunningGateway.start({
    admin: ON,
    routes: { all: { handler: { type: 'StaticResponseHandler', config: { status: 200 } } } },
  })
  const hostile = '/%0d%0aGET%20/fake%1b[31m/\x9b31m"\\'
  await sendRaw(gateway.port, `GET ${hostile} HTTP/1.1\r\nHost: h\r\nUser-Agent: a\x9bb"\r\nConnection: close\r\n\r\n`)
  await sendRaw(gateway.port, `GET /${'x'.repeat(8_000)} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
  await waitUntil('both lines are written', () => gateway.log.with(/"logger":"access"/).length === 2)
  for (const line of gateway.log.lines.filter((text) => text.includes('"access"'))) {
    assert.match(line, /^[\x20-\x7e]*$/)
    assert.ok(line.length < 1_700, `${line.length} characters`)
  }
})

test('credentials in paths are masked', async () => {
  await using gateway = await RunningGateway.start({ admin: ON })
  await gateway.ask('/reset;access_token=s3cr3t/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc')
  const line = await gateway.log.until(/"logger":"access"/)
  assert.doesNotMatch(String(line['path']), /s3cr3t|eyJ/)
})

test('combined format, to a file that is opened again on reload', async () => {
  await using gateway = await RunningGateway.start({
    admin: { accessLog: { format: 'combined', destination: 'logs/access.log' } },
    routes: { hello: pathRoute('/hello', 'hello') },
  })
  const file = join(gateway.instance.directory, 'logs', 'access.log')
  const content = () => readFileSync(file, 'utf8')
  const headers = { 'User-Agent': 'curl/8 "x\\', Referer: 'https://a.example/p?secret=1' }
  await gateway.ask('/hello?a=b', { headers })
  await waitUntil('the line is in the file', () => content().endsWith('\n'))
  const pattern =
    /^127\.0\.0\.1 - - \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/hello HTTP\/1\.1" 200 5 "https:\/\/a\.example\/p" "curl\/8 \\x22x\\x5C"\n$/
  assert.match(content(), pattern)
  renameSync(file, `${file}.1`)
  await gateway.gateway.reload()
  await waitUntil('the new file is written', async () => {
    await gateway.ask('/hello')
    try {
      return content().includes('"GET /hello ')
    } catch {
      return false
    }
  })
  assert.equal(gateway.log.with(/"logger":"access"/).length, 0)
})

test('a template of expressions, for requests that a condition selects', async () => {
  await using gateway = await RunningGateway.start({
    admin: {
      accessLog: {
        format: "${access.status} ${request.method} ${access.path} ${request.headers['X-Note'][0]}",
        destination: 'logs/access.log',
        condition: "${access.status >= 400 && request.uri.path != '/quiet'}",
      },
    },
    routes: { hello: pathRoute('/hello', 'hello') },
  })
  const content = () => readFileSync(join(gateway.instance.directory, 'logs', 'access.log'), 'utf8')
  for (const path of ['/hello', '/quiet', '/missing']) await gateway.ask(path, { headers: { 'X-Note': 'a\x9bb' } })
  await waitUntil('the line is in the file', () => content() !== '')
  assert.equal(content(), '404 GET /missing a\\u009bb\n')
  // The listener refuses it: there is no request.
  await gateway.ask('/traced', { method: 'TRACE' })
  await waitUntil('the second line is in the file', () => content().split('\n').length === 3)
  assert.match(content(), /\n405 {2}\/traced \n$/)
})

test('a template that fails is reported and costs no request', async () => {
  await using gateway = await RunningGateway.start({
    admin: { accessLog: { format: "${integer('x') / 0} ${access.path}" } },
    routes: { hello: pathRoute('/hello', 'hello') },
  })
  assert.equal((await gateway.ask('/hello')).text, 'hello')
  await gateway.log.until(/GW_UNIT_ACCESS_LINE_FAILED/)
})

for (const [accessLog, message] of [
  [{ format: 'jsom' }, /accessLog\/format: expected "json", "combined" or a template/],
  [{ format: '${request.entity.string}' }, /accessLog\/format: .*can not read a body/],
  [{ format: '${1 +}' }, /accessLog\/format: "\$\{1 \+\}" is not a valid expression/],
  [{ condition: 'sometimes' }, /accessLog\/condition: expected true, false or an expression/],
  [{ destination: 'stdot' }, /accessLog\/destination: expected "stdout", "off" or the path of a file, got "stdot"/],
  [
    { destination: '/proc/nowhere/access.log' },
    /accessLog\/destination: \/proc\/nowhere\/access.log can not be written/,
  ],
] as const) {
  test(`accessLog ${JSON.stringify(accessLog)} is an error at the start`, async () => {
    await assert.rejects(RunningGateway.start({ admin: { accessLog } }), { message })
  })
}

test('transactionIdInResponse false: responses have no transaction id', async () => {
  await using gateway = await RunningGateway.start({ admin: { transactionIdInResponse: false } })
  assert.equal((await gateway.ask('/')).headers['x-vendor-transactionid'], undefined)
  assert.doesNotMatch(await sendRaw(gateway.port, 'no HTTP\r\n\r\n'), /transactionid/i)
})

test('the header of the transaction id replaces that of the upstream', async () => {
  await using upstream = await httpUpstream((_request, response) => {
    response.setHeader('X-Request-Id', 'theirs')
    response.end()
  })
  await using gateway = await RunningGateway.start({
    admin: { transactionIdHeader: 'X-Request-Id' },
    routes: { all: proxyTo(upstream.url, '/') },
  })
  const { rawHeaders } = await gateway.ask('/')
  const ids = rawHeaders.filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === 'x-request-id' && at % 2 === 1)
  assert.equal(ids.length, 1)
  assert.match(ids[0] as string, /^[0-9a-f-]{36}$/)
})

test('at debug level each refusal is logged with its object and reason', async () => {
  await using gateway = await RunningGateway.start({ admin: { logging: { level: 'debug' } } })
  await gateway.ask('/nowhere')
  const entry = await gateway.log.until(/"message":"request refused"/)
  assert.deepEqual(
    [entry.level, entry['object'], entry['reason'], entry['status']],
    ['debug', 'gateway+_router', 'no route matches', 404],
  )
})

test('F16: standard output that is not read delays no request, and dropped access lines are counted', {
  timeout: 120_000,
}, async () => {
  await using gateway = await GatewayProcess.start({ admin: ON, routes: { hello: pathRoute('/hello', 'hello') } })
  gateway.pauseReading()
  const path = `/${'x'.repeat(1_000)}`
  const lost = async () =>
    Number(
      /^gw_access_log_lines_lost_total (\d+)/m.exec((await gateway.askAdmin('/metrics/prometheus')).text)?.[1] ?? 0,
    )
  let longest = 0
  await waitUntil('lines are dropped', async () => {
    await Promise.all(Array.from({ length: 200 }, () => gateway.ask(path)))
    const start = performance.now()
    assert.equal((await gateway.ask('/hello')).text, 'hello')
    longest = Math.max(longest, performance.now() - start)
    return (await lost()) > 0
  })
  assert.ok(longest < 2_000, `${longest} ms`)
  gateway.resumeReading()
  await gateway.log.until(/GW_UNIT_ACCESS_LINES_LOST/)
  gateway.kill('SIGTERM')
  assert.equal((await within('the process ends', gateway.exit)).code, 0)
  // Whole lines only.
  assert.ok(gateway.log.entries.length > 100)
})

const fullMissing = !existsSync('/dev/full') && 'there is no /dev/full here'

test('a full disk: the first failed write is in log, health and metrics, and all lost lines are counted at the stop', {
  skip: fullMissing,
}, async () => {
  await using gateway = await GatewayProcess.start({
    admin: { gatewayUnits: 1, accessLog: { destination: '/dev/full' } },
    routes: { hello: pathRoute('/hello', 'hello') },
  })
  for (let n = 0; n < 5; n++) assert.equal((await gateway.ask('/hello')).text, 'hello')
  const failing = await gateway.log.until(/GW_UNIT_ACCESS_LOG_FAILING/)
  assert.equal((failing['error'] as { code?: string }).code, 'ENOSPC')
  await waitUntil('health shows it', async () => {
    const { checks } = JSON.parse((await gateway.askAdmin('/health/ready?verbose')).text) as {
      checks: readonly { readonly name: string; readonly state?: string }[]
    }
    return checks.some(({ name, state }) => name === 'accessLog' && state === 'degraded')
  })
  const { text } = await gateway.askAdmin('/metrics/prometheus')
  assert.match(text, /^gw_access_log_write_failures_total [1-9]/m)
  assert.match(text, /^gw_access_log_lines_lost_total 0$/m)
  gateway.kill('SIGTERM')
  assert.equal((await within('the process ends', gateway.exit)).code, 0)
  assert.deepEqual(
    gateway.log.with(/GW_UNIT_ACCESS_LINES_LOST/).map(({ lines }) => lines),
    [5],
  )
  assert.equal(gateway.log.with(/GW_UNIT_ACCESS_LOG_FAILING/).length, 1)
})

test('a FIFO without a reader does not delay the start: the log names it, and its lines wait for a reader', async () => {
  using pipe = new NamedPipe()
  pipe.closeReader()
  await using gateway = await GatewayProcess.start({
    admin: { gatewayUnits: 1, accessLog: { destination: pipe.path } },
    routes: { hello: pathRoute('/hello', 'hello') },
  })
  const failing = await gateway.log.until(/GW_UNIT_ACCESS_LOG_FAILING/)
  assert.equal(failing['destination'], pipe.path)
  assert.match(JSON.stringify(failing['error']), /the file is a FIFO, and no process reads it/)
  assert.equal((await gateway.ask('/hello')).text, 'hello')
  pipe.openReader()
  await waitUntil('the line is read', () => /"path":"\/hello".*\n$/.test(pipe.read()))
})

test('lines of the last requests are written when the gateway stops', async () => {
  await using gateway = await GatewayProcess.start({ admin: ON, routes: { hello: pathRoute('/hello', 'hello') } })
  await gateway.ask('/hello')
  gateway.kill('SIGTERM')
  await gateway.exit
  assert.equal(gateway.log.with(/"logger":"access"/).length, 1)
})

test('a file is relative to the state directory, where there is one', async () => {
  using state = new Folder()
  await using gateway = await GatewayProcess.start({
    admin: { accessLog: { destination: 'logs/access.log' } },
    env: { GATEWAY_STATE_DIR: state.path },
  })
  await gateway.ask('/nowhere')
  gateway.kill('SIGTERM')
  await gateway.exit
  assert.match(state.read('logs/access.log'), /"path":"\/nowhere"/)
})
