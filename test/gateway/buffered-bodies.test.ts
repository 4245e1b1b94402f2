// Bodies that are buffered before they are forwarded or read, over HTTP/1.1 to and from the gateway. They are larger
// than the memory of the temporary storage, so that a file is written while more arrives.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type GatewayParts, pathRoute, RunningGateway } from '#test/gateway'
import { httpUpstream, rawUpstream, type Upstream } from '#test/upstream'
import { within } from '#test/waiting'

const CONTENT = Buffer.alloc(300_000, 'abcdefgh')
const BEGINNING = CONTENT.subarray(0, 200_000)
const REST = CONTENT.subarray(200_000)

/** Answered only by a unit whose event loop is not blocked. */
const ALIVE = pathRoute('/alive', 'alive')

const FRAMINGS: Readonly<Record<string, { head: string; frame: (bytes: Uint8Array) => Uint8Array; end: string }>> = {
  'Content-Length': { head: `Content-Length: ${CONTENT.length}`, frame: (bytes) => bytes, end: '' },
  chunks: {
    head: 'Transfer-Encoding: chunked',
    frame: (bytes) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]),
    end: '0\r\n\r\n',
  },
}

const WAYS: Readonly<Record<string, Pick<GatewayParts, 'admin'> & { route: Record<string, unknown> }>> = {
  'asyncBehavior non_streaming': {
    route: { handler: { type: 'ReverseProxyHandler', config: { asyncBehavior: 'non_streaming' } } },
  },
  'streamingEnabled false': { admin: { streamingEnabled: false }, route: { handler: 'ReverseProxyHandler' } },
  'an expression on response.entity': {
    route: {
      handler: {
        type: 'Chain',
        config: {
          filters: [
            {
              type: 'HeaderFilter',
              config: { messageType: 'RESPONSE', add: { 'X-Length': ['${response.entity.length}'] } },
            },
          ],
          handler: 'ReverseProxyHandler',
        },
      },
    },
  },
  captureEntity: {
    route: {
      heap: [{ name: 'capture', type: 'CaptureDecorator', config: { captureEntity: true, maxEntityLength: 16 } }],
      capture: 'response',
      handler: 'ReverseProxyHandler',
    },
  },
}

for (const [way, { route, admin = {} }] of Object.entries(WAYS)) {
  describe(`a response of 300 KB buffered by ${way}`, () => {
    let upstream: Upstream
    let gateway: RunningGateway
    let respond: (socket: Socket) => void = () => {}

    before(async () => {
      upstream = await rawUpstream((socket) => respond(socket))
      gateway = await RunningGateway.start({ admin, routes: { a: ALIVE, b: { baseURI: upstream.url, ...route } } })
    })

    after(async () => {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    })

    for (const [framing, { head, frame, end }] of Object.entries(FRAMINGS)) {
      test(`arrives complete, framed by ${framing}, from a socket that is empty for a while`, async () => {
        const begun = Promise.withResolvers<Socket>()
        respond = (socket) => {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${head}\r\n\r\n`)
          socket.write(frame(BEGINNING), () => begun.resolve(socket))
        }
        const answer = gateway.ask('/')
        const socket = await within('the upstream started its response', begun.promise)
        for (let turn = 0; turn < 10; turn++) assert.equal((await gateway.ask('/alive')).text, 'alive')
        socket.write(frame(REST))
        socket.write(end)
        const { status, text } = await answer
        assert.equal(status, 200)
        assert.equal(text, CONTENT.toString())
      })
    }
  })
}

/** A storage of 1,000 bytes, so that a short body exceeds it. */
const SMALL_STORAGE = {
  'config/config.json': {
    handler: { name: '_router', type: 'Router' },
    temporaryStorage: { type: 'TemporaryStorage', config: { initialLength: 64, memoryLimit: 128, fileLimit: 1_000 } },
  },
}

const LONG = 'x'.repeat(5_000)

/** The same body with and without an announced length. */
const SENDINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'announced by Content-Length': { 'Content-Length': String(LONG.length) },
  chunked: { 'Transfer-Encoding': 'chunked' },
}

describe('a body that does not fit the storage', () => {
  let upstream: Upstream
  let gateway: RunningGateway
  let asked = 0

  before(async () => {
    upstream = await httpUpstream((request, response) => {
      asked++
      response.writeHead(200, { 'Content-Type': 'text/plain' })
      request.pipe(response)
    })
    const proxy = { baseURI: upstream.url, handler: 'ReverseProxyHandler' }
    const behind = (filter: Record<string, unknown>) => ({
      baseURI: upstream.url,
      handler: { type: 'Chain', config: { filters: [filter], handler: 'ReverseProxyHandler' } },
    })
    const script = (lines: string[]) => ({
      type: 'ScriptableFilter',
      config: { type: 'application/javascript', source: lines },
    })
    const headed = {
      type: 'HeaderFilter',
      config: { messageType: 'RESPONSE', add: { X: ['${response.entity.string}'] } },
    }
    gateway = await RunningGateway.start({
      files: SMALL_STORAGE,
      routes: {
        'a-deny': {
          condition: "${request.uri.path == '/form' and find(request.entity.string, '^bad')}",
          handler: { type: 'StaticResponseHandler', config: { status: 403 } },
        },
        'b-deny': {
          condition: "${request.method == 'PUT' and request.entity.json.role == 'bad'}",
          handler: { type: 'StaticResponseHandler', config: { status: 403 } },
        },
        'c-capture': {
          ...proxy,
          condition: "${request.uri.path == '/capture'}",
          heap: [{ name: 'capture', type: 'CaptureDecorator', config: { captureEntity: true } }],
          capture: 'all',
        },
        'd-script': {
          ...behind(
            script([
              'try { await request.entity.string() } catch (error) { request.headers.add("X-Error", error.message) }',
              'return next.handle(context, request)',
            ]),
          ),
          condition: "${request.uri.path == '/script'}",
        },
        'd-script-fails': {
          ...behind(script(['await request.entity.string()', 'return next.handle(context, request)'])),
          condition: "${request.uri.path == '/script-fails'}",
        },
        'd-script-response': {
          ...behind(
            script([
              'const response = await next.handle(context, request)',
              'await response.entity.string()',
              'return response',
            ]),
          ),
          condition: "${request.uri.path == '/script-response'}",
        },
        'e-response': { ...behind(headed), condition: "${request.uri.path == '/response'}" },
        'z-all': proxy,
      },
    })
  })

  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  const post = (path: string, headers: Readonly<Record<string, string>>, method = 'POST') =>
    gateway.ask(path, { method, headers: { 'Content-Type': 'text/plain', ...headers }, body: LONG })

  for (const [sending, headers] of Object.entries(SENDINGS)) {
    test(`reaches later routes complete where the conditions do not read it, ${sending}`, async () => {
      const { status, text } = await post('/upload', headers)
      assert.equal(status, 200)
      assert.equal(text, LONG)
    })

    test(`is 413 before anything is sent where a condition reads it, ${sending}`, async () => {
      const before = asked
      assert.equal((await post('/form', headers)).status, 413)
      assert.equal((await post('/upload', headers, 'PUT')).status, 413)
      assert.equal(asked, before)
    })

    test(`is forwarded complete by a capture, which logs that it is too long, ${sending}`, async () => {
      const { status, text } = await post('/capture', headers)
      assert.equal(status, 200)
      assert.equal(text, LONG)
      await gateway.log.until(/"request":.*entity too long to be kept/)
      await gateway.log.until(/"response":.*entity too long to be kept/)
    })

    test(`is forwarded complete by a script that catches the error, ${sending}`, async () => {
      const { status, text } = await post('/script', headers)
      assert.equal(status, 200)
      assert.equal(text, LONG)
    })

    test(`is 502 where it is a response that an expression reads, ${sending}`, async () => {
      assert.equal((await post('/response', headers)).status, 502)
    })

    test(`is 413, or 502 where it is a response, where a script reads it, ${sending}`, async () => {
      assert.equal((await post('/script-fails', headers)).status, 413)
      assert.equal((await post('/script-response', headers)).status, 502)
    })
  }
})
