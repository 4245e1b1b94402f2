import assert from 'node:assert/strict'
import { request as clientRequest, createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { test } from 'node:test'
import fc from 'fast-check'
import { once, within } from '#test/waiting'
import {
  Body,
  BodyCancelledError,
  BodyConsumedError,
  BodyNotBufferedError,
  type BodySink,
  type BodySource,
  BodyTooLargeError,
  StreamAbortedError,
} from './index.ts'

/** A sink that collects chunks and pauses on demand. */
class Collector implements BodySink {
  readonly chunks: Uint8Array[] = []
  readonly outcome: Promise<readonly string[] | null>
  events: string[] = []
  accept: () => boolean = () => true
  #settle!: { resolve: (trailers: readonly string[] | null) => void; reject: (error: Error) => void }

  constructor() {
    const outcome = new Promise<readonly string[] | null>((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    this.outcome = within('the body ended or failed', outcome)
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString()
  }

  write(chunk: Uint8Array): boolean {
    this.events.push('write')
    this.chunks.push(chunk)
    return this.accept()
  }

  end(trailers: readonly string[] | null): void {
    this.events.push('end')
    this.#settle.resolve(trailers)
  }

  fail(error: Error): void {
    this.events.push('fail')
    this.#settle.reject(error)
  }
}

/** A producer driven by the test. */
class ManualSource implements BodySource {
  sink!: BodySink
  resumed = 0
  cancelled: (Error | undefined)[] = []
  start(sink: BodySink): void {
    this.sink = sink
  }
  resume(): void {
    this.resumed += 1
  }
  cancel(reason?: Error): void {
    this.cancelled.push(reason)
  }
}

const bytes = (text: string) => Buffer.from(text)

test('text and bytes are buffered, have a length and can be read repeatedly', async () => {
  const body = Body.of('héllo')
  assert.equal(body.length, 6)
  assert.equal(body.isBuffered, true)
  assert.equal(body.isEmpty, false)
  for (let i = 0; i < 2; i++) {
    const sink = new Collector()
    body.pipe(sink)
    await sink.outcome
    assert.equal(sink.text, 'héllo')
  }
  assert.equal(body.text(), 'héllo')
  assert.equal(Body.of(Buffer.from([0xe9])).text('latin1'), 'é')
  assert.equal(await textOf(body.stream()), 'héllo')
})

test('the empty body ends at once, and can be cancelled', async () => {
  const sink = new Collector()
  Body.empty.cancel()
  Body.empty.pipe(sink)
  assert.equal(await sink.outcome, null)
  assert.deepEqual(sink.events, ['end'])
  assert.equal(Body.of(''), Body.empty)
  assert.equal(Body.empty.text(), '')
})

test('a stream is piped completely, and only once', async () => {
  const body = Body.fromStream(Readable.from([bytes('a'), bytes('b')]), 2)
  const sink = new Collector()
  assert.equal(body.length, 2)
  body.pipe(sink)
  await sink.outcome
  assert.equal(sink.text, 'ab')
  assert.throws(() => body.pipe(new Collector()), BodyConsumedError)
  assert.throws(() => body.stream(), BodyConsumedError)
  assert.throws(() => body.bytes(), BodyNotBufferedError)
  await assert.rejects(body.read(10), BodyConsumedError)
})

test('the stream of a body created from a stream is the same object', () => {
  const stream = Readable.from(['x'])
  const body = Body.fromStream(stream)
  assert.equal(body.stream(), stream)
  assert.throws(() => body.stream(), BodyConsumedError)
  stream.destroy()
})

test('a stream that is destroyed early is a failure, never a clean end', async () => {
  for (const error of [undefined, new Error('cut')]) {
    const stream = new Readable({ read: () => undefined })
    const sink = new Collector()
    Body.fromStream(stream).pipe(sink)
    stream.push('part')
    await once(stream, 'data')
    stream.destroy(error)
    await assert.rejects(sink.outcome, error ?? StreamAbortedError)
    assert.deepEqual(sink.events, ['write', 'fail'])
  }
})

test('a stream that failed before it was read fails its reader, without an unhandled error', async () => {
  const stream = new Readable({ read: () => undefined })
  const body = Body.fromStream(stream)
  const closed = within('the stream was closed', new Promise((resolve) => stream.once('close', resolve)))
  stream.destroy(new Error('early'))
  await closed
  const sink = new Collector()
  body.pipe(sink)
  await assert.rejects(sink.outcome, /early/)
})

test('a sink that pauses gets no bytes until it resumes', async () => {
  const source = new ManualSource()
  const sink = new Collector()
  const control = Body.fromSource(source).pipe(sink)

  sink.accept = () => false
  assert.equal(source.sink.write(bytes('a')), false)
  assert.equal(source.resumed, 0)
  control.resume()
  assert.equal(source.resumed, 1)
  sink.accept = () => true
  assert.equal(source.sink.write(bytes('b')), true)
  source.sink.end(['X-T', '1'])

  assert.deepEqual(await sink.outcome, ['X-T', '1'])
  assert.equal(sink.text, 'ab')
})

test('a sink may resume from within write', async () => {
  const stream = Readable.from([bytes('a'), bytes('b'), bytes('c')])
  const sink = new Collector()
  let control: { resume(): void } | null = null
  sink.accept = () => {
    control?.resume()
    return false
  }
  control = Body.fromStream(stream).pipe(sink)
  await sink.outcome
  assert.equal(sink.text, 'abc')
})

test('a paused Readable is not read ahead beyond its own buffer', async () => {
  let made = 0
  const stream = new Readable({
    highWaterMark: 4,
    read() {
      made += 1
      this.push(made > 100 ? null : Buffer.alloc(4))
    },
  })
  const sink = new Collector()
  const firstWrite = Promise.withResolvers<void>()
  sink.accept = () => {
    firstWrite.resolve()
    return false
  }
  const control = Body.fromStream(stream).pipe(sink)
  await within('the first chunk was written', firstWrite.promise)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(sink.chunks.length, 1)
  assert.ok(made <= 3, `read ${made} times`)
  sink.accept = () => true
  control.resume()
  await sink.outcome
  assert.equal(Buffer.concat(sink.chunks).length, 400)
})

test('no byte is lost or repeated, for any chunking and any slow sink', async () => {
  const chunk = fc.uint8Array({ minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(chunk, { maxLength: 15 }),
      fc.array(fc.nat(2), { maxLength: 15 }),
      async (chunks, pauses) => {
        const sink = new Collector()
        let at = 0
        let control: { resume(): void } | null = null
        sink.accept = () => {
          const pause = pauses[at++] ?? 0
          if (pause === 1) queueMicrotask(() => control?.resume())
          if (pause === 2) setImmediate(() => control?.resume())
          return pause === 0
        }
        const source = Body.fromStream(Readable.from(chunks.map((each) => Buffer.from(each))))
        // Through a second body as well, to test both directions of the adapter.
        control = Body.fromStream(Body.fromStream(source.stream()).stream()).pipe(sink)
        await sink.outcome
        assert.deepEqual(Buffer.concat(sink.chunks), Buffer.concat(chunks))
      },
    ),
    { numRuns: 60 },
  )
})

test('a source read as a stream has back-pressure and trailers', async () => {
  const source = new ManualSource()
  const stream = Body.fromSource(source).stream()
  stream.read(0)
  assert.equal(source.sink.write(Buffer.alloc(200_000)), false)
  const resumed = source.resumed
  stream.read()
  stream.read(0)
  assert.ok(source.resumed > resumed)
  source.sink.end(['X-T', '1'])

  const again = new Collector()
  Body.fromStream(stream).pipe(again)
  assert.deepEqual(await again.outcome, ['X-T', '1'])
})

test('destroying the stream of a source cancels the source, also before the first read', async () => {
  for (const start of [true, false]) {
    const source = new ManualSource()
    const stream = Body.fromSource(source).stream()
    if (start) stream.read(0)
    stream.destroy()
    await once(stream, 'close')
    assert.equal(source.cancelled.length, 1)
  }
})

test('a source that fails destroys its stream', async () => {
  const source = new ManualSource()
  const stream = Body.fromSource(source).stream()
  stream.read(0)
  source.sink.fail(new Error('upstream cut'))
  await assert.rejects(once(stream, 'end'), /upstream cut/)
})

test('cancel by the consumer reaches the producer once, and not the sink', () => {
  const source = new ManualSource()
  const sink = new Collector()
  const control = Body.fromSource(source).pipe(sink)
  const reason = new Error('enough')
  control.cancel(reason)
  control.cancel(reason)
  source.sink.write(bytes('late'))
  source.sink.end(null)
  source.sink.fail(new Error('late'))
  assert.deepEqual(source.cancelled, [reason])
  assert.deepEqual(sink.events, [])
})

test('cancelling a body while it is piped fails the sink', async () => {
  const source = new ManualSource()
  const sink = new Collector()
  const body = Body.fromSource(source)
  body.pipe(sink)
  body.cancel()
  await assert.rejects(sink.outcome, BodyCancelledError)
  assert.equal(source.cancelled.length, 1)
})

test('cancelling an unread body frees its producer', () => {
  const source = new ManualSource()
  const body = Body.fromSource(source)
  body.cancel()
  body.cancel()
  assert.equal(source.cancelled.length, 1)
  const stream = new Readable({ read: () => undefined })
  Body.fromStream(stream).cancel(new Error('gone'))
  assert.equal(stream.destroyed, true)
})

test('read returns the whole content and buffers the body, with its trailers', async () => {
  const source = new ManualSource()
  const body = Body.fromSource(source)
  const reading = body.read(10)
  source.sink.write(bytes('abc'))
  source.sink.write(bytes('def'))
  source.sink.end(['X-T', '1'])
  assert.equal(Buffer.from(await reading).toString(), 'abcdef')
  assert.equal(body.length, 6)
  assert.equal(body.text(), 'abcdef')
  const sink = new Collector()
  body.pipe(sink)
  assert.deepEqual(await sink.outcome, ['X-T', '1'])
  await assert.rejects(body.read(5), BodyTooLargeError)
})

test('read rejects content over the limit: at once if the length is known, otherwise at the first byte beyond it', async () => {
  const known = new ManualSource()
  await assert.rejects(Body.fromSource(known, 11).read(10), { name: 'BodyTooLargeError', limit: 10 })
  assert.equal(known.cancelled.length, 1)

  const unknown = new ManualSource()
  const reading = Body.fromSource(unknown).read(5)
  assert.equal(unknown.sink.write(bytes('abcde')), true)
  assert.equal(unknown.sink.write(bytes('f')), false)
  await assert.rejects(reading, BodyTooLargeError)
  assert.equal(unknown.cancelled.length, 1)
})

test('concurrent reads share one pass over the producer', async () => {
  const source = new ManualSource()
  const body = Body.fromSource(source)
  const both = Promise.all([body.read(10), body.read(10)])
  source.sink.write(bytes('x'))
  source.sink.end(null)
  for (const each of await both) assert.equal(Buffer.from(each).toString(), 'x')
})

test('a producer that fails while it is read fails the reader', async () => {
  const source = new ManualSource()
  const reading = Body.fromSource(source).read(10)
  source.sink.write(bytes('x'))
  source.sink.fail(new Error('reset'))
  await assert.rejects(reading, /reset/)
})

/** One request on a real connection, with both ends. */
async function oneRequest(handle: (request: IncomingMessage, answer: (status: number) => void) => void) {
  const server = createServer((request, response) => {
    handle(request, (status) => response.writeHead(status, { connection: 'close' }).end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const client = clientRequest({ port, host: '127.0.0.1', method: 'POST', headers: { 'transfer-encoding': 'chunked' } })
  client.on('error', () => undefined)
  return { client, close: () => server.close().closeAllConnections() }
}

test('trailers of a received request reach the sink', async () => {
  const sink = new Collector()
  const { client, close } = await oneRequest((request, answer) => {
    Body.fromStream(request).pipe(sink)
    answer(200)
  })
  client.write('abc')
  client.addTrailers({ 'X-Sum': '1' })
  client.end()
  assert.deepEqual(await sink.outcome, ['X-Sum', '1'])
  assert.equal(sink.text, 'abc')
  close()
})

test('a client that disconnects before the end of its body fails the body', async () => {
  const sink = new Collector()
  const { client, close } = await oneRequest((request) => {
    sink.accept = () => {
      client.destroy()
      return true
    }
    Body.fromStream(request).pipe(sink)
  })
  client.write('abc')
  await assert.rejects(sink.outcome)
  assert.deepEqual(sink.events, ['write', 'fail'])
  close()
})

test('cancelling a request body leaves the connection open for the response', async () => {
  const { client, close } = await oneRequest((request, answer) => {
    Body.fromStream(request)
      .read(2)
      .catch((error) => answer(error instanceof BodyTooLargeError ? 413 : 500))
  })
  client.write('too much')
  const [response] = (await once(client, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 413)
  response.resume()
  client.destroy()
  close()
})

test('a complete short body is buffered; an incomplete or long one is streamed', async () => {
  const arriving = (content: string | null, length: number | null = 2) => {
    const source = Object.assign(new ManualSource(), {
      takeIfComplete: () => (content === null ? null : bytes(content)),
    })
    return Body.fromSource(source, length)
  }
  const arrived = arriving('hi')
  arrived.bufferIfComplete(2)
  assert.equal(arrived.text(), 'hi')
  const others = [arriving(null), arriving('hi', null), arriving('long', 4), Body.fromSource(new ManualSource(), 2)]
  for (const body of others) {
    body.bufferIfComplete(3)
    assert.equal(body.isBuffered, false)
    body.pipe(new Collector())
  }
})
