// gRPC through a whole gateway, with the client and the server of @grpc/grpc-js, with and without TLS on each side.
import assert from 'node:assert/strict'
import type { EventEmitter } from 'node:events'
import { constants } from 'node:http2'
import { addAbortSignal } from 'node:stream'
import { after, before, test } from 'node:test'
import { credentials, Metadata, ServerCredentials, type ServiceError, type StatusObject, status } from '@grpc/grpc-js'
import { Authority, type Issued, opensslMissing } from '#test/certificates'
import { RunningGateway } from '#test/gateway'
import { EchoServer, echoClient } from '#test/grpc-echo'
import { answerOf, H2Client } from '#test/h2-client'
import { clearHttp2Upstream, type Http2Upstream } from '#test/http2-upstream'
import { secureHeap } from '#test/secure-connector'
import { once, waitUntil, within } from '#test/waiting'

const options = { skip: opensslMissing, timeout: 60_000 }
const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'localhost' }) as Issued

let clear: EchoServer
let secure: EchoServer
let resetting: Http2Upstream
let running: RunningGateway

before(async () => {
  if (authority === null) return
  clear = await EchoServer.start(ServerCredentials.createInsecure())
  const pair = { private_key: Buffer.from(issued.key), cert_chain: Buffer.from(issued.certificate) }
  secure = await EchoServer.start(ServerCredentials.createSsl(null, [pair]))
  resetting = await clearHttp2Upstream((request, { stream }) => {
    const { 'x-code': code, 'x-when': when } = request.headers
    stream.on('error', () => {})
    if (when === 'before') {
      stream.close(Number(code))
      return
    }
    stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' })
    // One message of two bytes.
    stream.write(Buffer.from([0, 0, 0, 0, 2, 104, 105]), () => {
      // Not close(), which ends the body first. Node sends CANCEL for an abort, INTERNAL_ERROR for any other error.
      if (Number(code) === constants.NGHTTP2_CANCEL) addAbortSignal(AbortSignal.abort(), stream)
      else stream.destroy(new Error('reset'))
    })
  })
  const route = (condition: string, baseURI: string, config: object) => ({
    condition: `\${request.headers['x-to'][0] == '${condition}'}`,
    baseURI,
    handler: { type: 'ReverseProxyHandler', config: { protocolVersion: 'HTTP/2', ...config } },
  })
  const anyone = { trustManager: { type: 'TrustAllManager' }, hostnameVerifier: 'ALLOW_ALL' }
  const tls = { type: 'ClientTlsOptions', config: anyone }
  const refusing = { type: 'StaticResponseHandler', config: { status: 401 } }
  running = await RunningGateway.start({
    admin: {
      connectors: [
        { port: 0, host: '127.0.0.1' },
        { port: 0, host: '127.0.0.1', tls: 'https' },
      ],
      adminConnector: { port: 0 },
      gatewayUnits: 1,
      heap: secureHeap(issued),
    },
    routes: {
      clear: route('clear', `http://127.0.0.1:${clear.port}`, { http2PriorKnowledge: true }),
      secure: route('secure', `https://127.0.0.1:${secure.port}`, { tls }),
      resetting: route('resetting', resetting.url.replace('localhost', '127.0.0.1'), { http2PriorKnowledge: true }),
      refused: { condition: "${request.headers['x-to'][0] == 'refused'}", handler: refusing },
    },
  })
})

after(async () => {
  if (authority === null) return
  await running[Symbol.asyncDispose]()
  await clear[Symbol.asyncDispose]()
  await secure[Symbol.asyncDispose]()
  await resetting[Symbol.asyncDispose]()
  authority[Symbol.dispose]()
})

type Side = 'clear' | 'secure'

const clientOf = (side: Side) => {
  const [plain, tls] = running.gateway.ports
  return side === 'clear'
    ? echoClient(`127.0.0.1:${plain}`, credentials.createInsecure(), 'localhost')
    : echoClient(`127.0.0.1:${tls}`, credentials.createSsl(Buffer.from(authority!.certificate)), 'localhost')
}

const serverOf = (side: Side) => (side === 'clear' ? clear : secure)

function to(side: Side | 'refused' | 'resetting', behaviour = ''): Metadata {
  const metadata = new Metadata()
  metadata.set('x-to', side)
  if (behaviour !== '') metadata.set('x-behaviour', behaviour)
  return metadata
}

interface Outcome {
  readonly error: ServiceError | null
  readonly message: Buffer
  readonly head: Metadata | null
  readonly status: StatusObject
}

/** The result of a call with one response message, and its status. */
function outcomeOf(
  start: (reply: (error: ServiceError | null, message: Buffer) => void) => EventEmitter,
): Promise<Outcome> {
  const ended = new Promise<Outcome>((resolve) => {
    let head: Metadata | null = null
    let last: StatusObject | null = null
    let reply: { error: ServiceError | null; message: Buffer } | null = null
    const settle = () => {
      if (last !== null && reply !== null) resolve({ ...reply, head, status: last })
    }
    const call = start((error, message) => {
      reply = { error, message }
      settle()
    })
    call.on('metadata', (value: Metadata) => {
      head = value
    })
    call.on('status', (value: StatusObject) => {
      last = value
      settle()
    })
  })
  return within('the end of the call', ended)
}

/** The messages and the status of a call with a stream of responses. */
function received(call: EventEmitter): Promise<{ messages: Buffer[]; status: StatusObject }> {
  const messages: Buffer[] = []
  const ended = new Promise<{ messages: Buffer[]; status: StatusObject }>((resolve) => {
    call.on('data', (message: Buffer) => messages.push(message))
    call.on('error', () => {})
    call.on('status', (value: StatusObject) => resolve({ messages, status: value }))
  })
  return within('the end of the call', ended)
}

function assertTrailers({ metadata }: StatusObject): void {
  assert.deepEqual(metadata.get('x-trailer'), ['last'])
  assert.deepEqual(metadata.get('x-detail-bin'), [Buffer.from([0, 1, 255])])
}

const SIDES: readonly (readonly [Side, Side])[] = [
  ['clear', 'clear'],
  ['secure', 'secure'],
  ['clear', 'secure'],
  ['secure', 'clear'],
]

for (const [from, side] of SIDES) {
  const where = `${from} client, ${side} server`

  test(`unary calls: message, metadata and trailers (${where})`, options, async () => {
    using client = clientOf(from)
    const metadata = to(side)
    metadata.set('x-data-bin', Buffer.from([254, 0, 1]))
    const {
      error,
      message,
      head,
      status: last,
    } = await outcomeOf((reply) => client.unary(Buffer.from('hello'), metadata, reply))
    assert.equal(error, null)
    assert.equal(message.toString(), 'hello')
    assert.deepEqual(head?.get('x-head'), ['first'])
    assert.equal(last.code, status.OK)
    assertTrailers(last)
    assert.deepEqual(serverOf(side).calls.at(-1)?.get('x-data-bin'), [Buffer.from([254, 0, 1])])
  })

  test(`an error without a message is passed on with its details and metadata (${where})`, options, async () => {
    using client = clientOf(from)
    const { error, status: last } = await outcomeOf((reply) => client.unary(Buffer.from('x'), to(side, 'error'), reply))
    assert.equal(error?.code, status.FAILED_PRECONDITION)
    assert.equal(last.details, 'näh: 100 %')
    assertTrailers(last)
  })

  test(`a client stream: all messages, then one response (${where})`, options, async () => {
    using client = clientOf(from)
    const { message, status: last } = await outcomeOf((reply) => {
      const call = client.upload(to(side), reply)
      for (let i = 0; i < 100; i++) call.write(Buffer.alloc(1000))
      call.end()
      return call
    })
    assert.equal(message.toString(), '100 100000')
    assertTrailers(last)
  })

  test(`a response before the end of a client stream ends the call (${where})`, options, async () => {
    using client = clientOf(from)
    const { error, status: last } = await outcomeOf((reply) => {
      const call = client.upload(to(side), reply)
      call.write(Buffer.from('stop'))
      return call
    })
    assert.equal(error?.code, status.FAILED_PRECONDITION)
    assertTrailers(last)
  })

  test(`a server stream: messages in order, then trailers (${where})`, options, async () => {
    using client = clientOf(from)
    const { messages, status: last } = await received(client.download(Buffer.from('500 1000'), to(side)))
    assert.equal(messages.length, 500)
    for (const [at, message] of messages.entries()) assert.equal(message[999], (at + 1) % 256)
    assert.equal(last.code, status.OK)
    assertTrailers(last)
  })

  test(`an error after messages of a server stream (${where})`, options, async () => {
    using client = clientOf(from)
    const { messages, status: last } = await received(client.download(Buffer.from('3 10'), to(side, 'error')))
    assert.equal(messages.length, 3)
    assert.equal(last.code, status.FAILED_PRECONDITION)
    assert.equal(last.details, 'näh: 100 %')
    assertTrailers(last)
  })

  test(
    `streams in both directions are not buffered: each message is answered before the next (${where})`,
    options,
    async () => {
      using client = clientOf(from)
      const call = client.chat(to(side))
      const ended = new Promise<StatusObject>((resolve) => call.on('status', resolve))
      for (let i = 0; i < 20; i++) {
        call.write(Buffer.from(`message ${i}`))
        const [message] = (await once(call, 'data')) as [Buffer]
        assert.equal(message.toString(), `message ${i}`)
      }
      // The client ends its side; the server still sends.
      call.end()
      const last = await within('the end of the call', ended)
      assert.equal(last.code, status.OK)
      assertTrailers(last)
    },
  )

  test(`a cancelled call is cancelled at the server (${where})`, options, async () => {
    using client = clientOf(from)
    const server = serverOf(side)
    const before = server.cancelled.length
    const call = client.download(Buffer.from('1 10'), to(side, 'hang'))
    const ended = received(call)
    await once(call, 'data')
    call.cancel()
    assert.equal((await ended).status.code, status.CANCELLED)
    await waitUntil('the server knows of the cancellation', () => server.cancelled.length === before + 1)
    // Before the first byte of a response.
    const calls = server.calls.length
    const silent = client.unary(Buffer.from('x'), to(side, 'hang'), () => {})
    await waitUntil('the server got the call', () => server.calls.length === calls + 1)
    silent.cancel()
    await waitUntil('the server knows of the cancellation', () => server.cancelled.length === before + 2)
  })

  test(`the deadline of a call reaches the server, and ends the call on both sides (${where})`, options, async () => {
    using client = clientOf(from)
    const server = serverOf(side)
    const before = server.cancelled.length
    const deadline = Date.now() + 300
    const { error } = await outcomeOf((reply) => client.unary(Buffer.from('x'), to(side, 'hang'), { deadline }, reply))
    assert.equal(error?.code, status.DEADLINE_EXCEEDED)
    await waitUntil('the server knows of the end', () => server.cancelled.length === before + 1)
    assert.ok(Number(server.cancelled.at(-1)?.getDeadline()) <= deadline + 50)
  })

  test(`messages of 5 MB in both directions (${where})`, options, async () => {
    using client = clientOf(from)
    const large = Buffer.alloc(5_000_000, 'x')
    const { error, message } = await outcomeOf((reply) => client.unary(large, to(side), reply))
    assert.equal(error, null)
    assert.ok(message.equals(large))
  })

  test(`a client that does not read pauses the server, and gets all when it reads (${where})`, options, async () => {
    // The client of grpc-js reads ahead; that of Node stops at the window of the stream.
    const [plain = 0, tls = 0] = running.gateway.ports
    await using client = from === 'clear' ? new H2Client(plain, {}, 'http') : new H2Client(tls)
    const { written } = serverOf(side)
    const before = written.messages
    const request = Buffer.from('\0\0\0\0\x09500 10000', 'latin1')
    const headers = { 'x-to': side, te: 'trailers', 'content-type': 'application/grpc' }
    const stream = client.open('/test.Echo/Download', { method: 'POST', headers, body: request }).pause()
    const ended = answerOf(stream)
    await once(stream, 'response')
    let [last, unchanged] = [0, 0]
    await waitUntil('the server sends no more', () => {
      unchanged = written.messages === last ? unchanged + 1 : 0
      last = written.messages
      return unchanged > 20
    })
    assert.ok(last - before < 250, `${last - before} of 500 messages were sent to a client that reads nothing`)
    stream.resume()
    const { text, trailers } = await ended
    assert.equal(Buffer.byteLength(text, 'utf8') > 500 * 10_000, true)
    assert.equal(trailers['grpc-status'], '0')
    assert.equal(written.messages - before, 500)
  })

  test(`a hundred calls at once on one connection (${where})`, options, async () => {
    using client = clientOf(from)
    const all = Array.from({ length: 100 }, (_, at) =>
      outcomeOf((reply) => client.unary(Buffer.from(String(at)), to(side), reply)),
    )
    for (const [at, { message }] of (await Promise.all(all)).entries()) assert.equal(message.toString(), String(at))
  })
}

test('a response of the gateway itself has the status that gRPC assigns to its HTTP status', options, async () => {
  for (const from of ['clear', 'secure'] as const) {
    using client = clientOf(from)
    const { error } = await outcomeOf((reply) => client.unary(Buffer.from('x'), to('refused'), reply))
    assert.equal(error?.code, status.UNAUTHENTICATED)
  }
})

test('a stream that the server resets is reset towards the client, with CANCEL as CANCEL', options, async () => {
  const codes = [
    ['after', constants.NGHTTP2_CANCEL, status.CANCELLED],
    ['after', constants.NGHTTP2_INTERNAL_ERROR, status.INTERNAL],
    // RFC 9113 section 8.7 and gRPC: not processed, or an HTTP status before any byte of the response.
    ['before', constants.NGHTTP2_REFUSED_STREAM, status.UNAVAILABLE],
    ['before', constants.NGHTTP2_CANCEL, status.UNAVAILABLE],
  ] as const
  for (const from of ['clear', 'secure'] as const) {
    using client = clientOf(from)
    for (const [when, code, expected] of codes) {
      const metadata = to('resetting')
      metadata.set('x-when', when)
      metadata.set('x-code', String(code))
      const { messages, status: last } = await received(client.download(Buffer.from('x'), metadata))
      assert.equal(last.code, expected, `${when} ${code}: ${last.details}`)
      assert.equal(messages.length, when === 'after' ? 1 : 0)
    }
  }
})
