import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BodySink } from '#http'
import { EventStreams } from './event-stream.ts'

class RecordingSink implements BodySink {
  text = ''
  end_ = 0
  failure: Error | null = null
  isFull = false

  write(chunk: Uint8Array): boolean {
    this.text += Buffer.from(chunk).toString()
    return !this.isFull
  }

  end(): void {
    this.end_++
  }

  fail(error: Error): void {
    this.failure = error
  }
}

function opened() {
  const streams = new EventStreams()
  const stream = streams.open()
  assert.ok(stream !== null)
  const sink = new RecordingSink()
  stream.start(sink)
  return { streams, stream, sink }
}

test('events are sent as they come, and a comment after ten seconds without one', () => {
  const { stream, sink } = opened()
  assert.equal(stream.send('{"a":1}'), true)
  assert.equal(sink.text, 'retry: 3000\n\ndata: {"a":1}\n\n')
  stream.check(performance.now() + 9_000)
  stream.check(performance.now() + 11_000)
  assert.match(sink.text, /\n\n: heartbeat\n\n$/)
  stream.end()
  stream.end()
  assert.deepEqual([sink.end_, stream.send('x')], [1, false])
})

test('nothing is queued for a client that does not read, and after 30 seconds it is disconnected', () => {
  const { stream, sink } = opened()
  sink.isFull = true
  assert.equal(stream.send('{"a":1}'), true)
  for (let n = 0; n < 1000; n++) assert.equal(stream.send('{"a":2}'), false)
  assert.doesNotMatch(sink.text, /"a":2/)
  sink.isFull = false
  stream.resume()
  assert.equal(stream.send('{"a":3}'), true)
  sink.isFull = true
  stream.send('{"a":4}')
  let ended = 0
  stream.onEnd(() => ended++)
  stream.check(performance.now() + 29_000)
  assert.equal(sink.failure, null)
  stream.check(performance.now() + 31_000)
  assert.match(String((sink.failure as Error | null)?.message), /read nothing/)
  stream.cancel()
  assert.equal(ended, 1)
})

test('the number of streams is bounded, and a closed one frees its place', () => {
  const streams = new EventStreams()
  const all = Array.from({ length: 32 }, () => streams.open())
  assert.ok(all.every((stream) => stream !== null))
  assert.equal(streams.open(), null)
  all[0]?.cancel()
  assert.notEqual(streams.open(), null)
  streams.endAll()
  assert.notEqual(streams.open(), null)
  streams.endAll()
})
