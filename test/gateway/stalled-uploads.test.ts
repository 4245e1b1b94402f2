// Request bodies that stop, and bodies that take long: decisions, `soTimeout`.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Authority, opensslMissing } from '#test/certificates'
import { RunningGateway } from '#test/gateway'
import { answerOf, H2Client } from '#test/h2-client'
import { RawClient } from '#test/listening'
import { secureHeap } from '#test/secure-connector'
import { httpUpstream, type Upstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'

const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

/** An application that returns the number of received bytes. */
function counting(): Promise<Upstream> {
  return httpUpstream((request, response) => {
    let bytes = 0
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => response.end(String(bytes)))
  })
}

function start(upstream: Upstream, connector: object): Promise<RunningGateway> {
  const heap = authority === null ? [] : secureHeap(authority.issue({ name: 'localhost' }))
  return RunningGateway.start({
    admin: {
      connectors: [
        { port: 0, host: '127.0.0.1', ...connector },
        ...(authority === null ? [] : [{ port: 0, host: '127.0.0.1', tls: 'https', ...connector }]),
      ],
      heap,
    },
    routes: { all: { baseURI: upstream.url, handler: { type: 'ReverseProxyHandler', config: { connections: 4 } } } },
  })
}

/** Waits until the application has so many connections open. */
async function untilConnected(upstream: Upstream, count: number): Promise<void> {
  await waitUntil(`the upstream had ${count} connections`, () => upstream.sockets.size === count)
}

const HALF = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf'

describe('four uploads that stop, over a pool of four connections', () => {
  test('HTTP/1.1: 408 after idleTimeout, upstream requests aborted, the route free for others', async () => {
    await using upstream = await counting()
    await using gateway = await start(upstream, { idleTimeout: '1 second' })
    const stalled = Array.from({ length: 4 }, () => new RawClient(gateway.port).send(HALF))
    await untilConnected(upstream, 4)
    const begun = performance.now()
    const other = gateway.ask('/', { method: 'POST', body: 'whole' })

    assert.equal((await other).text, '5')
    assert.ok(performance.now() - begun < 5_000)
    await Promise.all(stalled.map(({ closed }) => closed))
    for (const { text } of stalled) assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*Connection: close/)
    assert.equal(await gateway.metric('gw_route_request_active'), 0)
  })

  test('HTTP/2: the same, and the session stays open', { skip: opensslMissing }, async () => {
    await using upstream = await counting()
    await using gateway = await start(upstream, { idleTimeout: '1 second' })
    await using client = new H2Client(gateway.gateway.ports[1]!)
    const stalled = Array.from({ length: 4 }, () => {
      const stream = client.session.request({ ':path': '/', ':method': 'POST' })
      stream.write('half')
      return answerOf(stream)
    })
    await untilConnected(upstream, 4)
    assert.equal((await client.ask('/', { method: 'POST', body: 'whole' })).text, '5')
    assert.deepEqual(
      (await Promise.all(stalled)).map(({ status }) => status),
      [408, 408, 408, 408],
    )
    assert.equal((await client.ask('/', { method: 'POST', body: 'again' })).text, '5')
  })
})

describe('an upload that takes longer than requestTimeout', () => {
  const limits = { requestTimeout: '500 ms', idleTimeout: '2 seconds' }
  const PIECE = 'x'.repeat(2_000)

  /** Writes chunks, one each 100 ms, for longer than both time-outs together. */
  async function trickle(write: (piece: string) => void): Promise<number> {
    let count = 0
    for (const end = performance.now() + 3_000; performance.now() < end; count++) {
      write(PIECE)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return count * PIECE.length
  }

  test('HTTP/1.1: is not aborted while data arrives', async () => {
    await using upstream = await counting()
    await using gateway = await start(upstream, limits)
    await using client = new RawClient(gateway.port)
    client.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    const bytes = await trickle((piece) => client.send(`${piece.length.toString(16)}\r\n${piece}\r\n`))
    client.send('0\r\n\r\n')
    await client.receives(new RegExp(`^HTTP/1\\.1 200 [\\s\\S]*${bytes}`))
  })

  test('HTTP/2: is not aborted while data arrives', { skip: opensslMissing }, async () => {
    await using upstream = await counting()
    await using gateway = await start(upstream, limits)
    await using client = new H2Client(gateway.gateway.ports[1]!)
    const stream = client.session.request({ ':path': '/', ':method': 'POST' })
    const answer = answerOf(stream)
    const bytes = await trickle((piece) => stream.write(piece))
    stream.end()
    assert.equal((await answer).text, String(bytes))
  })

  test('is aborted below the minimum data rate: 408', async () => {
    await using upstream = await counting()
    await using gateway = await start(upstream, limits)
    await using client = new RawClient(gateway.port)
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n')
    const drip = setInterval(() => client.send('x'), 100)
    try {
      await client.closed
    } finally {
      clearInterval(drip)
    }
    assert.match(client.text, /^HTTP\/1\.1 408 /)
  })
})

test('an upload that waits for the application, not for its client, is not aborted', async () => {
  const { promise: reading, resolve: read } = Promise.withResolvers<void>()
  await using upstream = await httpUpstream(async (request, response) => {
    await reading
    request.resume().on('end', () => response.end('all'))
  })
  await using gateway = await start(upstream, { idleTimeout: '300 ms', requestTimeout: '300 ms' })
  const size = 20_000_000
  const answer = gateway.ask('/', { method: 'POST', body: Buffer.alloc(size) })
  await using stalled = new RawClient(gateway.port)
  // Its own end shows that the time-out has passed.
  stalled.send(HALF)
  await stalled.closed
  assert.match(stalled.text, /^HTTP\/1\.1 408 /)
  read()
  assert.equal((await answer).text, 'all')
})

test('a response that makes progress keeps a request with an incomplete body alive', async () => {
  await using upstream = await httpUpstream((request, response) => {
    request.on('error', () => {}).resume()
    response.write('begin ')
    const beat = setInterval(() => response.write('beat '), 50)
    request.on('end', () => response.end('end'))
    response.on('close', () => clearInterval(beat))
  })
  await using gateway = await start(upstream, { idleTimeout: '2 seconds', requestTimeout: '500 ms' })
  await using client = new RawClient(gateway.port)
  client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf')
  await client.receives(/(?:beat [^b]*){60}/)
  client.send('a half')
  await client.receives(/end/)
  await once(client.socket.end(), 'close')
})
