// The tables of fields of the spec under 'ReverseProxyHandler', row by row, and its rows in 'Errors' and 'Limits'.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { CATALOGUE } from '#catalogue'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import { loadTypes } from '#schema'
import { type BuildOptions, build } from '#test/build'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream, rawUpstream, silentUpstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'

const definitions = await loadTypes(CATALOGUE)
const ReverseProxyHandler = definitions.find(({ name }) => name === 'ReverseProxyHandler')!
const types = definitions.filter((type) => type !== ReverseProxyHandler)

const handler = (config: JsonObject, surroundings: BuildOptions = {}) =>
  build<Handler>(ReverseProxyHandler, config, { types, ...surroundings })

/** An application that delays every response until the test releases it. */
async function patient() {
  const held: ServerResponse[] = []
  const used = new Set<unknown>()
  const upstream = await httpUpstream((request, response) => {
    used.add(request.socket)
    held.push(response)
  })
  return Object.assign(upstream, {
    held,
    /** Connections of the requests. */
    used,
    async holds(count: number) {
      await waitUntil(`${count} requests reached the upstream`, () => held.length >= count)
    },
  })
}

const answering = async () => {
  const used = new Set<unknown>()
  const upstream = await httpUpstream((request, response) => {
    used.add(request.socket)
    response.end('ok')
  })
  return Object.assign(upstream, { used })
}

const fallback = (field: string) => ReverseProxyHandler.config.info.shape.members![field]!.info.defaultValue

const DISALLOWED = [
  ...['port', 'connectTimeout', 'idleTimeout', 'idleTimeoutUnit', 'protocolVersion', 'http2ClearTextUpgrade'],
  ...['verifyHost', 'ssl', 'enabledSecureTransportProtocols', 'enabledCipherSuites', 'keyStoreOptions'],
  ...['keyCertOptions', 'pemKeyCertOptions', 'pfxKeyCertOptions', 'trustOptions', 'trustStoreOptions'],
  ...['pemTrustOptions', 'pfxTrustOptions', 'useAlpn', 'alpnVersions'],
]

describe('vertx', () => {
  for (const option of DISALLOWED) {
    test(`${option} is disallowed`, async () => {
      await assert.rejects(handler({ vertx: { [option]: 1 } }), new RegExp(`/vertx/${option}: .*not allowed`))
    })
  }

  test('read as a map whose values are configuration expressions', async () => {
    const entry = 'X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'
    await using upstream = await rawUpstream((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${entry.repeat(20)}Content-Length: 0\r\n\r\n`),
    )
    const properties = { limit: 1024 }
    await using narrow = await handler({ vertx: { maxHeaderSize: '${limit}' } }, { properties })
    assert.equal((await narrow.object(exchangeFor('GET', upstream.url))).status, 502)
    await using wide = await handler({ vertx: { maxHeaderSize: '${4096}' } })
    assert.equal((await wide.object(exchangeFor('GET', upstream.url))).status, 200)
  })

  test('maxWaitQueueSize: a request beyond it is 503', async () => {
    await using upstream = await patient()
    await using built = await handler({ connections: 1, vertx: { maxWaitQueueSize: 1 } })
    const first = built.object(exchangeFor('GET', upstream.url))
    const second = built.object(exchangeFor('GET', upstream.url))
    assert.equal((await built.object(exchangeFor('GET', upstream.url))).status, 503)
    await upstream.holds(1)
    upstream.held.shift()!.end()
    assert.equal((await first).status, 200)
    await upstream.holds(1)
    upstream.held.shift()!.end()
    assert.equal((await second).status, 200)
  })

  test('options without a counterpart are named in one warning', async () => {
    await using built = await handler({ vertx: { decoderInitialBufferSize: 1, poolCleanerPeriod: 2, maxChunkSize: 3 } })
    assert.equal(built.warnings.filter((warning) => warning.includes('vertx')).length, 1)
    assert.match(built.warnings.join(), /"decoderInitialBufferSize", "poolCleanerPeriod"/)
  })
})

describe('fields', () => {
  test('Connection pool size connections: 64 by default; the maximum of concurrent connections in the pool', async () => {
    assert.equal(fallback('connections'), 64)
    await using upstream = await patient()
    await using built = await handler({ connections: '${3}' })
    const all = Array.from({ length: 9 }, () => built.object(exchangeFor('GET', upstream.url)))
    let answered = 0
    for (; answered < all.length; answered++) {
      await upstream.holds(Math.min(3, all.length - answered))
      assert.ok(upstream.held.length <= 3)
      upstream.held.shift()!.end('ok')
    }
    for (const response of await Promise.all(all)) assert.equal(await textOf(response), 'ok')
    assert.ok(upstream.used.size <= 3)
  })

  test('connectionTimeout: 10 seconds by default; F6: 502 when no connection is established in that time', async () => {
    assert.equal(fallback('connectionTimeout'), '10 seconds')
    // A listener whose backlog is full: further connections are neither accepted nor refused.
    await using full = await fullBacklog()
    await using built = await handler({ connectionTimeout: '400 ms' })
    const began = performance.now()
    const response = await built.object(exchangeFor('GET', full.url))
    const took = performance.now() - began
    assert.equal(response.status, 502)
    assert.ok(took >= 395 && took < 8_000, `took ${took} ms`)
  })

  test('connectionTimeToLive: unlimited by default; an older connection is not reused', async () => {
    assert.equal(fallback('connectionTimeToLive'), 'unlimited')
    await using upstream = await answering()
    await using built = await handler({ connectionTimeToLive: '30 ms' })
    await textOf(await built.object(exchangeFor('GET', upstream.url)))
    await new Promise((resolve) => setTimeout(resolve, 60))
    await textOf(await built.object(exchangeFor('GET', upstream.url)))
    assert.equal(upstream.used.size, 2)
  })

  test('disableReuseConnection: false by default; true disables connection reuse', async () => {
    for (const [config, connections] of [
      [{}, 1],
      [{ disableReuseConnection: true }, 3],
    ] as const) {
      await using upstream = await answering()
      await using built = await handler(config)
      for (let i = 0; i < 3; i++) {
        await textOf(await built.object(exchangeFor('GET', upstream.url)))
        // A connection is free one event-loop turn after its response.
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      assert.equal(upstream.used.size, connections)
    }
  })

  test('numberOfWorkers: accepted, with a warning that names the replacement', async () => {
    await using built = await handler({ numberOfWorkers: 4 })
    assert.match(built.warnings.join(), /numberOfWorkers.*units/)
  })

  test('proxyOptions: the heap object named ProxyOptions by default', async () => {
    await using proxy = await rawUpstream((socket, head) => {
      const line = head.split('\r\n')[0]!
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${line.length}\r\n\r\n${line}`)
    })
    const heap = [{ name: 'ProxyOptions', type: 'CustomProxyOptions', config: { uri: proxy.url } }]
    await using built = await handler({}, { heap })
    const response = await built.object(exchangeFor('GET', 'http://app.invalid/x'))
    assert.equal(await textOf(response), 'GET http://app.invalid/x HTTP/1.1')
    await using direct = await handler({ proxyOptions: { type: 'NoProxyOptions' } }, { heap })
    assert.equal((await direct.object(exchangeFor('GET', 'http://app.invalid/x'))).status, 502)
  })

  test('soTimeout: 10 seconds by default; a stalled connection is destroyed after this time, 504', async () => {
    assert.equal(fallback('soTimeout'), '10 seconds')
    await using upstream = await silentUpstream((socket) => void socket.resume())
    await using built = await handler({ soTimeout: '200 ms' })
    const began = performance.now()
    assert.equal((await built.object(exchangeFor('GET', upstream.url))).status, 504)
    assert.ok(performance.now() - began >= 199)
    await waitUntil('the upstream connections were closed', () => upstream.sockets.size === 0)
  })

  test('soTimeout: reading the body of a stalled response fails; it never counts as complete', async () => {
    await using upstream = await rawUpstream((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'),
    )
    await using built = await handler({ soTimeout: '200 ms', asyncBehavior: 'streaming' })
    const response = await built.object(exchangeFor('GET', upstream.url))
    await assert.rejects(response.body.read(100), { code: 'GW_UPSTREAM_TIMEOUT' })
  })

  test('Non-streaming mode, temporaryStorage: buffers responses; beyond its limit 502', async () => {
    await using upstream = await httpUpstream((request, response) =>
      response.end('x'.repeat(Number(request.url!.slice(1)))),
    )
    const temporaryStorage = {
      type: 'TemporaryStorage',
      config: { initialLength: 100, memoryLimit: 1_000, fileLimit: 5_000 },
    }
    await using built = await handler({ temporaryStorage, asyncBehavior: 'non_streaming' })
    for (const [bytes, status] of [
      [500, 200],
      [4_000, 200],
      [9_000, 502],
    ] as const) {
      const response = await built.object(exchangeFor('GET', `${upstream.url}/${bytes}`))
      assert.equal(response.status, status)
      if (status === 200) assert.equal((await textOf(response)).length, bytes)
    }
  })

  for (const value of ['streaming', 'STREAMING', 'non_streaming', 'Non_Streaming']) {
    test(`asyncBehavior: ${value}`, async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      await using upstream = await httpUpstream(async (_request, response) => {
        response.write('first')
        await promise
        response.end(' last')
      })
      await using built = await handler({ asyncBehavior: value })
      let isThere = false
      const asked = built.object(exchangeFor('GET', upstream.url)).then((response) => {
        isThere = true
        return response
      })
      await waitUntil('the upstream had a connection', () => upstream.sockets.size > 0)
      if (value.toLowerCase() === 'streaming') await asked
      else {
        await new Promise((next) => setTimeout(next, 50))
        assert.equal(isThere, false)
      }
      resolve()
      assert.equal(await textOf(await asked), 'first last')
    })
  }

  test('asyncBehavior: not set, streamingEnabled of admin.json decides', async () => {
    await using upstream = await rawUpstream((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'),
    )
    await using streaming = await handler({}, { settings: { streamingEnabled: true } })
    assert.equal((await streaming.object(exchangeFor('GET', upstream.url))).status, 200)
    await using whole = await handler({}, { settings: { streamingEnabled: false } })
    assert.equal((await whole.object(exchangeFor('GET', upstream.url))).status, 502)
  })
})

describe('Proxied traffic', () => {
  test('any HTTP method: relayed with its payload, and the response returned', async () => {
    await using upstream = await httpUpstream(async (request, response) => {
      const chunks = await request.toArray()
      response.end(`${request.method} ${Buffer.concat(chunks)}`)
    })
    await using built = await handler({})
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const body = method === 'GET' ? '' : 'any'
      const response = await built.object(exchangeFor(method, upstream.url, body === '' ? {} : { body }))
      assert.equal(await textOf(response), `${method} ${body}`)
    }
    const head = await built.object(exchangeFor('HEAD', upstream.url))
    assert.deepEqual([head.status, await textOf(head)], [200, ''])
  })
})

describe('Errors', () => {
  test('ReverseProxyHandler cannot connect to the protected application: 502, not a runtime exception', async () => {
    await using built = await handler({})
    const closed = await silentUpstream()
    await closed[Symbol.asyncDispose]()
    const response = await built.object(exchangeFor('GET', closed.url))
    assert.equal(response.status, 502)
    assert.doesNotMatch(await textOf(response), /127\.0\.0\.1|ECONN/)
    assert.match(JSON.stringify(built.log.entries), new RegExp(new URL(closed.url).port))
  })

  test('ClientHandler propagates the runtime exception', async () => {
    const ClientHandler = definitions.find(({ name }) => name === 'ClientHandler')!
    await using built = await build<Handler>(
      ClientHandler,
      {},
      { types: definitions.filter((t) => t !== ClientHandler) },
    )
    const closed = await silentUpstream()
    await closed[Symbol.asyncDispose]()
    await assert.rejects(built.object(exchangeFor('GET', closed.url)), { code: 'GW_UPSTREAM_CONNECT' })
  })
})

/** A port whose backlog is full, so that the next attempt to connect hangs. */
async function fullBacklog() {
  const { Worker } = await import('node:worker_threads')
  const { connect } = await import('node:net')
  // The thread of the listener is blocked: SYNs beyond its backlog of one get no response.
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
     const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port)
       setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 20)
     })`,
    { eval: true },
  )
  const [port] = (await once(worker, 'message')) as [number]
  await new Promise((resolve) => setTimeout(resolve, 60))
  const fillers = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await new Promise((resolve) => setTimeout(resolve, 60))
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of fillers) socket.destroy()
      await worker.terminate()
    },
  }
}
