// Large bodies, slow ends and event streams through the whole gateway: nothing is buffered on the way, and no client waits
// for bytes that are there. STREAM_BYTES says how much is streamed; 3221225472 is the size of threats B36.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { RunningGateway } from '#test/gateway'
import { RawClient } from '#test/listening'
import { silentUpstream, type Upstream } from '#test/upstream'
import { once, stopsGrowing, within } from '#test/waiting'

const STREAM_BYTES = Number(process.env['STREAM_BYTES'] ?? 256 * 2 ** 20)
/** Memory of the gateway, both ends of the test and the allocator: an accumulated body would be far above it. */
const GROWTH_LIMIT = 128 * 2 ** 20
const WARM_UP_BYTES = 128 * 2 ** 20
const PIECE = Buffer.alloc(65_536, 'abcdefgh')
/** Capacity of sockets, pipes and buffers between the two ends while one of them does not read. */
const HELD_LIMIT = 24 * 2 ** 20
/** For tests that stream a configured number of bytes. */
const long = { timeout: 60_000 + STREAM_BYTES / 10_000 }

/** The peak memory of the process during a test. */
class Watermark implements Disposable {
  readonly #before = process.memoryUsage().rss
  readonly #timer = setInterval(() => this.#look(), 20)
  #most = 0

  get growth(): number {
    this.#look()
    return this.#most - this.#before
  }

  #look(): void {
    this.#most = Math.max(this.#most, process.memoryUsage().rss)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`

/** Writes that many bytes, with back-pressure. */
async function pour(socket: Socket, bytes: number): Promise<void> {
  for (let left = bytes; left > 0; left -= PIECE.length) {
    const piece = left >= PIECE.length ? PIECE : PIECE.subarray(0, left)
    if (!socket.write(piece)) await once(socket, 'drain')
  }
}

describe('one gateway', () => {
  let upstream: Upstream
  let gateway: RunningGateway
  /** The behaviour of the application for the next request. */
  let application: (socket: Socket, head: string) => void = () => {}

  before(async () => {
    upstream = await silentUpstream((socket) => {
      let text = ''
      const onData = (chunk: Buffer) => {
        text += chunk.toString('latin1')
        const end = text.indexOf('\r\n\r\n')
        if (end < 0) return
        socket.off('data', onData)
        const rest = Buffer.from(text.slice(end + 4), 'latin1')
        application(socket, text.slice(0, end))
        if (rest.length > 0) socket.emit('data', rest)
      }
      socket.on('data', onData)
    })
    gateway = await RunningGateway.start({
      routes: {
        all: {
          baseURI: upstream.url,
          handler: { type: 'ReverseProxyHandler', config: { disableReuseConnection: true, soTimeout: '1 second' } },
        },
      },
    })
    // Both garbage collectors reach their working size; later increases are growth.
    await download(WARM_UP_BYTES, `Content-Length: ${WARM_UP_BYTES}`)
  })

  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  const get = (path = '/') => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

  /** A client that counts received bytes and stores only the head. */
  function reader(request: string) {
    const socket = connect({ port: gateway.port, host: '127.0.0.1' })
    socket.write(request)
    const seen = { socket, received: 0, head: '' }
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      if (!seen.head.includes('\r\n\r\n')) seen.head += chunk.toString('latin1')
      seen.received += chunk.length
    })
    return seen
  }

  async function download(bytes: number, field: string): Promise<void> {
    application = async (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${field}\r\n\r\n`)
      await pour(socket, bytes)
      socket.end()
    }
    const seen = reader(get())
    await once(seen.socket, 'close')
    assert.ok(seen.received >= bytes, `got ${seen.received} of ${bytes} bytes`)
  }

  for (const [framing, field] of [
    ['of known length', `Content-Length: ${STREAM_BYTES}`],
    ['up to the end of the connection', 'X-Unknown: length'],
  ] as const) {
    test(`B36: a large download ${framing} takes no memory`, long, async (t) => {
      using memory = new Watermark()
      const start = performance.now()
      await download(STREAM_BYTES, field)
      const seconds = (performance.now() - start) / 1000
      t.diagnostic(`${mebibytes(STREAM_BYTES)} in ${seconds.toFixed(1)} s, resident +${mebibytes(memory.growth)}`)
      assert.ok(memory.growth < GROWTH_LIMIT, `resident memory grew by ${mebibytes(memory.growth)}`)
    })
  }

  test('B36: a large upload takes no memory', long, async (t) => {
    let arrived = 0
    application = (socket) => {
      socket.on('data', (chunk: Buffer) => {
        arrived += chunk.length
        if (arrived === STREAM_BYTES) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      })
    }
    using memory = new Watermark()
    const start = performance.now()
    const head = `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${STREAM_BYTES}\r\n\r\n`
    const seen = reader(head)
    await pour(seen.socket, STREAM_BYTES)
    await once(seen.socket, 'close')
    assert.match(seen.head, /^HTTP\/1\.1 200 .*\r\n\r\nok$/s)
    assert.equal(arrived, STREAM_BYTES)
    const seconds = (performance.now() - start) / 1000
    t.diagnostic(`${mebibytes(STREAM_BYTES)} in ${seconds.toFixed(1)} s, resident +${mebibytes(memory.growth)}`)
    assert.ok(memory.growth < GROWTH_LIMIT, `resident memory grew by ${mebibytes(memory.growth)}`)
  })

  test('F8: a client that does not read holds the application back, and gets everything in the end', async () => {
    const size = 64 * 2 ** 20
    let written = 0
    application = async (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`)
      for (; written < size && !socket.destroyed; written += PIECE.length) {
        if (!socket.write(PIECE)) await once(socket, 'drain')
      }
    }
    const seen = reader(get())
    await once(seen.socket, 'data')
    seen.socket.pause()
    // Longer than soTimeout: the client stalls, not the application.
    const held = await stopsGrowing('the sender was paused', () => written)
    await wait(1_500)
    assert.equal(written, held)
    assert.ok(held < HELD_LIMIT, `${mebibytes(held)} were written while the client did not read`)
    seen.socket.resume()
    await once(seen.socket, 'close')
    assert.equal(seen.received, seen.head.indexOf('\r\n\r\n') + 4 + size)
  })

  test('F8: an application that does not read pauses the client', async () => {
    const size = 64 * 2 ** 20
    const waiting = Promise.withResolvers<Socket>()
    let arrived = 0
    application = (socket) => {
      socket.pause()
      socket.on('data', (chunk: Buffer) => {
        arrived += chunk.length
        if (arrived === size) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      })
      waiting.resolve(socket)
    }
    let written = 0
    const seen = reader(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`)
    const writing = (async () => {
      for (; written < size; written += PIECE.length) {
        if (!seen.socket.write(PIECE)) await once(seen.socket, 'drain')
      }
    })()
    const socket = await within('the upstream had a connection', waiting.promise)
    const held = await stopsGrowing('the sender was paused', () => written)
    assert.ok(held < HELD_LIMIT, `${mebibytes(held)} were taken while the application read nothing`)
    socket.resume()
    await writing
    await once(seen.socket, 'close')
    assert.match(seen.head, /^HTTP\/1\.1 200 /)
  })

  test('B36: the head and each event of an event stream reach the client at once', async (t) => {
    const opened = Promise.withResolvers<Socket>()
    application = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n')
      opened.resolve(socket)
    }
    await using client = new RawClient(gateway.port)
    client.send(get('/events'))
    await client.receives(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*\r\n$/)
    const socket = await within('the upstream had a connection', opened.promise)
    const delays: number[] = []
    for (let event = 0; event < 20; event++) {
      const text = `data: ${event}\n\n`
      const start = performance.now()
      socket.write(`${text.length.toString(16)}\r\n${text}\r\n`)
      await client.receives(new RegExp(`data: ${event}\n\n`))
      delays.push(performance.now() - start)
    }
    t.diagnostic(`slowest event: ${Math.max(...delays).toFixed(1)} ms`)
    // The median, since the machine may stall once.
    assert.ok(delays.toSorted((a, b) => a - b)[10]! < 100, delays.join(', '))
    socket.end('0\r\n\r\n')
    await client.closed
    assert.match(client.text, /\r\n0\r\n\r\n$/)
  })

  test('B31: a body is sent after 100 Continue, and Expect is not forwarded', async () => {
    let head = ''
    let body = ''
    application = (socket, received) => {
      head = received
      socket.on('data', (chunk: Buffer) => {
        body += chunk.toString('latin1')
        if (body === 'hello') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      })
    }
    await using client = new RawClient(gateway.port)
    client.send('POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\nConnection: close\r\n\r\n')
    await client.receives(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    client.send('hello')
    await client.closed
    assert.match(client.text, /\r\n\r\nHTTP\/1\.1 200 OK\r\n(?:.*\r\n)*\r\nok$/)
    assert.doesNotMatch(head, /^expect:/im)
  })

  const mismatches: Record<string, string> = {
    'fewer bytes than announced': 'Content-Length: 10\r\n\r\nhello',
    'no byte of those announced': 'Content-Length: 10\r\n\r\n',
    'a chunk that is cut': 'Transfer-Encoding: chunked\r\n\r\na\r\nhello',
    'no last chunk': 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
    'half a last chunk': 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n',
  }
  for (const [what, rest] of Object.entries(mismatches)) {
    test(`B27, F5: ${what}: the response is truncated towards the client`, async () => {
      application = (socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`)
      await using client = new RawClient(gateway.port)
      client.send(get())
      await client.closed
      const announced = /^Content-Length: (\d+)/im.exec(client.text)?.[1]
      if (announced === undefined) assert.doesNotMatch(client.text, /\r\n0\r\n\r\n$/)
      else assert.ok(client.text.split('\r\n\r\n')[1]!.length < Number(announced))
    })
  }

  test('B27, F5: a chunk of another size than it says: 502 in one packet with the head, later a truncated response', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
    const invalid = '3\r\nhello\r\n0\r\n\r\n'
    application = (socket) => socket.end(`${head}${invalid}`)
    assert.equal((await gateway.ask('/')).status, 502)
    const begun = Promise.withResolvers<void>()
    application = (socket) => {
      socket.write(`${head}1\r\na\r\n`)
      void begun.promise.then(() => socket.end(invalid))
    }
    await using client = new RawClient(gateway.port)
    client.send(get())
    await client.receives(/\r\n\r\n1\r\na\r\n$/)
    begun.resolve()
    await client.closed
    assert.match(client.text, /^HTTP\/1\.1 200 OK\r\n/)
    assert.doesNotMatch(client.text, /\r\n0\r\n\r\n$/)
  })

  test('B25: bytes beyond Content-Length reach no client', async () => {
    application = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\nevil')
    assert.equal((await gateway.ask('/')).text, 'hello')
    application = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext')
    assert.equal((await gateway.ask('/')).text, 'next')
  })
})
