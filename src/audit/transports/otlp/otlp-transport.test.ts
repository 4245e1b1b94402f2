import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { DEFAULT_TLS_PLAN } from '#contracts'
import { RecordRefused, RecordsDiscarded, SendDeferred, type Transport } from '#durable-queue'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { accessEvent, auditRecords } from '#test/audit-events'
import { Authority, opensslMissing } from '#test/certificates'
import { TcpPeer } from '#test/tcp-peer'
import { once } from '#test/waiting'
import { otlpLogRecord } from '../../formats/otlp.ts'
import { type OtlpPlan, openOtlp } from './otlp-transport.ts'

let ahead = 0
const clock = { now: () => systemClock.now() + ahead, monotonic: () => systemClock.monotonic() + ahead }
const env = { logger: createLogger({ destination: memoryLog() }), clock }
const { signal } = new AbortController()

function open(endpoint: string, plan: Partial<OtlpPlan> = {}): Transport & AsyncDisposable {
  const transport = openOtlp(
    {
      endpoint,
      headers: [],
      compression: 'none',
      connectTimeout: 500,
      requestTimeout: 500,
      resourceAttributes: { 'service.name': 'identity-gateway' },
      tls: null,
      ...plan,
    },
    env,
  )
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() })
}

interface Received {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** An HTTP server that answers as a test wants. */
async function receiver(answer: (response: ServerResponse, request: Received, index: number) => void) {
  const requests: Received[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const request = { url: incoming.url ?? '', headers: incoming.headers, body: Buffer.concat(chunks) }
      answer(response, request, requests.push(request) - 1)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const events = (count: number) =>
  auditRecords(count, (index) => otlpLogRecord('common', 'access', accessEvent({ _id: `id-${index}` })))

/** Ids of the log records of a request. */
function idsIn({ body, headers }: Received): string[] {
  const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
  const { resourceLogs } = JSON.parse(text.toString())
  return resourceLogs[0].scopeLogs[0].logRecords.map(
    (record: { attributes: { key: string; value: { stringValue: string } }[] }) =>
      record.attributes.find(({ key }) => key === 'log.record.uid')?.value.stringValue,
  )
}

test('records are exported to /v1/logs of the endpoint with their resource and the configured headers', async () => {
  await using server = await receiver((response) => json(response, 200, {}))
  await using transport = open(`${server.url}/otlp/`, { headers: [['Authorization', 'Bearer secret']] })
  await transport.send(events(3), signal)
  const [request] = server.requests as [Received]
  assert.equal(request.url, '/otlp/v1/logs')
  assert.equal(request.headers['content-type'], 'application/json')
  assert.equal(request.headers.authorization, 'Bearer secret')
  assert.deepEqual(JSON.parse(request.body.toString()).resourceLogs[0].resource, {
    attributes: [{ key: 'service.name', value: { stringValue: 'identity-gateway' } }],
  })
  assert.deepEqual(idsIn(request), ['id-0', 'id-1', 'id-2'])
})

test('requests are compressed where configured, and of bounded size', async () => {
  await using server = await receiver((response) => json(response, 200, {}))
  await using transport = open(server.url, { compression: 'gzip' })
  await transport.send(events(2_500), signal)
  assert.deepEqual(
    server.requests.flatMap(idsIn),
    events(2_500).map(({ id }) => id),
  )
  assert.ok(server.requests.length >= 3)
  assert.equal(server.requests[0]?.headers['content-encoding'], 'gzip')
})

test('a refused request is halved until the record is found that the receiver refuses', async () => {
  await using server = await receiver((response, request) =>
    idsIn(request).includes('id-5') ? json(response, 400, { message: 'bad record' }) : json(response, 200, {}),
  )
  await using transport = open(server.url)
  await assert.rejects(
    transport.send(events(8), signal),
    (error) => error instanceof RecordRefused && error.index === 5 && /bad record/.test(error.message),
  )
  const accepted = server.requests.map(idsIn).filter((ids) => !ids.includes('id-5'))
  assert.deepEqual(accepted.flat(), ['id-0', 'id-1', 'id-2', 'id-3', 'id-4'])
})

test('an error page with status 400 discards no event', async () => {
  await using server = await receiver((response) =>
    response.writeHead(400, { 'content-type': 'text/html' }).end('<h1>plain HTTP request sent to HTTPS port</h1>'),
  )
  await using transport = open(server.url)
  await assert.rejects(transport.send(events(2), signal), (error: Error) => {
    return !(error instanceof RecordRefused) && /answered 400, which is no OTLP response/.test(error.message)
  })
  assert.equal(server.requests.length, 1)
})

test('a web page with status 200 is a failure', async () => {
  await using server = await receiver((response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>'),
  )
  await using transport = open(server.url)
  await assert.rejects(transport.send(events(1), signal), /a web page; check endpoint/)
})

test('an overloaded receiver gets the same records again, after Retry-After', async () => {
  await using server = await receiver((response, _request, index) =>
    index === 0 ? json(response, 429, { message: 'slow down' }, { 'retry-after': '30' }) : json(response, 200, {}),
  )
  await using transport = open(server.url)
  await assert.rejects(transport.send(events(2), signal), /answered 429: slow down/)
  await assert.rejects(transport.send(events(2), signal), (error) => {
    assert.ok(error instanceof SendDeferred)
    assert.ok(error.wait > 0 && error.wait <= 30_000)
    assert.match(error.message, /answered 429: slow down; no request in the next \d+ s/)
    return true
  })
  assert.equal(server.requests.length, 1)
  ahead += 31_000
  await transport.send(events(2), signal)
  assert.deepEqual(idsIn(server.requests[1] as Received), ['id-0', 'id-1'])
})

test('statuses that are not about records are failures, and redirects are not followed', async () => {
  for (const status of [301, 401, 403, 404, 500, 502, 503]) {
    await using server = await receiver((response) => json(response, status, {}, { location: 'http://127.0.0.1:9/' }))
    await using transport = open(server.url)
    await assert.rejects(
      transport.send(events(1), signal),
      (error: Error) => !(error instanceof RecordRefused) && error.message.includes(`answered ${status}`),
    )
  }
})

test('records that the receiver rejects in a partial success are reported as discarded', async () => {
  await using server = await receiver((response) =>
    json(response, 200, { partialSuccess: { rejectedLogRecords: '2', errorMessage: 'attribute too long' } }),
  )
  await using transport = open(server.url)
  await assert.rejects(
    transport.send(events(3), signal),
    (error) => error instanceof RecordsDiscarded && error.count === 2 && /attribute too long/.test(error.message),
  )
  assert.equal(server.requests.length, 1)
})

test('a partial success without rejected records, or without sense, is a success', async () => {
  for (const partialSuccess of [
    {},
    { rejectedLogRecords: 0, errorMessage: 'slow' },
    { rejectedLogRecords: 'many' },
    7,
  ]) {
    await using server = await receiver((response) => json(response, 200, { partialSuccess }))
    await using transport = open(server.url)
    await transport.send(events(1), signal)
  }
})

test('receivers that stay silent, reset, send garbage or endless responses are failures within the time limit', async () => {
  const behaviours = [
    () => {},
    (socket: import('node:net').Socket) => socket.resetAndDestroy(),
    (socket: import('node:net').Socket) => socket.write('\x16\x03garbage\n\n'.repeat(100)),
    (socket: import('node:net').Socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{')
    },
    (socket: import('node:net').Socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n')
      const flood = () => {
        while (socket.writable && socket.write('y'.repeat(65_536)));
      }
      socket.on('drain', flood)
      flood()
    },
  ]
  for (const behaviour of behaviours) {
    await using peer = await TcpPeer.start(behaviour)
    await using transport = open(`http://127.0.0.1:${peer.port}`)
    await assert.rejects(transport.send(events(1), signal), Error, behaviour.toString())
  }
})

test('a response that arrives one byte at a time is read', async () => {
  await using peer = await TcpPeer.start((socket) => {
    const bytes = [...'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}']
    const next = () => {
      const byte = bytes.shift()
      if (byte !== undefined && socket.writable) socket.write(byte, () => setImmediate(next))
    }
    socket.once('data', next)
  })
  await using transport = open(`http://127.0.0.1:${peer.port}`, { requestTimeout: 10_000 })
  await transport.send(events(1), signal)
})

test('an abort ends a call at once', async () => {
  await using peer = await TcpPeer.start()
  await using transport = open(`http://127.0.0.1:${peer.port}`, { requestTimeout: 60_000, connectTimeout: 60_000 })
  const aborting = new AbortController()
  const sending = transport.send(events(1), aborting.signal)
  await peer.until(() => peer.text.length > 0)
  aborting.abort(new Error('shutdown'))
  await assert.rejects(sending, /shutdown/)
})

test('nothing is sent to a server with a certificate of another name', { skip: opensslMissing }, async () => {
  using authority = new Authority()
  const { key, certificate } = authority.issue({ name: 'elsewhere.example.com' })
  await using peer = await TcpPeer.start(undefined, { tls: { key, cert: certificate } })
  const tls = { ...DEFAULT_TLS_PLAN, ca: [authority.certificate] }
  await using transport = open(`https://127.0.0.1:${peer.port}`, { tls })
  await assert.rejects(transport.send(events(1), signal), /does not name "127\.0\.0\.1"/)
  assert.equal(peer.text, '')
})

test('a server that requires a client certificate gets the configured one', { skip: opensslMissing }, async () => {
  using authority = new Authority()
  const server = authority.issue({ name: 'otlp', altNames: 'IP:127.0.0.1' })
  const client = authority.issue({ name: 'gateway' })
  let subject = ''
  await using peer = await TcpPeer.start(
    (socket) => {
      subject = String((socket as import('node:tls').TLSSocket).getPeerX509Certificate()?.subject)
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
    },
    { tls: { key: server.key, cert: server.certificate, requestCert: true, ca: authority.certificate } },
  )
  const tls = { ...DEFAULT_TLS_PLAN, ca: [authority.certificate], key: [client.key], cert: [client.certificate] }
  await using transport = open(`https://127.0.0.1:${peer.port}`, { tls })
  await transport.send(events(1), signal)
  assert.match(subject, /CN=gateway/)
})
