import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import fc from 'fast-check'
import { within } from '#test/waiting'
import { Body, BodyCancelledError, BodyConsumedError, type BodySink, TemporaryStorage } from './index.ts'

const storageOf = (memoryLimit: number, fileLimit: number, directory = tmpdir()) =>
  new TemporaryStorage({ initialLength: 4, memoryLimit, fileLimit, directory })

const chunks = (...texts: string[]): Readable => Readable.from(texts.map((text) => Buffer.from(text)))

const read = async (body: Body): Promise<string> => (await buffer(body.stream())).toString()

/** A body whose producer is driven by the test. */
function manual() {
  const state = { resumed: 0, cancelled: 0 }
  let sink: BodySink | null = null
  const body = Body.fromSource({
    start: (to) => {
      sink = to
    },
    resume: () => void state.resumed++,
    cancel: () => void state.cancelled++,
  })
  return { body, state, write: (text: string) => sink!.write(Buffer.from(text)), sink: () => sink! }
}

test('content within the limit is buffered, in memory or in a file, and can be read repeatedly', async () => {
  for (const memoryLimit of [100, 4]) {
    const body = Body.fromStream(chunks('some', ' ', 'content'))
    assert.equal(await body.bufferIfFits(storageOf(memoryLimit, 100)), true)
    assert.equal(body.isBuffered, true)
    assert.equal(body.length, 12)
    for (let time = 0; time < 2; time++) assert.equal(await read(body), 'some content')
    assert.equal(await body.bufferIfFits(storageOf(1, 1)), true)
    body.cancel()
  }
})

test('content over the limit can be read once, from its first byte', async () => {
  for (const memoryLimit of [8, 3]) {
    const body = Body.fromStream(chunks('some', ' ', 'content', ' ', 'more'))
    assert.equal(await body.bufferIfFits(storageOf(memoryLimit, 8)), false)
    assert.equal(body.isBuffered, false)
    assert.equal(body.length, null)
    assert.equal(await read(body), 'some content more')
    assert.throws(() => body.pipe({ write: () => true, end: () => {}, fail: () => {} }), BodyConsumedError)
  }
})

test('content whose declared length exceeds the limit is not read', async () => {
  const { body, state } = manual()
  const announced = Body.fromSource({ start: () => assert.fail(), resume: () => {}, cancel: () => {} }, 9)
  assert.equal(await announced.bufferIfFits(storageOf(8, 8)), false)
  body.cancel()
  assert.equal(state.cancelled, 1)
})

test('the producer is paused from the chunk that exceeds the limit until that chunk is read', async () => {
  const { body, state, write, sink } = manual()
  const fits = body.bufferIfFits(storageOf(4, 4))
  assert.equal(write('1234'), true)
  assert.equal(write('56'), false)
  assert.equal(await fits, false)
  assert.equal(state.resumed, 0)
  const seen: string[] = []
  let more = false
  const control = body.pipe({
    write: (chunk) => {
      seen.push(Buffer.from(chunk).toString())
      return more
    },
    end: (trailers) => void seen.push(`end ${trailers}`),
    fail: (error) => void seen.push(error.message),
  })
  assert.deepEqual(seen, ['1234'])
  control.resume()
  assert.deepEqual(seen, ['1234', '56'])
  assert.equal(state.resumed, 0)
  control.resume()
  assert.equal(state.resumed, 1)
  assert.equal(write('7'), false)
  control.resume()
  assert.equal(state.resumed, 2)
  more = true
  assert.equal(write('8'), true)
  sink().end(['X', '1'])
  assert.deepEqual(seen, ['1234', '56', '7', '8', 'end X,1'])
})

test('an end or a failure that arrives before the rest is read is reported after it', async () => {
  for (const [finish, last] of [
    [(sink: BodySink) => sink.end(null), 'end'],
    [(sink: BodySink) => sink.fail(new Error('cut')), 'cut'],
  ] as const) {
    const { body, write, sink } = manual()
    const fits = body.bufferIfFits(storageOf(1, 1))
    write('12')
    finish(sink())
    assert.equal(await fits, false)
    const seen: string[] = []
    body.pipe({
      write: (chunk) => {
        seen.push(Buffer.from(chunk).toString())
        return true
      },
      end: () => void seen.push('end'),
      fail: (error) => void seen.push(error.message),
    })
    assert.deepEqual(seen, ['12', last])
  }
})

test('content that is truncated while it is buffered fails', async () => {
  const { body, write, sink } = manual()
  const fits = body.bufferIfFits(storageOf(4, 4))
  write('12')
  sink().fail(new Error('cut'))
  await assert.rejects(fits, { message: 'cut' })
})

test('a failed write to the storage cancels the producer', async () => {
  const { body, state, write } = manual()
  const fits = body.bufferIfFits(storageOf(1, 100, '/dev/null/none'))
  write('12')
  await assert.rejects(fits, { code: 'ENOTDIR' })
  assert.equal(state.cancelled, 1)
})

test('cancelling a body cancels the producer, at each stage', async () => {
  const keeping = manual()
  const fits = keeping.body.bufferIfFits(storageOf(4, 4))
  keeping.write('1')
  keeping.body.cancel()
  await assert.rejects(fits, BodyCancelledError)
  assert.equal(keeping.state.cancelled, 1)

  for (const started of [false, true]) {
    const exceeding = manual()
    const collected = exceeding.body.bufferIfFits(storageOf(1, 3))
    exceeding.write('12')
    exceeding.write('34')
    assert.equal(await collected, false)
    const failed = Promise.withResolvers<Error>()
    if (started) exceeding.body.pipe({ write: () => false, end: () => {}, fail: failed.resolve })
    exceeding.body.cancel()
    assert.equal(exceeding.state.cancelled, 1)
    if (started) assert.ok((await within('the body failed', failed.promise)) instanceof BodyCancelledError)
  }
})

test('no byte is lost, duplicated or reordered, for any sizes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 20 }),
      fc.nat(120),
      fc.nat(300),
      async (pieces, memoryLimit, fileLimit) => {
        const whole = Buffer.concat(pieces)
        const body = Body.fromStream(Readable.from(pieces.map((piece) => Buffer.from(piece))))
        const fits = await body.bufferIfFits(storageOf(memoryLimit, fileLimit))
        assert.equal(fits, whole.length <= Math.max(memoryLimit, fileLimit))
        assert.deepEqual(await buffer(body.stream()), whole)
        body.cancel()
      },
    ),
    { numRuns: 60 },
  )
})
