import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ParsedResponse, parseResponse } from '#test/parsed-response'
import { RESPONSE_SAMPLES } from '#test/response-mutations'
import { ResponseParser } from './response-parser.ts'

/** A response as its request got it, and the bytes it was made of. */
interface Answered {
  readonly received: ParsedResponse
  readonly from: number
  end: number
}

const METHODS = ['GET', 'HEAD', 'GET', 'CONNECT'] as const

/**
 * A connection that sends one request after another: the next one when a response is complete, at once or before the next
 * chunk. It is closed by an error, by bytes that no request is waiting for, and by a response that does not allow another.
 */
function converse(stream: Buffer, cuts: readonly number[], sendsAtOnce: boolean): Answered[] {
  const answers: Answered[] = []
  let base = 0
  let isClosed = false
  const current = () => answers.at(-1)!.received
  const parser: ResponseParser = new ResponseParser(
    { maxHeadBytes: 1_024 },
    {
      onInterim: (status, reason, fields) => current().interims.push([status, reason, fields]),
      onHead: (head) => {
        current().head = head
      },
      onData: (piece) => {
        current().body += piece.toString('latin1')
      },
      onComplete: (trailers, excess) => {
        current().trailers = trailers
        answers.at(-1)!.end = base - excess
        // A caller that ignores the excess: it must not reach the next request.
        if (sendsAtOnce && current().head!.keepAlive) send()
        else isClosed = !current().head!.keepAlive
      },
    },
  )
  const send = () => {
    parser.expect(METHODS[answers.length % METHODS.length]!, false)
    const received = { interims: [], head: null, body: '', trailers: null, excess: 0, error: null }
    answers.push({ received, from: base, end: -1 })
  }
  send()
  let from = 0
  for (const end of [...cuts.map((cut) => cut % (stream.length + 1)).toSorted((a, b) => a - b), stream.length]) {
    if (isClosed) break
    if (end === from) continue
    if (answers.at(-1)!.end >= 0) send()
    base = end
    const chunk = stream.subarray(from, end)
    try {
      if (parser.execute(chunk) < chunk.length) isClosed = true
    } catch {
      isClosed = true
    }
    from = end
  }
  return answers
}

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...RESPONSE_SAMPLES) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constantFrom('\r\n', 'HTTP/1.1 ', '0\r\n\r\n').map((text) => Buffer.from(text)) },
)
const streams = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => Buffer.concat(pieces))
const cuts = fc.array(fc.nat(2_000), { maxLength: 12 })

test('B25: a response depends on the bytes received for its request alone, whatever the stream and its chunks', () => {
  fc.assert(
    fc.property(streams, cuts, fc.boolean(), (stream, at, sendsAtOnce) => {
      for (const [number, { received, from, end }] of converse(stream, at, sendsAtOnce).entries()) {
        if (end < 0) continue
        const method = METHODS[number % METHODS.length]!
        const alone = parseResponse([stream.subarray(from, end)], { method, maxHeadBytes: 1_024, closes: false })
        assert.deepEqual(received, alone)
      }
    }),
  )
})

test('B25: the bytes of a response end before those of the next one begin, and excess reaches no request', () => {
  fc.assert(
    fc.property(streams, cuts, (stream, at) => {
      const [atOnce, later] = [converse(stream, at, true), converse(stream, at, false)]
      for (const answers of [atOnce, later]) {
        for (let i = 1; i < answers.length; i++) assert.ok(answers[i]!.from >= answers[i - 1]!.end)
      }
      // A request that is sent while excess is in the chunk gets nothing of it.
      for (const [i, { received }] of atOnce.entries()) {
        if (i >= later.length) assert.deepEqual([received.head, received.interims, received.body], [null, [], ''])
      }
    }),
  )
})

test('no event follows an error or a stop, whatever is received', () => {
  fc.assert(
    fc.property(streams, streams, cuts, fc.nat(10), (stream, more, at, stopAfter) => {
      let events = 0
      let isOver = false
      const count = () => {
        assert.equal(isOver, false)
        if (++events < stopAfter) return
        isOver = true
        parser.stop()
      }
      const parser: ResponseParser = new ResponseParser(
        { maxHeadBytes: 1_024 },
        { onInterim: count, onHead: count, onData: count, onComplete: count },
      )
      parser.expect('GET', true)
      const positions = [...at.map((cut) => cut % (stream.length + 1)).toSorted((a, b) => a - b), stream.length]
      let from = 0
      for (const end of positions) {
        try {
          parser.execute(stream.subarray(from, end))
        } catch {
          isOver = true
        }
        from = end
      }
      if (!isOver) return
      assert.equal(parser.execute(more), 0)
      parser.finish()
    }),
  )
})
