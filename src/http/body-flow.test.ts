import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { waitUntil } from '#test/waiting'
import { Body, type BodySink, type BodySource, TemporaryStorage } from './index.ts'

/** Pushes chunks as fast as allowed, across turns of the event loop, and counts violations of the contract. */
class Pusher implements BodySource {
  readonly #pieces: Uint8Array[]
  #sink: BodySink | null = null
  #waiting = false
  #scheduled = false

  constructor(pieces: Uint8Array[]) {
    this.#pieces = pieces
  }

  start(sink: BodySink): void {
    this.#sink = sink
    this.#push()
  }

  resume(): void {
    this.#waiting = false
    if (this.#scheduled) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      this.#push()
    })
  }

  cancel(): void {
    this.#sink = null
  }

  #push(): void {
    while (this.#sink !== null && !this.#waiting) {
      const piece = this.#pieces.shift()
      if (piece === undefined) {
        const sink = this.#sink
        this.#sink = null
        sink.end(null)
        return
      }
      this.#waiting = !this.#sink.write(piece)
    }
  }
}

test('a paused sink gets no write, and in the end all bytes', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(
      pieces,
      fc.array(fc.constantFrom('now', 'inside', 'soon', 'later'), { maxLength: 20 }),
      async (content, pace) => {
        const taken: Uint8Array[] = []
        let waiting = false
        await new Promise<void>((resolve, reject) => {
          let control: { resume(): void } | null = null
          const resume = () => {
            waiting = false
            control?.resume()
          }
          control = Body.fromSource(new Pusher([...content])).pipe({
            write(piece) {
              assert.equal(waiting, false, 'written to while waiting')
              assert.notEqual(piece.length, 0, 'an empty piece is no news')
              taken.push(piece)
              const how = pace[taken.length] ?? 'now'
              if (how === 'now') return true
              // The first chunks may arrive before pipe() has returned the control.
              if (how === 'inside' && control !== null) {
                control.resume()
                return false
              }
              waiting = true
              if (how === 'soon') queueMicrotask(resume)
              else setImmediate(resume)
              return false
            },
            end: () => resolve(),
            fail: reject,
          })
        })
        assert.deepEqual(Buffer.concat(taken), Buffer.concat(content))
      },
    ),
    { numRuns: 100 },
  )
})

test('B91: a sink that throws fails its own body only', () => {
  const seen: string[] = []
  let producer: BodySink | null = null
  const source: BodySource = {
    start: (sink) => {
      producer = sink
    },
    resume: () => undefined,
    cancel: (reason) => seen.push(`cancelled: ${reason?.message}`),
  }
  Body.fromSource(source).pipe({
    write: () => {
      throw new Error('bad sink')
    },
    end: () => seen.push('end'),
    fail: (error) => seen.push(`failed: ${error.message}`),
  })
  assert.equal(producer!.write(Buffer.from('x')), false)
  assert.deepEqual(seen, ['cancelled: bad sink', 'failed: bad sink'])
})

test('B91: a sink that throws at the end is failed', () => {
  const seen: string[] = []
  Body.fromSource(new Pusher([])).pipe({
    write: () => true,
    end: () => {
      throw new Error('bad end')
    },
    fail: (error) => seen.push(error.message),
  })
  assert.deepEqual(seen, ['bad end'])
})

test('B27: a flow ends once, with the first end or failure of its producer', () => {
  const seen: string[] = []
  const source: BodySource = {
    start(sink) {
      sink.fail(new Error('cut'))
      sink.end(null)
      sink.fail(new Error('again'))
    },
    resume: () => assert.fail('resumed after its end'),
    cancel: () => assert.fail('cancelled after its end'),
  }
  const body = Body.fromSource(source)
  const control = body.pipe({
    write: () => true,
    end: () => seen.push('end'),
    fail: (error) => seen.push(error.message),
  })
  control.resume()
  control.cancel()
  body.cancel()
  assert.deepEqual(seen, ['cut'])
})

/** Behaves as an HTTP parser that is resumed while its socket is empty: it delivers an empty chunk. */
class Idle implements BodySource {
  resumed = 0
  readonly #chunk: Uint8Array
  #sink: BodySink | null = null

  constructor(chunk: Uint8Array) {
    this.#chunk = chunk
  }

  start(sink: BodySink): void {
    this.#sink = sink
    sink.write(this.#chunk)
  }

  resume(): void {
    // A spin in microtasks would stop this process for good.
    if (++this.resumed > 100) throw new Error('resumed without end')
    this.#sink?.write(new Uint8Array(0))
  }

  end(): void {
    this.#sink?.end(null)
  }

  cancel(): void {
    this.#sink = null
  }
}

test('a producer that answers each resume with an empty chunk is resumed once for each pause', async () => {
  const source = new Idle(Buffer.from('x'))
  const written: number[] = []
  const control = Body.fromSource(source).pipe({
    write: (chunk) => {
      written.push(chunk.length)
      queueMicrotask(() => control.resume())
      return false
    },
    end: () => undefined,
    fail: () => undefined,
  })
  await new Promise(setImmediate)
  assert.equal(source.resumed, 1)
  assert.deepEqual(written, [1])
  control.resume()
  assert.equal(source.resumed, 1)
})

for (const method of ['buffer', 'bufferIfFits'] as const) {
  test(`${method} waits for the producer after the buffered part in a file, and does not spin`, async (context) => {
    const directory = await mkdtemp(join(tmpdir(), 'body-flow-test-'))
    context.after(() => rm(directory, { recursive: true, force: true }))
    const storage = new TemporaryStorage({ initialLength: 8, memoryLimit: 16, fileLimit: 1_000, directory })
    const source = new Idle(Buffer.alloc(100, 'x'))
    const body = Body.fromSource(source)
    const kept = body[method](storage)
    await waitUntil('the source was resumed', () => source.resumed > 0)
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    assert.equal(source.resumed, 1)
    source.end()
    await kept
    assert.equal(body.text(), 'x'.repeat(100))
    body.cancel()
  })
}
