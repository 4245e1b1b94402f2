// Bodies that are kept before they are passed on or looked into, over HTTP/1.1 to and from the gateway. They are larger
// than the memory of the temporary storage, so that a file is written while more arrives.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type GatewayParts, pathRoute, RunningGateway } from '#test/gateway'
import { rawUpstream, type Upstream } from '#test/upstream'

const CONTENT = Buffer.alloc(300_000, 'abcdefgh')
const BEGINNING = CONTENT.subarray(0, 200_000)
const REST = CONTENT.subarray(200_000)

/** Answered only by a unit whose event loop turns. */
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
  describe(`a response of 300 KB kept by ${way}`, () => {
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
      test(`arrives whole, framed by ${framing}, from a socket that is empty for a while`, {
        timeout: 20_000,
      }, async () => {
        const begun = Promise.withResolvers<Socket>()
        respond = (socket) => {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${head}\r\n\r\n`)
          socket.write(frame(BEGINNING), () => begun.resolve(socket))
        }
        const answer = gateway.ask('/')
        const socket = await begun.promise
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
