// TCP resets at every stage of a request, on every kind of connector: no unit and no process may end by one.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { Authority, opensslMissing } from '#test/certificates'
import { RunningGateway, textRoute } from '#test/gateway'
import { FRAME, frame, literal } from '#test/h2-frames'
import { ResetClient, type Transport } from '#test/reset-client'
import { secureHeap } from '#test/secure-connector'
import { waitUntil, within } from '#test/waiting'
import { ACCEPT, HANDSHAKE } from '#test/websocket-proxy'

/** Bytes to send, then the event to wait for before the reset: part of a response, or a request at the application. */
interface Stage {
  readonly name: string
  readonly bytes: string | Uint8Array
  readonly until?: RegExp | 'application'
}

const HOST = 'Host: localhost\r\n'

/** Stages of every HTTP/1.1 connector; the paths need no application. */
function commonStages(path: string, post: string): Stage[] {
  const stages: Stage[] = [
    { name: 'before any byte', bytes: '' },
    { name: 'in the request line', bytes: `GET ${path}` },
    { name: 'in the head', bytes: `GET ${path} HTTP/1.1\r\n${HOST}X-` },
    { name: 'after the head', bytes: `GET ${path} HTTP/1.1\r\n${HOST}\r\n` },
    { name: 'before the body', bytes: `POST ${post} HTTP/1.1\r\n${HOST}Content-Length: 100000\r\n\r\n` },
    { name: 'in the body', bytes: `POST ${post} HTTP/1.1\r\n${HOST}Content-Length: 100000\r\n\r\n{"a` },
    { name: 'in a chunk', bytes: `POST ${post} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nff\r\nabc` },
    { name: 'among pipelined requests', bytes: `GET ${path} HTTP/1.1\r\n${HOST}\r\n`.repeat(50) },
    { name: 'between requests', bytes: `GET ${path} HTTP/1.1\r\n${HOST}\r\n`, until: /^HTTP\/1\.1 / },
    {
      name: 'while a pipelined CONNECT waits',
      bytes: `GET ${path} HTTP/1.1\r\n${HOST}\r\nCONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\nbytes`,
    },
  ]
  const refused: [string, string, RegExp][] = [
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', /^HTTP\/1\.1 405 /],
    ['CONNECT with bytes for a tunnel', `CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n${'x'.repeat(70_000)}`, /405 /],
    ['100-continue', `POST ${post} HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`, /HTTP/],
    ['an unknown expectation', `POST ${post} HTTP/1.1\r\n${HOST}Expect: 1\r\nContent-Length: 9\r\n\r\n`, /417 /],
    ['an upgrade', `GET ${path} HTTP/1.1\r\n${HANDSHAKE}\r\n`, /HTTP/],
    ['an upgrade with early bytes', `GET ${path} HTTP/1.1\r\n${HANDSHAKE}\r\n${'x'.repeat(70_000)}`, /HTTP/],
    [
      'an upgrade to another protocol',
      `GET ${path} HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
      /HTTP/,
    ],
    ['a body behind an upgrade', `POST ${post} HTTP/1.1\r\n${HANDSHAKE}Content-Length: 9\r\n\r\nabc`, /^/],
    ['TRACE', `TRACE ${path} HTTP/1.1\r\n${HOST}\r\n`, /405 /],
    ['an unknown method', `FOO ${path} HTTP/1.1\r\n${HOST}\r\n`, /HTTP/],
    ['bytes that are no HTTP', '\u0016\u0003\u0001\u0002', /HTTP/],
    ['a head over the limit', `GET ${path} HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`, /431 /],
    ['two lengths', `POST ${post} HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, /400 /],
    ['HTTP/1.0', `GET ${path} HTTP/1.0\r\n${HOST}\r\n`, /HTTP/],
  ]
  for (const [name, bytes, until] of refused) {
    stages.push({ name: `right after ${name}`, bytes }, { name: `when ${name} is answered`, bytes, until })
  }
  return stages
}

/** Stages with an application behind the connector. */
const proxied: Stage[] = [
  { name: 'while the application works', bytes: `GET /app/hold HTTP/1.1\r\n${HOST}\r\n`, until: 'application' },
  {
    name: 'in a body on its way to the application',
    bytes: `POST /app/hold HTTP/1.1\r\n${HOST}Content-Length: 100000\r\n\r\nabc`,
    until: 'application',
  },
  { name: 'in the response', bytes: `GET /app/endless HTTP/1.1\r\n${HOST}\r\n`, until: /\r\n\r\n[\s\S]{9}/ },
  {
    name: 'behind a request the application works on',
    bytes: `GET /app/hold HTTP/1.1\r\n${HOST}\r\n${`GET /text HTTP/1.1\r\n${HOST}\r\n`.repeat(50)}`,
    until: 'application',
  },
  {
    name: 'with CONNECT behind a request the application works on',
    bytes: `GET /app/hold HTTP/1.1\r\n${HOST}\r\nCONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n`,
    until: 'application',
  },
  {
    name: 'with an upgrade behind a request the application works on',
    bytes: `GET /app/hold HTTP/1.1\r\n${HOST}\r\nGET /app/chat HTTP/1.1\r\n${HANDSHAKE}\r\nearly`,
    until: 'application',
  },
  { name: 'while an upgrade is under way', bytes: `GET /app/hold HTTP/1.1\r\n${HANDSHAKE}\r\n`, until: 'application' },
  {
    name: 'while an upgrade with early bytes is under way',
    bytes: `GET /app/hold HTTP/1.1\r\n${HANDSHAKE}\r\n${'x'.repeat(70_000)}`,
    until: 'application',
  },
  { name: 'when an upgrade was refused', bytes: `GET /app/no HTTP/1.1\r\n${HANDSHAKE}\r\n`, until: /^HTTP\/1\.1 403 / },
  { name: 'right after an upgrade', bytes: `GET /app/chat HTTP/1.1\r\n${HANDSHAKE}\r\n`, until: 'application' },
  { name: 'on an upgraded connection', bytes: `GET /app/chat HTTP/1.1\r\n${HANDSHAKE}\r\n`, until: /^HTTP\/1\.1 101 / },
  {
    name: 'in a frame of an upgraded connection',
    bytes: `GET /app/chat HTTP/1.1\r\n${HANDSHAKE}\r\n\u0082\u00fe\u00ff`,
    until: /^HTTP\/1\.1 101 /,
  },
]

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
const END_STREAM = 1
const END_HEADERS = 4

function head(method: string, path: string): Buffer {
  return literal({ ':method': method, ':scheme': 'https', ':authority': 'localhost', ':path': path })
}

/** A connection of HTTP/2 up to some frame. */
function h2(...frames: Uint8Array[]): Uint8Array {
  return Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0), ...frames])
}

function h2Stages(path: string, post: string): Stage[] {
  const get = frame(FRAME.headers, END_STREAM | END_HEADERS, 1, head('GET', path))
  const postHead = frame(FRAME.headers, END_HEADERS, 1, head('POST', post))
  const connectHead = frame(FRAME.headers, END_HEADERS, 1, literal({ ':method': 'CONNECT', ':authority': 'a:443' }))
  return [
    { name: 'before the preface', bytes: '' },
    { name: 'in the preface', bytes: PREFACE.subarray(0, 10) },
    { name: 'after the preface', bytes: PREFACE },
    { name: 'after the settings', bytes: h2() },
    { name: 'when the settings are answered', bytes: h2(), until: /[\s\S]/ },
    { name: 'in the headers', bytes: h2(get.subarray(0, 20)) },
    { name: 'before a continuation', bytes: h2(frame(FRAME.headers, END_STREAM, 1, head('GET', path))) },
    { name: 'after the headers', bytes: h2(get) },
    { name: 'before the body', bytes: h2(postHead) },
    { name: 'in the body', bytes: h2(postHead, frame(FRAME.data, 0, 1, Buffer.alloc(1000))) },
    { name: 'after CONNECT', bytes: h2(connectHead) },
    { name: 'after a cancelled request', bytes: h2(postHead, frame(FRAME.reset, 0, 1, Buffer.from([0, 0, 0, 8]))) },
    { name: 'after a broken frame', bytes: h2(frame(FRAME.data, 0, 0)) },
    { name: 'when a broken frame is answered', bytes: h2(frame(FRAME.data, 0, 0)), until: /[\s\S]\x07\0/ },
    { name: 'when the response has begun', bytes: h2(get), until: /\x01[\x04\x05]\0\0\0\x01/ },
  ]
}

const h2Proxied: Stage[] = [
  {
    name: 'while the application works',
    bytes: h2(frame(FRAME.headers, END_STREAM | END_HEADERS, 1, head('GET', '/app/hold'))),
    until: 'application',
  },
  {
    name: 'in a body on its way to the application',
    bytes: h2(
      frame(FRAME.headers, END_HEADERS, 1, head('POST', '/app/hold')),
      frame(FRAME.data, 0, 1, Buffer.alloc(9)),
    ),
    until: 'application',
  },
  {
    name: 'in the response',
    bytes: h2(frame(FRAME.headers, END_STREAM | END_HEADERS, 1, head('GET', '/app/endless'))),
    until: /endless/,
  },
]

/** An application that holds requests, sends endless responses or upgrades, by path. */
function application() {
  let arrived: (() => void) | null = null
  const server = createServer((request, response) => {
    arrived?.()
    if (request.url === '/app/endless') {
      const write = (): void => {
        while (!response.destroyed && response.write('endless '.repeat(1000)));
      }
      response.on('drain', write)
      write()
    }
  })
  server.on('upgrade', (request, socket) => {
    arrived?.()
    socket.on('error', () => {})
    if (request.url === '/app/no') socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
    if (request.url !== '/app/chat') return
    const fields = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${ACCEPT}`
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n\r\n`)
  })
  const arrival = () => new Promise<void>((resolve) => (arrived = resolve))
  return { server, arrival }
}

describe('a client that resets its connection ends nothing but its own request', { skip: opensslMissing }, () => {
  const { server, arrival } = application()
  let authority: Authority
  let gateway: RunningGateway
  let secureAdmin: RunningGateway
  let unit: unknown

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    authority = new Authority()
    const heap = secureHeap(authority.issue({ name: 'localhost' }))
    const { port } = server.address() as { port: number }
    gateway = await RunningGateway.start({
      admin: {
        mode: 'DEVELOPMENT',
        connectors: [
          { port: 0, host: '127.0.0.1' },
          { port: 0, host: '127.0.0.1', tls: 'https' },
        ],
        heap,
      },
      routes: {
        text: textRoute('text', { condition: "${find(request.uri.path, '^/text')}" }),
        app: {
          condition: "${find(request.uri.path, '^/app')}",
          baseURI: `http://127.0.0.1:${port}`,
          handler: {
            type: 'ReverseProxyHandler',
            config: { websocket: { enabled: true }, connections: 1000, soTimeout: '2 seconds' },
          },
        },
      },
    })
    secureAdmin = await RunningGateway.start({
      admin: { mode: 'DEVELOPMENT', adminConnector: { port: 0, tls: 'https' }, heap },
      routes: { text: textRoute('text') },
    })
  })

  // A case that ended a unit must not fail the following ones.
  beforeEach(async () => {
    await gateway.untilReady()
    unit = gateway.gateway.units[0]
  })

  after(async () => {
    await gateway?.[Symbol.asyncDispose]()
    await secureAdmin?.[Symbol.asyncDispose]()
    authority?.[Symbol.dispose]()
    server.closeAllConnections()
    server.close()
  })

  async function resetAt(port: number, transport: Transport, { bytes, until }: Stage): Promise<void> {
    const arrived = until === 'application' ? arrival() : null
    const client = await ResetClient.open(port, transport)
    await client.send(bytes)
    await arrived
    if (until instanceof RegExp) await client.receives(until)
    client.reset()
  }

  /** Traffic and management are still served, by the same unit. */
  async function stillServes(): Promise<void> {
    assert.equal((await gateway.ask('/text')).status, 200)
    assert.equal(gateway.gateway.units[0], unit)
    assert.equal((await gateway.askAdmin('/ping')).status, 200)
  }

  const ADMIN_POST = '/api/system/objects/_router/routes?_action=create'
  const connectors: [string, Transport, () => number, Stage[]][] = [
    ['plain', 'plain', () => gateway.gateway.ports[0]!, [...commonStages('/text', '/app/hold'), ...proxied]],
    ['TLS', 'tls', () => gateway.gateway.ports[1]!, [...commonStages('/text', '/app/hold'), ...proxied]],
    ['HTTP/2', 'h2', () => gateway.gateway.ports[1]!, [...h2Stages('/text', '/app/hold'), ...h2Proxied]],
    ['management', 'plain', () => gateway.gateway.adminPort, commonStages('/ping', ADMIN_POST)],
    ['management over TLS', 'tls', () => secureAdmin.gateway.adminPort, commonStages('/ping', ADMIN_POST)],
    ['management over HTTP/2', 'h2', () => secureAdmin.gateway.adminPort, h2Stages('/ping', ADMIN_POST)],
  ]
  for (const [connector, transport, port, stages] of connectors) {
    for (const stage of stages) {
      test(`${connector}: ${stage.name}`, async () => {
        await resetAt(port(), transport, stage)
        await stillServes()
      })
    }
  }

  for (const [connector, port] of [
    ['TLS', () => gateway.gateway.ports[1]!],
    ['management over TLS', () => secureAdmin.gateway.adminPort],
  ] as const) {
    for (const part of [0, 5, 50, 1000]) {
      test(`${connector}: after ${part} bytes of the handshake`, async () => {
        const client = await ResetClient.connect(port())
        await client.send((await clientHello()).subarray(0, part))
        client.reset()
        await stillServes()
      })
    }
    test(`${connector}: after the server hello`, async () => {
      const client = await ResetClient.connect(port())
      await client.send(await clientHello())
      await client.receives(/[\s\S]/)
      client.reset()
      await stillServes()
    })
  }

  test('none of it ended a unit or left a request active', async () => {
    assert.deepEqual([gateway.gateway.restarts, secureAdmin.gateway.restarts], [0, 0])
    // A connection with many pipelined requests is paused, so that its reset is noticed when the application has timed out.
    await waitUntil('no request was active', async () => {
      await gateway.ask('/text')
      return (await gateway.metric('gw_route_request_active')) === 0
    })
  })
})

/** The client hello of TLS. */
async function clientHello(): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', resolve)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const client = connectTls({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    servername: 'localhost',
  })
  client.on('error', () => {})
  const hello = await within('the server got a ClientHello', promise)
  client.destroy()
  server.close()
  return hello
}
